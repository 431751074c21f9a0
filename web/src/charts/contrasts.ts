// All contrasts of a study on one axis, with their intervals.
import * as Plot from "@observablehq/plot";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, roleOf, signedTick } from "./chart";

export function drawContrasts(chart: ChartData): void {
  const { data, view: known, results } = chart;
  const place = boxOf("contrasts");
  if (place === null) return;
  const { box, width, finding } = place;
  const names = [known.primary, ...Object.keys(results.contrasts).filter((name) => name !== known.primary)];
  const rows = names.flatMap((name) => {
    const contrast = results.contrasts[name];
    if (contrast === undefined) return [];
    const { method, against, difference, ci95 } = contrast;
    return [
      {
        row: `${labelOf(data, method)} − ${labelOf(data, against)}`,
        difference,
        low: ci95[0],
        high: ci95[1],
        colour: roleColour(roleOf(data, method)),
        text: data.texts[`contrasts.${name}.difference`] ?? "",
      },
    ];
  });
  const m = Math.max(...rows.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)])) * 1.12;
  const lowest = Math.min(0, ...rows.map(({ low }) => low));
  put(
    box,
    Plot.plot({
      width,
      height: rows.length * 44 + 54,
      marginLeft: width < 480 ? 12 : 170,
      marginRight: 12,
      marginTop: 8,
      marginBottom: 40,
      x: {
        domain: [Math.max(-m, lowest - m * 0.15), m],
        label: `difference in MRR@${known.cutoff}`,
        labelAnchor: "center",
        labelArrow: "none",
        ticks: width < 480 ? 4 : 7,
        tickFormat: signedTick,
        tickSize: 4,
      },
      y: { domain: rows.map(({ row }) => row), label: null, tickSize: 0, axis: width < 480 ? null : "left", padding: 0.3 },
      marks: [
        Plot.gridX({ stroke: line }),
        Plot.ruleX([0], { stroke: ink }),
        Plot.link(rows, { x1: "low", x2: "high", y1: "row", y2: "row", stroke: "colour", strokeWidth: 4 }),
        Plot.dot(rows, { x: "difference", y: "row", r: 5, fill: "colour" }),
        Plot.text(rows, {
          ...(width < 480 ? {} : { x: "difference" }),
          y: "row",
          text: (d: (typeof rows)[number]) => (width < 480 ? `${d.row}: ${d.text}` : d.text),
          dy: -14,
          fill: ink,
          fontWeight: 600,
          stroke: "var(--paper)",
          strokeWidth: 4,
          textAnchor: width < 480 ? "start" : "middle",
          frameAnchor: "left",
        }),
      ],
    }),
    finding,
  );
}
