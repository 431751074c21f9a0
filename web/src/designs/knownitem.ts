// Known-item studies: one question under two methods, chosen from a list, shown side by side.
import { explainHref, questionHref } from "../address";
import { h, kit, visible } from "../dom";
import type { MethodInfo, QuestionResult, RankingView } from "../engine/protocol.gen";
import type { KnownItem, KnownItemResults } from "../page.gen";
import { startAsk } from "../views/ask";
import { startExplorer } from "../views/explorer";
import { marked } from "../views/pieces";
import { sideBySide } from "../views/sidebyside";
import type { Context, DesignModule } from "./module";

export const knownItem: DesignModule<KnownItem, KnownItemResults> = {
  start(context, view) {
    startQuestions(context, view);
    startAsk(context.session, context.data.methods);
  },
  figures: async () => (await import("../charts/knownitem")).drawKnownItem,
};

function startQuestions({ data, session }: Context, known: KnownItem): void {
  startExplorer(session, {
    methods: [known.baseline, known.graph],
    k: 10,
    describe: ({ id, target, kind, split }) =>
      `${visible(id)} · ${visible(target)} · ${visible(kind)} · ${split === "dev" ? "development" : "test"}`,
    show: (result) => show(result, data.methods),
    busy: "Scoring the question …",
  });
}

function show(result: QuestionResult, methods: readonly MethodInfo[]): Node[] {
  const nodes: Node[] = [h("p", { class: "question-text" }, marked(result.text))];
  const facts = h(
    "p",
    { class: "question-facts" },
    "Question ",
    kit(result.question),
    `, ${result.split === "dev" ? "development" : "test"} family `,
    kit(result.family),
    ", ",
    kit(result.kind),
    ". ",
  );
  facts.append(h("mark", {}, "Marked"), " words are known to the collection");
  if (result.unknown.length > 0) facts.append("; unknown: ", kit(result.unknown.join(", ")));
  facts.append(". Bars are the parts that a score is the sum of.");
  if (result.siblings.length > 0) {
    facts.append(" Same target: ");
    result.siblings.forEach((id, i) => facts.append(i > 0 ? ", " : "", h("a", { href: questionHref(id) }, kit(id))));
    facts.append(".");
  }
  nodes.push(facts);
  if (result.target !== null) {
    nodes.push(
      h(
        "div",
        { class: "target-card" },
        h("p", {}, h("strong", {}, marked(result.target.title)), " ", h("span", { class: "tag" }, "target")),
        h("p", {}, marked(result.target.text)),
        h("p", { class: "quiet" }, kit(result.target.where)),
      ),
    );
  }
  nodes.push(...sideBySide(result.rankings, (ranking) => title(ranking, methods)));
  return nodes;
}

function title(ranking: RankingView, methods: readonly MethodInfo[]): HTMLElement {
  const term = methods.find(({ name }) => name === ranking.method)?.term ?? ranking.method;
  const rank = ranking.rank === null ? "not in the ranking" : `at place ${ranking.rank}`;
  return h(
    "p",
    { class: "ranking-title" },
    h("span", { class: "method", "data-role": ranking.role, title: term }, kit(ranking.label)),
    h(
      "span",
      { class: "ranking-rank" },
      "target ",
      ranking.rankPath === "" ? rank : h("a", { href: explainHref(ranking.rankPath) }, rank),
      `, of ${ranking.candidates} ranked`,
    ),
  );
}
