// Binary studies: one need, what is wanted, and what each method returns, with judgements and exact references.
import { h, kit, visible } from "../dom";
import type { HitView, QuestionResult } from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import type { Binary, BinaryResults } from "../page.gen";
import { startAsk } from "../views/ask";
import { startExplorer } from "../views/explorer";
import { hitJudgement, judgedList, rankingTitle } from "../views/judgements";
import { marked } from "../views/pieces";
import { sideBySide } from "../views/sidebyside";
import type { Context, DesignModule } from "./module";

export const binary: DesignModule<Binary, BinaryResults> = {
  start(context, view) {
    startNeeds(context, view);
    startAsk(context.session, context.data.methods);
  },
  figures: async () => (await import("../charts/binary")).drawBinary,
};

function startNeeds({ session, numbers }: Context, view: Binary): void {
  const label = (split: string): string => view.splits.find(({ name }) => name === split)?.label ?? split;
  startExplorer(session, {
    methods: view.methods,
    k: Math.min(view.top, 100),
    describe: ({ id, kind, split }) => `${visible(id)} · ${visible(kind)} · ${label(split)}`,
    show: (result) => show(result, label(result.split), numbers),
    busy: "Scoring the need …",
  });
}

function show(result: QuestionResult, split: string, numbers: Numbers): Node[] {
  const relevant = (result.judged ?? []).filter(({ judgement }) => judgement.useful).length;
  const facts = h(
    "p",
    { class: "question-facts" },
    "Need ",
    kit(result.question),
    `, ${split}, slice `,
    kit(result.kind),
    ". ",
    h("mark", {}, "Marked"),
    " words stand in some permitted passage",
  );
  if (result.unknown.length > 0) facts.append("; in none: ", kit(result.unknown.join(", ")));
  facts.append(`. ${relevant === 0 ? "Nothing is relevant, so the measures are undefined." : `${relevant} relevant.`}`);
  const nodes: Node[] = [h("p", { class: "question-text" }, marked(result.text)), h("p", {}, kit(result.need ?? "")), facts];
  if (result.rankings.every(({ hits }) => hits.length === 0))
    nodes.push(h("p", { class: "empty" }, "No permitted passage shares a word with the query: no method returns anything."));
  nodes.push(...sideBySide(result.rankings, (ranking) => rankingTitle(ranking, numbers), passage));
  if (result.judged !== undefined) nodes.push(judgedList(result.judged, "passages"));
  return nodes;
}

/** A passage's text is short: it stands in sight, with where it stands. */
function passage(hit: HitView): Node[] {
  const nodes: Node[] = [h("p", { class: "passage-text" }, marked(hit.document.text))];
  const { reference } = hit.document;
  if (reference !== undefined)
    nodes.push(
      h(
        "p",
        { class: "quiet reference" },
        kit(reference.source),
        ", ",
        kit(reference.document),
        `, version ${reference.version}, `,
        kit(reference.passage),
      ),
    );
  return hit.judgement === undefined ? nodes : [...nodes, ...hitJudgement(hit)];
}
