// One question under two methods: chosen from a list, shown side by side.
import { explainHref, openQuestion, place, questionHref } from "../address";
import type { Known } from "../data";
import { find, h, kit, maybe, visible } from "../dom";
import type { MethodInfo, QuestionResult, QuestionSummary, RankingView } from "../engine/protocol.gen";
import type { Session } from "../session";
import { failure } from "./failure";
import { joinLines } from "./lines";
import { hits, marked } from "./pieces";
import { Picker } from "./picker";

export function startQuestions(session: Session, known: Known, methods: readonly MethodInfo[]): void {
  if (maybe("explorer") === null) return;
  const view = find("question-view");
  const input = find<HTMLInputElement>("question-search");
  const picker = new Picker<QuestionSummary>(input, find("question-list"), {
    find: (words, list) => list.filter((question) => words.every((word) => haystack(question).includes(word))),
    render: (question) => [kit(question.text), h("span", { class: "meta" }, `${visible(question.id)} · ${visible(question.target)} · ${question.split === "dev" ? "development" : "test"}`)],
    choose: ({ id }) => openQuestion(id),
    key: ({ id }) => id,
  });
  let list: Promise<readonly QuestionSummary[]> | undefined;
  const questions = (): Promise<readonly QuestionSummary[]> =>
    (list ??= session.ask("questions", { study: session.study }).then(({ questions: all }) => all));
  input.addEventListener("focus", () => {
    questions().then(
      (all) => picker.offer(all),
      (error: unknown) => {
        list = undefined;
        view.replaceChildren(failure(error));
      },
    );
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.key !== "/" || typing || event.metaKey || event.ctrlKey || event.altKey) return;
    event.preventDefault();
    input.scrollIntoView({ block: "center" });
    input.focus();
  });

  let shown: string | null = null;
  let asked = 0;
  place.follow(({ question }) => {
    if (question === null || question === shown) return;
    shown = question;
    const mine = ++asked;
    const box = find("explorer").getBoundingClientRect();
    if (box.bottom < 100 || box.top > innerHeight - 200) find("questions").scrollIntoView();
    view.setAttribute("aria-busy", "true");
    if (view.querySelector(".empty") !== null) view.replaceChildren(h("p", { class: "empty" }, "Scoring the question …"));
    session
      .ask("question", { study: session.study, question, methods: [known.baseline, known.graph], k: 10 })
      .then(
        (result) => {
          if (mine === asked) view.replaceChildren(...show(result, methods));
        },
        (error: unknown) => {
          if (mine !== asked) return;
          shown = null;
          view.replaceChildren(failure(error));
        },
      )
      .finally(() => view.removeAttribute("aria-busy"));
  });
}

function haystack({ id, text, family, kind, split, target }: QuestionSummary): string {
  return `${id} ${text} ${family} ${kind} ${split} ${target}`.toLowerCase();
}

function show(result: QuestionResult, methods: readonly MethodInfo[]): Node[] {
  const nodes: Node[] = [h("p", { class: "question-text" }, marked(result.text))];
  const facts = h("p", { class: "question-facts" }, "Question ", kit(result.question), `, ${result.split === "dev" ? "development" : "test"} family `, kit(result.family), ", ", kit(result.kind), ". ");
  facts.append(h("mark", {}, "Marked"), " words are known to the collection");
  if (result.unknown.length > 0) facts.append("; unknown: ", kit(result.unknown.join(", ")));
  facts.append(".");
  if (result.siblings.length > 0) {
    facts.append(" Same target: ");
    result.siblings.forEach((id, i) => facts.append(i > 0 ? ", " : "", h("a", { href: questionHref(id) }, kit(id))));
    facts.append(".");
  }
  nodes.push(facts);
  if (result.target !== null) {
    nodes.push(
      h("div", { class: "target-card" }, h("p", {}, h("strong", {}, marked(result.target.title)), " ", h("span", { class: "tag" }, "target")), h("p", {}, marked(result.target.text)), h("p", { class: "quiet" }, kit(result.target.where))),
    );
  }
  nodes.push(...sideBySide(result.rankings, methods));
  return nodes;
}

function sideBySide(rankings: readonly RankingView[], methods: readonly MethodInfo[]): Node[] {
  const grid = h("div", { class: "rankings", "data-shown": "0" });
  const buttons: HTMLElement[] = [];
  rankings.forEach((ranking, i) => {
    grid.append(h("section", { class: "ranking", "aria-label": ranking.label }, title(ranking, methods), hits(ranking)));
    const button = h("button", { type: "button", "aria-pressed": String(i === 0) }, visible(ranking.label));
    button.addEventListener("click", () => {
      grid.dataset["shown"] = String(i);
      buttons.forEach((other, j) => other.setAttribute("aria-pressed", String(i === j)));
    });
    buttons.push(button);
  });
  joinLines(grid);
  return [h("div", { class: "switch", role: "group", "aria-label": "Method" }, ...buttons), grid];
}

function title(ranking: RankingView, methods: readonly MethodInfo[]): HTMLElement {
  const term = methods.find(({ name }) => name === ranking.method)?.term ?? ranking.method;
  const rank = ranking.rank === null ? "not in the ranking" : `at place ${ranking.rank}`;
  return h(
    "p",
    { class: "ranking-title" },
    h("span", { class: "method", "data-role": ranking.role, title: term }, kit(ranking.label)),
    h("span", { class: "ranking-rank" }, "target ", ranking.rankPath === "" ? rank : h("a", { href: explainHref(ranking.rankPath) }, rank), `, of ${ranking.candidates} ranked`),
  );
}
