// How a number came about: one node of the engine's explanation at a time, its inputs lead on.
import { closeExplanation, explainHref, openExplanation, place, trail } from "../address";
import { find, h, kit } from "../dom";
import type { ExplainResult, Input } from "../engine/protocol.gen";
import { type Subject, subject } from "../subject";
import { failure } from "./failure";

let started = false;

/** Fills the element "drawer"; once, whoever needs it first. */
export function startDrawer(): void {
  if (started) return;
  started = true;
  const drawer = find("drawer");
  const titles = new Map<string, string>();
  let opener: Element | null = null;
  let asked = 0;

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !drawer.hidden) closeExplanation();
  });

  async function open(path: string): Promise<void> {
    if (subject.value === null) return;
    const { session, numbers } = subject.value;
    const mine = ++asked;
    if (drawer.hidden) opener = document.activeElement;
    drawer.hidden = false;
    document.body.classList.add("explaining");
    drawer.setAttribute("aria-busy", "true");
    const slow = setTimeout(() => {
      if (mine === asked)
        show(
          [h("p", { class: "empty" }, session.waits ? "Loading the vectors, which most explanations need …" : "Working it out …")],
          path,
        );
    }, 250);
    try {
      const node = await session.ask("explain", { study: session.study, path });
      if (mine !== asked) return;
      titles.set(path, node.title);
      show(explanation(node, numbers), path);
    } catch (error) {
      if (mine === asked) show([failure(error)], path);
    } finally {
      clearTimeout(slow);
      if (mine === asked) drawer.removeAttribute("aria-busy");
    }
  }

  function show(body: readonly Node[], path: string): void {
    const close = h("button", { type: "button", class: "drawer-close" }, "Close");
    close.addEventListener("click", closeExplanation);
    const heading = h("h2", { id: "drawer-title", tabindex: "-1" }, kit(titles.get(path) ?? path));
    drawer.replaceChildren(h("div", { class: "drawer-head" }, crumbs(), close), heading, ...body);
    drawer.scrollTop = 0;
    heading.focus({ preventScroll: true });
  }

  function crumbs(): HTMLElement {
    const list = h("ol", { class: "crumbs", "aria-label": "How you came here" });
    const steps = trail();
    steps.slice(0, -1).forEach((path, i) => {
      const button = h("button", { type: "button", class: "crumb" }, kit(titles.get(path) ?? path));
      button.addEventListener("click", () => openExplanation(path, steps.slice(0, i)));
      list.append(h("li", {}, button));
    });
    return list;
  }

  function close(): void {
    asked++;
    if (drawer.hidden) return;
    drawer.hidden = true;
    document.body.classList.remove("explaining");
    drawer.replaceChildren();
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus({ preventScroll: true });
    opener = null;
  }

  let shown: string | null = null;
  place.follow(({ explain }) => {
    for (const marked of document.querySelectorAll(".num[aria-current]")) marked.removeAttribute("aria-current");
    if (explain !== null) {
      const numbersOfPath = document.querySelectorAll<HTMLElement>(`main .num[data-path="${CSS.escape(explain)}"]`);
      numbersOfPath.forEach((number) => number.setAttribute("aria-current", "true"));
      // Opened from outside the page's text, by a shared address: bring the number into sight.
      if (shown === null && document.activeElement === document.body) bringIntoSight(numbersOfPath);
    }
    if (explain === shown) return;
    shown = explain;
    if (explain === null) close();
    else void open(explain);
  });
}

function bringIntoSight(elements: NodeListOf<HTMLElement>): void {
  const visible = Array.from(elements).find((element) => element.getClientRects().length > 0);
  visible?.scrollIntoView({ block: "center" });
}

function explanation(node: ExplainResult, numbers: Subject["numbers"]): Node[] {
  const nodes: Node[] = [];
  if (node.path in numbers.published) {
    const value = numbers.element(node.path);
    nodes.push(h("p", { class: "drawer-value" }, value));
  } else if (node.text !== "") nodes.push(h("p", { class: "drawer-value" }, kit(node.text)));
  if (node.value !== null) nodes.push(h("p", { class: "drawer-exact" }, `unrounded: ${node.value}`));
  nodes.push(h("p", {}, kit(node.sentence)));
  if (node.formula !== "") nodes.push(h("h3", {}, "Formula"), h("p", { class: "formula" }, kit(node.formula)));
  if (node.inputs.length > 0)
    nodes.push(h("h3", {}, "From"), h("ul", { class: "inputs" }, ...node.inputs.map((given) => input(given, numbers))));
  if (node.more > 0) nodes.push(h("p", { class: "quiet" }, `and ${node.more} more`));
  if (node.citation !== "") nodes.push(h("h3", {}, "Described in"), h("p", {}, kit(node.citation)));
  if (node.source.function !== "") {
    nodes.push(
      h("h3", {}, "Computed by"),
      h("p", {}, h("code", {}, node.source.function), h("br"), h("code", { class: "quiet" }, `${node.source.file}:${node.source.line}`)),
    );
  }
  nodes.push(h("p", { class: "quiet" }, "Path: ", h("code", {}, kit(node.path))));
  return nodes;
}

function input({ label, text, path, where }: Input, numbers: Subject["numbers"]): HTMLElement {
  const value = h("span", { class: "value" }, path in numbers.published ? numbers.plain(path) : kit(text));
  const parts = [h("span", {}, kit(label)), value, where === "" ? null : h("span", { class: "where" }, kit(where))];
  const long = text.length > 32 ? " long" : "";
  if (path === "") return h("li", {}, h("span", { class: `given${long}` }, ...parts));
  return h("li", {}, h("a", { class: `leads${long}`, href: explainHref(path) }, ...parts));
}
