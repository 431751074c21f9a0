// Figures come after the text: their library is loaded when the page stands, and they are drawn again when a replay gives
// numbers of its own.
import type { Page } from "../data";
import type { Draw } from "../designs/all";
import { h } from "../dom";
import type { FiguresResult } from "../engine/protocol.gen";
import type { Run } from "../replay";
import type { Session } from "../session";
import type { Store } from "../store";

// Where the library doesn't load, the tables stand in for the figures.
function withoutFigures(): void {
  for (const plot of document.querySelectorAll<HTMLElement>(".plot")) {
    plot.replaceChildren(
      h("p", { class: "empty" }, "This figure could not be loaded. The table has its numbers; reload the page to try again."),
    );
    plot.style.minHeight = "0";
  }
  for (const toggle of document.querySelectorAll<HTMLElement>(".twin-toggle[aria-expanded='false']")) toggle.click();
}

export function drawFigures(loading: Promise<Draw>, data: Page, session: Session, run: Store<Run>): void {
  let results = data.results;
  let figures: FiguresResult = data.figures;
  const draw = (): void => {
    loading.then((drawAll) => drawAll(results, figures), withoutFigures);
  };
  draw();
  run.follow((now) => {
    // Equal results draw equal figures; only others need a drawing of their own.
    if (now.kind !== "done" || now.outcome.identical) return;
    results = { ...(data.results as object), ...(now.outcome.results as object) };
    session.ask("figures", { study: data.study, withoutVectors: !now.vectors }).then(
      (made) => {
        figures = made;
        draw();
      },
      () => draw(),
    );
  });
  // Beside the text, widths change with the window.
  let width = document.documentElement.clientWidth;
  new ResizeObserver(() => {
    if (width === document.documentElement.clientWidth) return;
    width = document.documentElement.clientWidth;
    draw();
  }).observe(document.documentElement);
}
