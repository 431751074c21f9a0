// The real graph as a mark among its controls, on one axis.
import * as Plot from "@observablehq/plot";
import { explainHref } from "../address";
import { far } from "../page.gen";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, roleOf } from "./chart";

interface Mark {
  readonly row: string;
  readonly label: string;
  readonly value: number;
  readonly text: string;
  readonly path: string;
  readonly role: string;
}

export function drawControls(chart: ChartData): void {
  const { data, view: known, results } = chart;
  const place = boxOf("controls");
  const score = (name: string): number | undefined => {
    const value = results.methods[name]?.[known.measure];
    return typeof value === "number" ? value : undefined;
  };
  const real = score(known.graph);
  if (place === null || real === undefined) return;
  const { box, width, finding } = place;
  const rewired = new Set(results.rewired.map(({ name }) => name));
  const marks: Mark[] = data.methods
    .filter(({ name, role }) => name === known.baseline || name === known.graph || role === "control")
    .flatMap(({ name, role }) => {
      const value = score(name);
      if (value === undefined) return [];
      const path = `methods.${name}.${known.measure}`;
      const row = rewired.has(name) ? "Rewired links" : name === known.graph && role === "graph" ? "Real links" : labelOf(data, name);
      return [{ row, label: labelOf(data, name), value, text: data.texts[path] ?? "", path, role }];
    });
  const inside = marks.filter(({ value }) => Math.abs(value - real) <= far);
  const first = ["Real links", "Rewired links"];
  const used = new Set(inside.map(({ row }) => row));
  const rows = [...first.filter((row) => used.has(row)), ...[...used].filter((row) => !first.includes(row))];
  const values = inside.map(({ value }) => value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const pad = (high - low || 0.01) * 0.22;
  const middle = (low + high) / 2;
  const single = inside.filter(({ row }) => row !== "Rewired links");
  const text = { x: "value", y: "row", text: "text", fill: ink, stroke: "var(--paper)", strokeWidth: 4 } as const;
  put(
    box,
    Plot.plot({
      width,
      height: rows.length * 30 + 58,
      marginLeft: 122,
      marginRight: 12,
      marginTop: 8,
      marginBottom: 46,
      x: {
        domain: [low - pad, high + pad],
        label: `MRR@${known.cutoff}`,
        labelAnchor: "center",
        labelArrow: "none",
        ticks: width < 480 ? 3 : 6,
        tickSize: 4,
      },
      y: { domain: rows, label: null, tickSize: 0, padding: 0.4 },
      marks: [
        Plot.ruleY(rows, { y: (d: string) => d, stroke: line }),
        Plot.ruleX([real], { stroke: roleColour(roleOf(data, known.graph)), strokeWidth: 1.5, strokeDasharray: "2,3" }),
        Plot.dot(inside, {
          x: "value",
          y: "row",
          r: (d: Mark) => (d.role === "graph" ? 7 : 5.5),
          symbol: (d: Mark) => (d.role === "baseline" ? "square" : "circle"),
          fill: (d: Mark) => (d.role === "control" ? "var(--paper)" : roleColour(d.role)),
          stroke: (d: Mark) => roleColour(d.role),
          strokeWidth: 2,
          href: (d: Mark) => explainHref(d.path),
          title: (d: Mark) => `${d.label}: ${d.text}. Press to see how it came about.`,
        }),
        Plot.text(single, { ...text, textAnchor: "start", dx: 13, filter: (d: Mark) => d.value <= middle }),
        Plot.text(single, { ...text, textAnchor: "end", dx: -13, filter: (d: Mark) => d.value > middle }),
      ],
      r: { type: "identity" },
      symbol: { type: "identity" },
    }),
    finding,
  );
}
