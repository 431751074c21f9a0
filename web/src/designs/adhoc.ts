// Studies of topics, judgements and systems: one topic, and what two systems return for it, with grades.
import { h, kit, visible } from "../dom";
import type { QuestionResult } from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import type { Adhoc, AdhocResults } from "../page.gen";
import { startAsk } from "../views/ask";
import { startExplorer } from "../views/explorer";
import { hitJudgement, judgedList, rankingTitle } from "../views/judgements";
import { marked } from "../views/pieces";
import { sideBySide } from "../views/sidebyside";
import type { DesignModule } from "./module";

export const adhoc: DesignModule<Adhoc, AdhocResults> = {
  start({ data, session, numbers }, view) {
    startExplorer(session, {
      methods: view.methods,
      k: view.top,
      describe: ({ id, kind }) =>
        [id, kind]
          .filter((part) => part !== "")
          .map(visible)
          .join(" · "),
      show: (result) => show(result, numbers),
      busy: "Scoring the topic …",
    });
    startAsk(session, data.methods);
  },
  figures: () => Promise.resolve(() => undefined), // its figures are tables
};

function show(result: QuestionResult, numbers: Numbers): Node[] {
  const facts = h("p", { class: "question-facts" }, "Topic ", kit(result.question), ". ");
  facts.append(h("mark", {}, "Marked"), " words are known to the collection");
  if (result.unknown.length > 0) facts.append("; unknown: ", kit(result.unknown.join(", ")));
  facts.append(". A document without a grade was not judged.");
  const nodes: Node[] = [h("p", { class: "question-text" }, marked(result.text)), facts];
  nodes.push(...sideBySide(result.rankings, (ranking) => rankingTitle(ranking, numbers), hitJudgement));
  if (result.judged !== undefined && result.judged.length > 0) nodes.push(judgedList(result.judged, "documents"));
  return nodes;
}
