// A search box with a list below it: type to narrow, arrow keys to move, Enter to choose (the combobox pattern of WAI-ARIA).
import { h } from "../dom";

export interface PickerOptions<T> {
  find(words: readonly string[], list: readonly T[]): readonly T[];
  render(item: T): (Node | string)[];
  choose(item: T): void;
  key(item: T): string;
}

const shownAtMost = 60;

export class Picker<T> {
  private all: readonly T[] = [];
  private found: readonly T[] = [];
  private active = -1;

  constructor(
    private readonly input: HTMLInputElement,
    private readonly list: HTMLElement,
    private readonly options: PickerOptions<T>,
  ) {
    input.addEventListener("input", () => this.narrow());
    input.addEventListener("keydown", (event) => this.press(event));
    input.addEventListener("blur", () => this.close());
    // Before blur closes the list: a press must not move the focus.
    list.addEventListener("mousedown", (event) => event.preventDefault());
    list.addEventListener("click", (event) => {
      const option = event.target instanceof Element ? event.target.closest<HTMLElement>(".option") : null;
      if (option !== null) this.take(Number(option.dataset["place"]));
    });
  }

  /** Sets what can be chosen, and opens the list. */
  offer(all: readonly T[]): void {
    this.all = all;
    if (document.activeElement === this.input) this.narrow();
  }

  private narrow(): void {
    const words = this.input.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    this.found = this.options.find(words, this.all).slice(0, shownAtMost);
    this.active = -1;
    const items = this.found.map((item, place) =>
      h(
        "div",
        { class: "option", role: "option", id: `${this.list.id}-${place}`, "data-place": String(place), "aria-selected": "false" },
        ...this.options.render(item),
      ),
    );
    if (items.length === 0 && this.all.length > 0)
      items.push(
        h("div", { class: "option", role: "option", "aria-disabled": "true", "aria-selected": "false" }, "Nothing has all of these words."),
      );
    this.list.replaceChildren(...items);
    this.list.scrollTop = 0;
    this.input.setAttribute("aria-expanded", String(items.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  private press(event: KeyboardEvent): void {
    const last = this.found.length - 1;
    switch (event.key) {
      case "ArrowDown":
        this.move(Math.min(this.active + 1, last));
        break;
      case "ArrowUp":
        this.move(Math.max(this.active - 1, 0));
        break;
      case "Enter":
        this.take(Math.max(this.active, 0));
        break;
      case "Escape":
        if (this.list.childElementCount === 0) return;
        this.close();
        event.stopPropagation();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  private move(to: number): void {
    if (this.list.childElementCount === 0) this.narrow();
    this.list.children[this.active]?.setAttribute("aria-selected", "false");
    const option = this.list.children[to];
    if (option === undefined) return;
    this.active = to;
    option.setAttribute("aria-selected", "true");
    option.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", option.id);
  }

  private take(place: number): void {
    const item = this.found[place];
    if (item === undefined) return;
    this.close();
    this.options.choose(item);
  }

  private close(): void {
    this.list.replaceChildren();
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }
}
