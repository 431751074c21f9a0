// The page's state in its address, so that a question or an explanation can be linked to: #question=…&explain=….
// Other fragments are sections, which the browser goes to by itself.
import { Store } from "./store";

export interface Place {
  readonly question: string | null;
  readonly explain: string | null;
}

interface Held {
  /** Explanations that led to the open one, which is the last. */
  readonly trail?: readonly string[];
}

function parse(hash: string): Place {
  const text = hash.replace(/^#/, "");
  if (!text.includes("=")) return { question: null, explain: null };
  const parameters = new URLSearchParams(text);
  return { question: parameters.get("question"), explain: parameters.get("explain") };
}

function format(place: Place): string {
  const parameters = new URLSearchParams();
  if (place.question !== null) parameters.set("question", place.question);
  if (place.explain !== null) parameters.set("explain", place.explain);
  const text = parameters.toString();
  return text === "" ? location.pathname + location.search : `#${text}`;
}

/** Where the page is. */
export const place = new Store<Place>(parse(location.hash));

/** The explanations that led to the open one. */
export function trail(): readonly string[] {
  const held = (history.state as Held | null)?.trail;
  const { explain } = place.value;
  if (explain === null) return [];
  return held !== undefined && held[held.length - 1] === explain ? held : [explain];
}

function go(next: Place, state: Held): void {
  history.pushState(state, "", format(next));
  place.set(next);
}

/** Opens an explanation; path's own trail starts afresh unless it was reached from another explanation. */
export function openExplanation(path: string, before: readonly string[] = []): void {
  go({ ...place.value, explain: path }, { trail: [...before, path] });
}

export function closeExplanation(): void {
  if (place.value.explain !== null) go({ ...place.value, explain: null }, {});
}

export function openQuestion(question: string): void {
  if (place.value.question !== question) go({ ...place.value, question }, (history.state as Held | null) ?? {});
}

/** Follows links to explanations and questions, and the browser's back and forward. */
export function followLinks(): void {
  addEventListener("popstate", () => place.set(parse(location.hash)));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href") ?? link?.getAttribute("xlink:href") ?? "";
    if (!href.startsWith("#")) return;
    const { question, explain } = parse(href);
    if (question === null && explain === null) return;
    event.preventDefault();
    if (explain !== null) openExplanation(explain, link?.closest("#drawer") === null ? [] : trail());
    else if (question !== null) openQuestion(question);
  });
}

/** The address of an explanation, as the build writes it into links. */
export function explainHref(path: string): string {
  return `#${new URLSearchParams({ explain: path }).toString()}`;
}

export function questionHref(question: string): string {
  return `#${new URLSearchParams({ question }).toString()}`;
}
