// The sign-flip null: means under random signs, with the observed difference and its mirror image marked.
import * as Plot from "@observablehq/plot";
import type { Histogram } from "../engine/protocol.gen";
import { boxOf, type ChartData, ink, line, put, roleColour, roleOf, signedTick } from "./chart";
import { bins, reach } from "./contrast";

export interface NullFigure {
  readonly observed: number;
  /** The observed difference as text. */
  readonly text: string;
  readonly null: Histogram;
  readonly axis: string;
  readonly colour: string;
}

export function drawNull({ data, view: known, results, figures }: ChartData): void {
  const contrast = results.contrasts[known.primary];
  const behind = figures.contrasts.find(({ name }) => name === known.primary);
  if (contrast === undefined || behind === undefined) return;
  drawRandomised("null", {
    observed: contrast.difference,
    text: data.texts[`contrasts.${known.primary}.difference`] ?? "",
    null: behind.null,
    axis: `mean difference in MRR@${known.cutoff} under random signs`,
    colour: roleColour(roleOf(data, contrast.method)),
  });
}

export function drawRandomised(figure: string, { observed, text, null: drawn, axis, colour }: NullFigure): void {
  const place = boxOf(figure);
  if (place === null) return;
  const { box, width, finding } = place;
  const bars = bins(drawn).filter(({ height }) => height > 0);
  const m = reach([observed, ...bars.flatMap(({ from, to }) => [from, to])]);
  const label = `observed ${text}`;
  // Words go outwards where there is room for them, else inwards.
  const at = 8 + ((observed + m) / (2 * m)) * (width - 16);
  const right = observed >= 0 ? at < width - 120 : at < 120;
  const mirror = observed < 0; // the side it is on
  put(
    box,
    Plot.plot({
      width,
      height: 200,
      marginLeft: 8,
      marginRight: 8,
      marginTop: 22,
      marginBottom: 38,
      x: {
        domain: [-m, m],
        label: axis,
        labelAnchor: "center",
        labelArrow: "none",
        ticks: width < 480 ? 4 : 7,
        tickFormat: signedTick,
        tickSize: 4,
      },
      y: { domain: [0, 1.05], axis: null },
      marks: [
        Plot.rectY(bars, { x1: "from", x2: "to", y1: 0, y2: "height", fill: "var(--control)", fillOpacity: 0.45, insetLeft: 0.5 }),
        Plot.ruleY([0], { stroke: line }),
        Plot.ruleX([0], { stroke: ink, y1: 0, y2: 1.05 }),
        Plot.ruleX([-observed], { stroke: colour, strokeDasharray: "3,3", strokeWidth: 1.5 }),
        Plot.ruleX([observed], { stroke: colour, strokeWidth: 2.5 }),
        Plot.text([label], {
          x: observed,
          y: 1.05,
          text: (d: string) => d,
          textAnchor: right ? "start" : "end",
          dx: right ? 5 : -5,
          dy: -8,
          fill: ink,
          fontWeight: 700,
        }),
        Plot.text(["its mirror"], {
          x: -observed,
          y: 1.05,
          text: (d: string) => d,
          textAnchor: mirror ? "start" : "end",
          dx: mirror ? 5 : -5,
          dy: -8,
          fill: "var(--soft)",
        }),
      ],
    }),
    finding,
  );
}
