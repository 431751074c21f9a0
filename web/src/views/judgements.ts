// What judges said of documents, and the measures of a ranking: shared by tasks and needs.
import { explainHref } from "../address";
import { h, kit } from "../dom";
import type { HitView, JudgementView, JudgedView, MeasureView, RankingView } from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import { marked, titled } from "./pieces";

/** A ranking's method, its measures, and how many documents it ranks. */
export function rankingTitle(ranking: RankingView, numbers: Numbers): HTMLElement {
  const measures = (ranking.measures ?? []).map((measure) => h("span", { class: "measure" }, measure.name, " ", value(measure, numbers)));
  return h(
    "div",
    { class: "ranking-title" },
    h("span", { class: "method", "data-role": ranking.role }, kit(ranking.label)),
    h("span", { class: "ranking-rank" }, ...measures, h("span", { class: "measure" }, `${ranking.candidates} ranked`)),
  );
}

function value({ text, path }: MeasureView, numbers: Numbers): Node {
  if (path === "") return h("span", { class: "none" }, text);
  return path in numbers.published ? numbers.element(path) : h("a", { href: explainHref(path) }, text);
}

/** A judgement in a word, which leads to its explanation; grades with their reasons below. */
export function judgement(view: JudgementView): HTMLElement {
  const word =
    view.path === ""
      ? h("span", {}, view.text)
      : h("a", { href: explainHref(view.path) }, view.grades.length > 1 ? `grades ${view.text}` : view.text);
  const box = h("div", { class: "judgement", "data-useful": String(view.useful) }, h("span", { class: "judgement-word" }, word));
  if (view.agreed.length > 0) box.append(h("span", { class: "quiet" }, ` helps obligation ${view.agreed.join(", ")}, both say`));
  return box;
}

function reasons({ grades }: JudgementView): HTMLElement[] {
  return grades
    .filter(({ reason }) => reason !== "")
    .map(({ judge, grade, obligations, reason, where }) =>
      h(
        "p",
        { class: "quiet" },
        kit(judge),
        `: ${grade}${obligations.length > 0 ? `, helps obligation ${obligations.join(", ")}` : ""}. `,
        kit(reason),
        " ",
        h("span", { class: "where" }, where),
      ),
    );
}

/** What a hit shows beside its score. */
export function hitJudgement({ judgement: view }: HitView): Node[] {
  if (view == null) return [h("p", { class: "quiet" }, "not judged")];
  const said = reasons(view);
  return [judgement(view), ...(said.length > 0 ? [h("details", {}, h("summary", {}, "reasons"), ...said)] : [])];
}

/** Everything that was judged for a question, best first. */
export function judgedList(judged: readonly JudgedView[], noun: string): HTMLElement {
  const sum = ({ judgement: { grades } }: JudgedView): number => grades.reduce((total, { grade }) => total + grade, 0);
  const sorted = [...judged].sort((a, b) => sum(b) - sum(a));
  const items = sorted.map(({ document, judgement: view }) =>
    h(
      "li",
      {},
      h("strong", {}, titled(document)),
      " ",
      judgement(view),
      h("p", { class: "definition" }, marked(document.text)),
      ...reasons(view),
    ),
  );
  return h("details", { class: "judged" }, h("summary", {}, `All ${judged.length} judged ${noun}`), h("ol", {}, ...items));
}
