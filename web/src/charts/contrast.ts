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

export function drawContrast(chart: ChartData): void {
  const { data, known, results, figures } = chart;
  const place = boxOf("contrast");
  const contrast = results.contrasts[known.primary];
  const behind = figures.contrasts.find(({ name }) => name === known.primary);
  if (place === null || contrast === undefined || behind === undefined) return;
  const { box, width, finding } = place;
  const [low, high] = contrast.ci95;
  const text = (key: string): string => data.texts[`contrasts.${known.primary}.${key}`] ?? "";
  const bars = bins(behind.bootstrap).filter(({ height }) => height > 0);
  const m = reach([low, high, contrast.difference, ...bars.flatMap(({ from, to }) => [from, to])]);
  const colour = roleColour(roleOf(chart, contrast.method));
  const y = -0.2;
  const side = (x: number, words: string, anchor: "start" | "end"): Plot.Markish =>
    Plot.text([words], { x, y: 1.05, text: (d: string) => d, textAnchor: anchor, fill: soft, frameAnchor: anchor === "start" ? "left" : "right" });
  const drawing = Plot.plot({
    width,
    height: 190,
    marginLeft: 8,
    marginRight: 8,
    marginTop: 18,
    marginBottom: 38,
    x: { domain: [-m, m], label: `difference in MRR@${known.cutoff}`, labelAnchor: "center", labelArrow: "none", ticks: width < 480 ? 4 : 7, tickFormat: signedTick, tickSize: 4 },
    y: { domain: [-0.62, 1.1], axis: null },
    marks: [
      Plot.rectY(bars, { x1: "from", x2: "to", y1: 0, y2: "height", fill: colour, fillOpacity: 0.22, insetLeft: 0.5, insetRight: 0 }),
      Plot.ruleY([-0.62], { stroke: line }),
      Plot.ruleX([0], { stroke: ink, y1: -0.62, y2: 1.02, strokeWidth: 1 }),
      side(-m, `← ${labelOf(chart, contrast.against)} better`, "start"),
      side(m, `${labelOf(chart, contrast.method)} better →`, "end"),
      Plot.link([0], { x1: low, x2: high, y1: y, y2: y, stroke: colour, strokeWidth: 4 }),
      Plot.link([low, high], { x: (d: number) => d, y1: y - 0.08, y2: y + 0.08, stroke: colour, strokeWidth: 2 }),
      Plot.dot([0], { x: contrast.difference, y, r: 6, fill: colour, stroke: "var(--paper)", strokeWidth: 1.5 }),
      Plot.text([0], { x: low, y, text: () => text("ci95.0"), dy: 17, fill: ink }),
      Plot.text([0], { x: high, y, text: () => text("ci95.1"), dy: 17, fill: ink }),
      Plot.text([0], { x: contrast.difference, y, text: () => text("difference"), dy: 17, fill: ink, fontWeight: 700, stroke: "var(--paper)", strokeWidth: 4 }),
    ],
  });
  put(box, drawing, finding);
}
