// Text with matched terms marked, and documents as a ranking lists them.
import { explainHref } from "../address";
import { h, kit } from "../dom";
import type { DocumentView, HitView, Piece, RankingView } from "../engine/protocol.gen";

/** Text with its matched terms marked. */
export function marked(pieces: readonly Piece[]): HTMLElement {
  const text = h("bdi");
  for (const piece of pieces) text.append(piece.term === "" ? kit(piece.text) : h("mark", {}, kit(piece.text)));
  return text;
}

/** The documents of a ranking, best first, each with what its score is made of; more can be added to each. */
export function hits(ranking: RankingView, more?: (hit: HitView) => readonly Node[]): HTMLElement {
  return h(
    "ol",
    { class: more === undefined ? "hits" : "hits judged-hits" },
    ...ranking.hits.map((hit) => hitItem(hit, ranking.role, more?.(hit) ?? [])),
  );
}

/** A document's title; passages have none, and go by their ID. */
export function titled({ title, id }: DocumentView): HTMLElement {
  return title.length === 0 ? kit(id) : marked(title);
}

function hitItem(hit: HitView, role: string, more: readonly Node[]): HTMLElement {
  const score = h("a", { class: "hit-score", href: explainHref(hit.path), title: "score; press to see how it came about" }, hit.text);
  const head = h(
    "div",
    { class: "hit-head" },
    h("span", { class: "hit-rank" }, String(hit.rank)),
    h("strong", {}, titled(hit.document)),
    score,
  );
  const item = h("li", { class: hit.target ? "hit is-target" : "hit", "data-document": hit.document.id }, head);
  if (hit.target) head.children[1]?.append(" ", h("span", { class: "tag" }, "target"));
  if (hit.contributions.length > 0) item.append(bars(hit, role));
  item.append(...more);
  const parts = hit.contributions.map(({ label, text, path }) =>
    h("li", {}, h("a", { href: explainHref(path) }, kit(label), h("span", {}, text))),
  );
  item.append(
    h(
      "details",
      {},
      h("summary", {}, "more", h("span", { class: "hidden" }, ` about place ${hit.rank}`)),
      h("p", { class: "definition" }, marked(hit.document.text)),
      parts.length > 0 ? h("ul", { class: "parts" }, ...parts) : null,
      h("p", { class: "quiet" }, kit(hit.document.where)),
    ),
  );
  return item;
}

function bars({ contributions }: HitView, role: string): HTMLElement {
  const row = h("div", { class: "bars method-bars", "data-role": role, "aria-hidden": "true" });
  for (const { share, label, text } of contributions) {
    const bar = h("span", { title: `${label}: ${text}` });
    bar.style.width = `${share * 100}%`;
    row.append(bar);
  }
  return row;
}
