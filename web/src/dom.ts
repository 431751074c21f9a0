// Making elements. Text is always set as text: nothing that comes from a kit can become markup.

export type Child = Node | string | null;

/** An element with attributes ("" sets a flag, null leaves one out) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | null>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** A count with narrow spaces between thousands, as Go writes them. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** An element that the build must have written. */
export function find<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`page: no element "${id}"`);
  return element as T;
}

/** An element that some designs' pages lack. */
export function maybe(id: string): HTMLElement | null {
  return document.getElementById(id);
}

// Controls and formatting characters, which would hide or change the direction of others; line feed and tab may stay.
const invisible = /[\p{Cc}\p{Cf}\u2028\u2029\ufffd]/u;

function code(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Untrusted text with invisible characters written out, for places that hold plain text only. */
export function visible(text: string): string {
  return Array.from(text, (c) => (invisible.test(c) && c !== "\n" && c !== "\t" ? `⟨${code(c)}⟩` : c)).join("");
}

/** Untrusted text as nodes: isolated from the direction of the text around it, invisible characters made visible. */
export function kit(text: string): HTMLElement {
  const isolated = h("bdi");
  fill(isolated, text);
  return isolated;
}

/** Adds untrusted text to an element. */
export function fill(element: HTMLElement, text: string): void {
  let plain = "";
  for (const c of text) {
    if (!invisible.test(c) || c === "\n" || c === "\t") {
      plain += c;
      continue;
    }
    if (plain !== "") element.append(plain);
    plain = "";
    element.append(h("span", { class: "control" }, code(c)));
  }
  if (plain !== "") element.append(plain);
}
