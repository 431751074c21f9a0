// Graded studies: one task with its need and obligations, both methods' first documents with grades and paths, both answers.
import { explainHref } from "../address";
import { h, kit, visible } from "../dom";
import type {
  AnswerGradeView,
  AnswerView,
  HitView,
  MethodInfo,
  PathView,
  QuestionResult,
  StepView,
  TaskView,
} from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import type { Graded, GradedResults } from "../page.gen";
import { startExplorer } from "../views/explorer";
import { hitJudgement, judgedList, rankingTitle } from "../views/judgements";
import { marked } from "../views/pieces";
import { sideBySide } from "../views/sidebyside";
import type { Context, DesignModule } from "./module";

export const graded: DesignModule<Graded, GradedResults> = {
  start: startTasks,
  figures: async () => (await import("../charts/graded")).drawGraded,
};

function startTasks({ data, session, numbers }: Context, view: Graded): void {
  const options = {
    methods: [view.baseline, view.typed],
    k: view.top,
    describe: ({ id, family, kind, split }: { id: string; family: string; kind: string; split: string }) =>
      [id, view.tasks[id] ?? "", family, kind, split]
        .filter((part) => part !== "")
        .map(visible)
        .join(" · "),
    show: (result: QuestionResult) => show(result, data.methods, numbers),
    busy: "Loading the vectors, if they aren’t there yet, and scoring the task …",
  };
  startExplorer(session, options);
}

function show(result: QuestionResult, methods: readonly MethodInfo[], numbers: Numbers): Node[] {
  const { task } = result;
  const nodes: Node[] = [h("p", { class: "question-text" }, marked(result.text))];
  const facts = h("p", { class: "question-facts" }, "Task ", kit(result.question), `, ${result.split}`);
  if (task !== undefined) facts.append(", ", kit(task.domain), ", ", kit(task.origin));
  facts.append(", ", kit(result.kind), ". ", h("mark", {}, "Marked"), " words are known to the collection.");
  nodes.push(facts);
  if (task !== undefined) nodes.push(card(task));
  nodes.push(
    ...sideBySide(
      result.rankings,
      (ranking) => rankingTitle(ranking, numbers),
      (hit) => [...hitJudgement(hit), ...paths(hit)],
    ),
  );
  if (task !== undefined) {
    nodes.push(
      h(
        "p",
        { class: "quiet" },
        "A path suggests where to look; it asserts nothing. ",
        task.reserved.length > 0 ? `Reserved kinds, which no relation uses: ${task.reserved.map(visible).join(", ")}.` : "",
      ),
    );
    if (result.judged !== undefined && result.judged.length > 0) nodes.push(judgedList(result.judged, "definitions"));
    nodes.push(...answers(task, methods, numbers));
  }
  return nodes;
}

function card(task: TaskView): HTMLElement {
  const box = h("div", { class: "target-card" }, h("p", {}, h("strong", {}, "Asked by: "), kit(task.role)));
  box.append(
    h("p", {}, h("strong", {}, "A good answer")),
    h("ol", {}, ...task.obligations.map((obligation) => h("li", {}, kit(obligation)))),
  );
  if (task.conditions.length > 0) box.append(h("p", {}, h("strong", {}, "Conditions: "), kit(task.conditions.join("; ")), "."));
  if (task.undefined)
    box.append(h("p", { class: "caution" }, "Nothing that was judged for this task has a grade above 0: nDCG is undefined, not zero."));
  return box;
}

function paths({ paths: list }: HitView): Node[] {
  if (list === undefined || list.length === 0) return [];
  const items = list.map((path) =>
    h(
      "li",
      {},
      route(path),
      ...path.steps.map(evidence),
      h("p", { class: "quiet" }, `delivers ${path.mass}, of ${path.share} that start at the seed`),
    ),
  );
  return [
    h(
      "details",
      { class: "paths" },
      h("summary", {}, list.length === 1 ? "one path leads here" : `${list.length} paths lead here`),
      h("ul", {}, ...items),
    ),
  ];
}

function route({ seed, path, steps }: PathView): HTMLElement {
  const line = h("p", { class: "route" }, path === "" ? kit(seed) : h("a", { href: explainHref(path) }, kit(seed)));
  for (const step of steps) {
    const arrow = step.backward ? " ← " : " → ";
    line.append(
      arrow,
      h("span", { class: "predicate" }, kit(step.predicate)),
      step.cued ? h("span", { class: "tag" }, "asked for") : "",
      arrow,
      h("strong", {}, kit(step.to)),
    );
  }
  return line;
}

function evidence({ evidence: words, source, facet, modality, qualification, where }: StepView): HTMLElement {
  const box = h(
    "p",
    { class: "evidence" },
    "“",
    kit(words),
    "” ",
    h("span", { class: "quiet" }, "in ", kit(source), "; ", kit([facet, modality].filter((part) => part !== "").join(", "))),
  );
  if (qualification !== "") box.append(h("span", { class: "quiet" }, "; only: ", kit(qualification)));
  box.append(" ", h("span", { class: "where" }, kit(where)));
  return box;
}

function answers(task: TaskView, methods: readonly MethodInfo[], numbers: Numbers): Node[] {
  if (task.answers.length === 0) return [h("p", { class: "quiet" }, "Development tasks went to no reader.")];
  return [
    h("p", { class: "answers-title" }, h("strong", {}, "What the readers answered")),
    h("div", { class: "answers" }, ...task.answers.map((answer) => one(answer, methods, numbers))),
  ];
}

function one(answer: AnswerView, methods: readonly MethodInfo[], numbers: Numbers): HTMLElement {
  const method = methods.find(({ name }) => name === answer.method);
  const box = h(
    "article",
    { class: "answer" },
    h(
      "p",
      { class: "ranking-title" },
      "Reader ",
      kit(answer.reader),
      ", documents from ",
      h("span", { class: "method", "data-role": method?.role ?? "" }, kit(method?.label ?? answer.method)),
      h("span", { class: "ranking-rank" }, "score ", numbers.element(answer.path)),
    ),
    h("p", { class: "answer-text" }, kit(answer.text)),
    h(
      "p",
      { class: "quiet" },
      answer.cited.length > 0
        ? `Cites ${answer.cited.map((label) => `[${label}] ${visible(answer.supplied[label - 1] ?? "")}`).join(", ")}.`
        : "Cites nothing.",
      answer.insufficient.length > 0 ? ` Said that the documents don’t suffice for obligation ${answer.insufficient.join(", ")}.` : "",
    ),
  );
  box.append(...answer.grades.map(grade));
  return box;
}

function grade({
  grader,
  obligations,
  role,
  evidence: support,
  unsupported,
  falseCitation,
  composite,
  reason,
  where,
}: AnswerGradeView): HTMLElement {
  const flags = [unsupported ? "unsupported claims" : "", falseCitation ? "false citation" : ""].filter((flag) => flag !== "");
  const flagged = flags.length > 0 ? `; flagged: ${flags.join(", ")}` : "";
  return h(
    "p",
    { class: "quiet" },
    "Grader ",
    kit(grader),
    `: ${composite} (obligations ${obligations.join(", ")}; role ${role}; evidence ${support}${flagged}). `,
    kit(reason),
    " ",
    h("span", { class: "where" }, kit(where)),
  );
}
