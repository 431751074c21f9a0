// A question of the reader's own.
import { find, h, kit, maybe } from "../dom";
import type { MethodInfo, SearchResult } from "../engine/protocol.gen";
import type { Session } from "../session";
import { failure } from "./failure";
import { hits, marked } from "./pieces";

export function startAsk(session: Session, methods: readonly MethodInfo[]): void {
  if (maybe("ask-form") === null) return;
  const form = find<HTMLFormElement>("ask-form");
  const text = find<HTMLInputElement>("ask-text");
  const select = find<HTMLSelectElement>("ask-method");
  const out = find("ask-result");
  for (const { name, label, role, needsVectors } of methods) {
    if (role === "control" || needsVectors) continue;
    select.append(h("option", { value: name }, label));
  }
  let asked = 0;
  const search = async (): Promise<void> => {
    const query = text.value.trim();
    if (query === "") return;
    const mine = ++asked;
    out.setAttribute("aria-busy", "true");
    try {
      const result = await session.ask("search", { study: session.study, query, method: select.value, k: 10, explain: true });
      if (mine === asked) out.replaceChildren(...show(result, methods.find(({ name }) => name === select.value)?.role ?? ""));
    } catch (error) {
      if (mine === asked) out.replaceChildren(failure(error));
    } finally {
      if (mine === asked) out.removeAttribute("aria-busy");
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void search();
  });
  select.addEventListener("change", () => void search());
}

function show(result: SearchResult, role: string): Node[] {
  const { ranking, query, unknown, term } = result;
  const head = h(
    "p",
    { class: "question-facts" },
    "“",
    marked(query),
    "” by ",
    h("code", {}, kit(term)),
    `: ${ranking.candidates} documents have a rank.`,
  );
  if (unknown.length > 0) head.append(" No document has: ", kit(unknown.join(", ")), ".");
  if (ranking.hits.length === 0) return [head, h("p", { class: "empty" }, "No document shares a word with the question. Try other words.")];
  return [head, hits({ ...ranking, role })];
}
