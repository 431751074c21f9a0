// Rankings of one question, side by side.
import { h, visible } from "../dom";
import type { HitView, RankingView } from "../engine/protocol.gen";
import { joinLines } from "./lines";
import { hits } from "./pieces";

/** Rankings beside each other, the same document joined by a line; on narrow screens one at a time. */
export function sideBySide(
  rankings: readonly RankingView[],
  heading: (ranking: RankingView) => HTMLElement,
  more?: (hit: HitView) => readonly Node[],
): Node[] {
  const grid = h("div", { class: "rankings", "data-shown": "0" });
  const buttons: HTMLElement[] = [];
  rankings.forEach((ranking, i) => {
    grid.append(h("section", { class: "ranking", "aria-label": ranking.label }, heading(ranking), hits(ranking, more)));
    const button = h("button", { type: "button", "aria-pressed": String(i === 0) }, visible(ranking.label));
    button.addEventListener("click", () => {
      grid.dataset["shown"] = String(i);
      buttons.forEach((other, j) => other.setAttribute("aria-pressed", String(i === j)));
    });
    buttons.push(button);
  });
  joinLines(grid);
  return [h("div", { class: "switch", role: "group", "aria-label": "Method" }, ...buttons), grid];
}
