// What the build put into the page: frozen results, their texts, and what figures draw. The build writes it with the types
// that these are generated from.
import type { Page } from "./page.gen";

export type { Page } from "./page.gen";

/** Null on pages that show no study. */
export function readData(): Page | null {
  const text = document.getElementById("data")?.textContent;
  return text == null ? null : (JSON.parse(text) as Page);
}
