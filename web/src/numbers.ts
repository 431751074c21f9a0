// The state of every number: published, reproduced here, or different.
import { explainHref } from "./address";
import { h } from "./dom";
import type { OutcomeResult } from "./engine/protocol.gen";

/** The texts of the numbers that the build wrote into the page, by path. */
export function writtenTexts(): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const element of document.querySelectorAll<HTMLElement>("main .num[data-path]"))
    texts[element.dataset["path"] ?? ""] = element.textContent ?? "";
  return texts;
}

export type NumberState = "published" | "reproduced" | "differs";

export class Numbers {
  private here: ReadonlyMap<string, string> | null = null;
  private differing: ReadonlySet<string> = new Set();

  constructor(
    /** Published texts by path. */
    readonly published: Readonly<Record<string, string>>,
    /** Name of the data attribute with a number's path: an archive's numbers can have the paths of the page's own. */
    private readonly key: "path" | "archived" = "path",
  ) {}

  /** Takes in a replay's outcome; null forgets the one before. */
  update(outcome: OutcomeResult | null): void {
    this.here = outcome === null ? null : new Map(outcome.numbers.map(({ path, text }) => [path, text]));
    this.differing = new Set(outcome?.differences.map(({ path }) => path));
    this.refresh(document);
  }

  /** Shows the state of every number in a part of the page. */
  refresh(part: ParentNode): void {
    for (const element of part.querySelectorAll<HTMLElement>(`.num[data-${this.key}]`)) this.show(element);
  }

  state(path: string): NumberState {
    if (this.differing.has(path)) return "differs";
    return this.here?.has(path) === true ? "reproduced" : "published";
  }

  /** What to show for a path: the text of this browser's value where it has one. */
  text(path: string): string {
    return this.here?.get(path) ?? this.published[path] ?? "";
  }

  /** An element like those that the build writes. */
  element(path: string): HTMLElement {
    const element = h("a", { class: "num", href: explainHref(path), [`data-${this.key}`]: path });
    this.show(element);
    return element;
  }

  /** A number inside a link of its own: the text and the mark alone. */
  plain(path: string): HTMLElement {
    const element = h("span", { class: "num", [`data-${this.key}`]: path });
    this.show(element);
    return element;
  }

  private show(element: HTMLElement): void {
    const path = element.dataset[this.key] ?? "";
    const state = this.state(path);
    element.dataset["state"] = state;
    element.setAttribute("aria-describedby", `state-${state}`);
    const text = this.text(path);
    if (state !== "differs") {
      if (element.textContent !== text) element.textContent = text;
      return;
    }
    // Both values, never one hidden behind the other. Where the texts agree, the difference is below what they show.
    const published = this.published[path] ?? "nothing";
    const was = h("span", { class: "was" }, published === text ? " (differs below the last digit shown)" : ` (published ${published})`);
    element.replaceChildren(text === "" ? "none" : text, was);
  }
}
