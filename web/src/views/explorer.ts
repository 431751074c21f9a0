// Choosing one question of a study and showing it: the search box, the address, and the states in between.
import { openQuestion, place } from "../address";
import { find, h, kit, maybe } from "../dom";
import type { QuestionResult, QuestionSummary } from "../engine/protocol.gen";
import type { Session } from "../session";
import { failure } from "./failure";
import { Picker } from "./picker";

export interface ExplorerOptions {
  /** Side by side. */
  readonly methods: readonly string[];
  /** Documents of each method. */
  readonly k: number;
  /** The line below a question's text in the list. */
  describe(question: QuestionSummary): string;
  show(result: QuestionResult): Node[];
  /** Said while a question is being scored. */
  readonly busy: string;
}

export function startExplorer(session: Session, options: ExplorerOptions): void {
  if (maybe("explorer") === null) return;
  const view = find("question-view");
  const input = find<HTMLInputElement>("question-search");
  const picker = new Picker<QuestionSummary>(input, find("question-list"), {
    find: (words, list) =>
      list.filter((question) => {
        const haystack = `${question.text} ${question.family} ${options.describe(question)}`.toLowerCase();
        return words.every((word) => haystack.includes(word));
      }),
    render: (question) => [kit(question.text), h("span", { class: "meta" }, options.describe(question))],
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
    if (view.querySelector(".empty, .failure") !== null) view.replaceChildren(h("p", { class: "empty" }, options.busy));
    session
      .ask("question", { study: session.study, question, methods: [...options.methods], k: options.k })
      .then(
        (result) => {
          if (mine === asked) view.replaceChildren(...options.show(result));
        },
        (error: unknown) => {
          if (mine !== asked) return;
          shown = null;
          view.replaceChildren(failure(error));
        },
      )
      .finally(() => {
        if (mine === asked) view.removeAttribute("aria-busy");
      });
  });
}
