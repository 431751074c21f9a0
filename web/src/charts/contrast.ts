// The primary contrast: the difference and its interval on an axis centred on zero, the bootstrap's means faint behind.
import * as Plot from "@observablehq/plot";
import type { Histogram } from "../engine/protocol.gen";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, roleOf, signedTick, soft } from "./chart";

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly height: number;
}

/** Bins with heights as shares of the highest. */
export function bins({ low, width, counts }: Histogram): Bin[] {
  const top = Math.max(1, ...counts);
  return counts.map((count, i) => ({ from: low + i * width, to: low + (i + 1) * width, height: count / top }));
}

export function reach(values: readonly number[]): number {
  return Math.max(...values.map(Math.abs)) * 1.06;
}

/** A difference with its interval, and how the figure says it. */
export interface IntervalFigure {
  readonly difference: number;
  readonly ci95: readonly [number, number];
  readonly bootstrap: Histogram;
  /** The number under a key of the contrast, as text. */
  readonly text: (key: string) => string;
  readonly axis: string;
  readonly colour: string;
  /** What is better to the left and to the right of zero. */
  readonly left: string;
  readonly right: string;
}

export function drawContrast(chart: ChartData): void {
  const { data, view: known, results, figures } = chart;
  const contrast = results.contrasts[known.primary];
  const behind = figures.contrasts.find(({ name }) => name === known.primary);
  if (contrast === undefined || behind === undefined) return;
  drawInterval("contrast", {
    difference: contrast.difference,
    ci95: contrast.ci95,
    bootstrap: behind.bootstrap,
    text: (key) => data.texts[`contrasts.${known.primary}.${key}`] ?? "",
    axis: `difference in MRR@${known.cutoff}`,
    colour: roleColour(roleOf(data, contrast.method)),
    left: labelOf(data, contrast.against),
    right: labelOf(data, contrast.method),
  });
}

export function drawInterval(figure: string, { difference, ci95, bootstrap, text, axis, colour, left, right }: IntervalFigure): void {
  const place = boxOf(figure);
  if (place === null) return;
  const { box, width, finding } = place;
  const [low, high] = ci95;
  const bars = bins(bootstrap).filter(({ height }) => height > 0);
  const m = reach([low, high, difference, ...bars.flatMap(({ from, to }) => [from, to])]);
  const y = -0.2;
  const side = (x: number, words: string, anchor: "start" | "end"): Plot.Markish =>
    Plot.text([words], {
      x,
      y: 1.05,
      text: (d: string) => d,
      textAnchor: anchor,
      fill: soft,
      frameAnchor: anchor === "start" ? "left" : "right",
    });
  const drawing = Plot.plot({
    width,
    height: 190,
    marginLeft: 8,
    marginRight: 8,
    marginTop: 18,
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
    y: { domain: [-0.62, 1.1], axis: null },
    marks: [
      Plot.rectY(bars, { x1: "from", x2: "to", y1: 0, y2: "height", fill: colour, fillOpacity: 0.22, insetLeft: 0.5, insetRight: 0 }),
      Plot.ruleY([-0.62], { stroke: line }),
      Plot.ruleX([0], { stroke: ink, y1: -0.62, y2: 1.02, strokeWidth: 1 }),
      side(-m, `← ${left} better`, "start"),
      side(m, `${right} better →`, "end"),
      Plot.link([0], { x1: low, x2: high, y1: y, y2: y, stroke: colour, strokeWidth: 4 }),
      Plot.link([low, high], { x: (d: number) => d, y1: y - 0.08, y2: y + 0.08, stroke: colour, strokeWidth: 2 }),
      Plot.dot([0], { x: difference, y, r: 6, fill: colour, stroke: "var(--paper)", strokeWidth: 1.5 }),
      Plot.text([0], { x: low, y, text: () => text("ci95.0"), dy: 17, fill: ink }),
      Plot.text([0], { x: high, y, text: () => text("ci95.1"), dy: 17, fill: ink }),
      Plot.text([0], {
        x: difference,
        y,
        text: () => text("difference"),
        dy: 17,
        fill: ink,
        fontWeight: 700,
        stroke: "var(--paper)",
        strokeWidth: 4,
      }),
    ],
  });
  put(box, drawing, finding);
}
