// What the figures share: their data, colours by role, texts for axes, and putting a drawing into the page.
import type { Drawing } from "../designs/module";
import type { KnownItem, KnownItemResults, Page } from "../page.gen";

/** What the figures of a known-item study are drawn from. */
export type ChartData = Drawing<KnownItem, KnownItemResults>;

export const ink = "var(--ink)";
export const soft = "var(--soft)";
export const line = "var(--line)";
export const paper = "var(--paper)";

/** The colour of a method's role. */
export function roleColour(role: string): string {
  return role === "baseline" || role === "graph" || role === "dense" ? `var(--${role})` : "var(--control)";
}

export function roleOf(data: Page, method: string): string {
  return data.methods.find(({ name }) => name === method)?.role ?? "control";
}

export function labelOf(data: Page, method: string): string {
  return data.methods.find(({ name }) => name === method)?.label ?? method;
}

/** A tick of an axis around zero: signed, with a true minus. Ticks are places on a ruler, not results. */
export function signedTick(x: number): string {
  const text = String(Math.abs(Number(x.toPrecision(6))));
  if (x === 0) return "0";
  return (x < 0 ? "−" : "+") + text;
}

/**
 * Puts a drawing in place of the one before. The library's style element goes: the page's policy forbids it, and the
 * page's own style says the same.
 */
export function put(box: HTMLElement, drawing: SVGSVGElement | HTMLElement, finding: string): void {
  for (const style of drawing.querySelectorAll("style")) style.remove();
  // The library names groups by kind of mark, on elements without a role; what a figure says is said once, on the whole.
  for (const group of drawing.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  const links = Array.from(drawing.querySelectorAll<SVGAElement>("a"));
  drawing.setAttribute("role", links.length === 0 ? "img" : "group");
  drawing.setAttribute("aria-label", finding);
  name(links);
  box.replaceChildren(drawing);
  box.style.minHeight = "0";
  if (links.length > 0) rove(links, box.dataset["plot"] ?? "");
}

// A link's name is its title, which stands in a child.
function name(links: readonly SVGAElement[]): void {
  for (const link of links) {
    const title = link.querySelector("title");
    if (title === null) continue;
    link.setAttribute("aria-label", title.textContent ?? "");
    title.remove();
  }
}

// One stop of the tab key for a figure; arrow keys go from mark to mark. The line below says what is pointed at.
function rove(links: readonly SVGAElement[], figure: string): void {
  const readout = document.querySelector<HTMLElement>(`[data-readout="${figure}"]`);
  const say = (link: SVGAElement): void => {
    if (readout !== null) readout.textContent = link.getAttribute("aria-label");
  };
  links.forEach((link, place) => {
    link.setAttribute("tabindex", place === 0 ? "0" : "-1");
    link.addEventListener("pointerenter", () => say(link));
    link.addEventListener("focus", () => say(link));
    link.addEventListener("keydown", (event) => {
      const step =
        event.key === "ArrowRight" || event.key === "ArrowDown" ? 1 : event.key === "ArrowLeft" || event.key === "ArrowUp" ? -1 : 0;
      const next = links[place + step];
      if (step === 0 || next === undefined) return;
      event.preventDefault();
      link.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}

/** The box of a figure, its width, and the sentence that says what it shows. */
export function boxOf(figure: string): { box: HTMLElement; width: number; finding: string } | null {
  const box = document.querySelector<HTMLElement>(`[data-plot="${figure}"]`);
  if (box === null || box.clientWidth < 120) return null; // not laid out, or in a window too small for figures
  const caption = box.closest("figure")?.querySelector("figcaption");
  const finding = Array.from(caption?.children ?? [], (part) => part.textContent?.trim() ?? "").join(" ");
  return { box, width: box.clientWidth, finding };
}
