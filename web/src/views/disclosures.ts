// Things that open in place: notes at terms, tables behind figures, the list of every number. All of them open for print.
import type { Page } from "../data";
import { h, maybe } from "../dom";
import type { Numbers } from "../numbers";

export function startDisclosures(data: Page, numbers: Numbers): void {
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element ? event.target.closest<HTMLElement>(".term, .twin-toggle") : null;
    if (button !== null) toggle(button);
  });
  addEventListener("beforeprint", () => {
    for (const closed of document.querySelectorAll<HTMLDetailsElement>("main details:not([open], .every)")) {
      closed.open = true;
      closed.dataset["printed"] = "";
    }
  });
  addEventListener("afterprint", () => {
    for (const opened of document.querySelectorAll<HTMLDetailsElement>("details[data-printed]")) {
      opened.open = false;
      delete opened.dataset["printed"];
    }
  });
  const every = maybe("every");
  every?.addEventListener("toggle", () => listEvery(data, numbers), { once: true });
  openTargets();
}

function toggle(button: HTMLElement): void {
  const body = document.getElementById(button.getAttribute("aria-controls") ?? "");
  if (body === null) return;
  const open = !body.classList.contains("open");
  body.classList.toggle("open", open);
  button.setAttribute("aria-expanded", String(open));
  if (button.classList.contains("twin-toggle")) button.textContent = open ? "Hide the table" : "Show the numbers as a table";
}

function listEvery(data: Page, numbers: Numbers): void {
  const rows = Object.keys(data.texts)
    .sort()
    .map((path) => h("div", {}, h("code", {}, path), " ", numbers.element(path)));
  maybe("every-body")?.replaceChildren(h("div", { class: "rows" }, ...rows));
}

// A link to something inside a closed disclosure opens it.
function openTargets(): void {
  const open = (): void => {
    const id = location.hash.slice(1);
    if (id === "" || id.includes("=")) return;
    const target = document.getElementById(id);
    let inside = target?.closest("details") ?? null;
    if (inside === null) return;
    for (; inside !== null; inside = inside.parentElement?.closest("details") ?? null) inside.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
}
