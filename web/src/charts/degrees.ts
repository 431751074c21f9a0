// The complementary cumulative distribution of degrees, both axes logarithmic.
import * as Plot from "@observablehq/plot";
import { boxOf, type ChartData, ink, line, put, soft } from "./chart";

export function drawDegrees(chart: ChartData): void {
  const { results } = chart;
  const place = boxOf("degrees");
  if (place === null) return;
  const { box, width, finding } = place;
  const { nodes, degrees } = results.graph;
  const sorted = [...degrees].sort((a, b) => a.degree - b.degree);
  let left = nodes;
  const points = sorted.map(({ degree, nodes: count }) => {
    const point = { degree, share: left / nodes, atLeast: left };
    left -= count;
    return point;
  });
  const shown = points.filter(({ degree }) => degree > 0);
  const last = shown[shown.length - 1];
  if (last === undefined) return;
  const lowest = Math.min(...shown.map(({ share }) => share)) / 1.5;
  put(
    box,
    Plot.plot({
      width,
      height: 320,
      marginLeft: 58,
      marginRight: 20,
      marginTop: 26,
      marginBottom: 42,
      x: {
        type: "log",
        domain: [1, last.degree * 1.25],
        label: "links of a document, at least",
        labelAnchor: "center",
        labelArrow: "none",
        ticks: [1, 2, 5, 10, 20, 50, 100, 200].filter((t) => t <= last.degree),
        tickFormat: (d: number) => String(d),
        tickSize: 4,
      },
      y: {
        type: "log",
        domain: [lowest, 1],
        label: "share of documents",
        labelArrow: "none",
        ticks: [1, 0.1, 0.01, 0.001, 0.0001].filter((t) => t >= lowest),
        tickFormat: (d: number) => `${Number((d * 100).toPrecision(1))} %`,
        tickSize: 4,
      },
      marks: [
        Plot.gridX({ stroke: line, ticks: [1, 2, 5, 10, 20, 50, 100, 200].filter((t) => t <= last.degree) }),
        Plot.gridY({ stroke: line, ticks: [1, 0.1, 0.01, 0.001] }),
        Plot.line(shown, { x: "degree", y: "share", stroke: "var(--graph)", strokeWidth: 1.5, curve: "step-before", strokeOpacity: 0.5 }),
        Plot.dot(shown, { x: "degree", y: "share", r: 4, fill: "var(--graph)" }),
        Plot.text([last], {
          x: "degree",
          y: "share",
          text: (d: { degree: number; atLeast: number }) =>
            `${d.atLeast === 1 ? "one document has" : `${d.atLeast} documents have`} ${d.degree} links`,
          textAnchor: "end",
          dx: -10,
          dy: 2,
          fill: ink,
          stroke: "var(--paper)",
          strokeWidth: 4,
        }),
        Plot.text(results.rewired.length > 0 ? ["same for every rewired graph"] : [], {
          frameAnchor: "top-right",
          text: (d: string) => d,
          dy: -10,
          fill: soft,
        }),
      ],
    }),
    finding,
  );
}
