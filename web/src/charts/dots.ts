// Values as marks on one axis, one row each or several in a row.
import * as Plot from "@observablehq/plot";
import { explainHref } from "../address";
import { boxOf, ink, line, put, roleColour } from "./chart";

export interface Dot {
  readonly row: string;
  /** What the mark stands for. */
  readonly said: string;
  /** Written at the mark before the number, where the row doesn't say it. */
  readonly name?: string;
  readonly value: number;
  readonly text: string;
  readonly path: string;
  readonly role: string;
  readonly symbol: "circle" | "square" | "triangle";
  /** Without its number beside it, where marks are many. */
  readonly quiet?: boolean;
}

export interface DotsFigure {
  readonly axis: string;
  /** A value to compare the others with, marked by a line. */
  readonly mark: number | null;
  readonly dots: readonly Dot[];
  /** The axis; around the values where it isn't given. */
  readonly domain?: readonly [number, number];
}

export function drawDots(figure: string, { axis, mark, dots, domain }: DotsFigure): void {
  const place = boxOf(figure);
  if (place === null || dots.length === 0) return;
  const { box, width, finding } = place;
  const rows = [...new Set(dots.map(({ row }) => row))];
  const values = dots.map(({ value }) => value);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const pad = (high - low || 0.01) * 0.22;
  const [from, to] = domain ?? [low - pad, high + pad * (width < 480 ? 1.8 : 1)];
  const middle = (from + to) / 2;
  // Marks of a row may stand on each other: then one text names all.
  const texts = [...new Map(dots.filter(({ quiet }) => quiet !== true).map((dot) => [`${dot.row} ${dot.value}`, dot])).values()].map(
    (dot) => {
      const names =
        width < 480
          ? []
          : dots.flatMap(({ row, value, name }) => (row === dot.row && value === dot.value && name !== undefined ? [name] : []));
      return { ...dot, text: [names.join(", "), dot.text].join(" ").trim() };
    },
  );
  const text = { x: "value", y: "row", text: "text", fill: ink, stroke: "var(--paper)", strokeWidth: 4 } as const;
  const right = (d: Dot): boolean => {
    const others = dots.filter(({ row, value }) => row === d.row && value !== d.value);
    return others.length === 0 ? d.value <= middle : others.every(({ value }) => value < d.value);
  };
  put(
    box,
    Plot.plot({
      width,
      height: rows.length * 32 + 58,
      marginLeft: Math.max(...rows.map(({ length }) => length)) * 6.6 + 14,
      marginRight: 12,
      marginTop: 8,
      marginBottom: 46,
      x: { domain: [from, to], label: axis, labelAnchor: "center", labelArrow: "none", ticks: width < 480 ? 3 : 6, tickSize: 4 },
      y: { domain: rows, label: null, tickSize: 0, padding: 0.4 },
      marks: [
        Plot.ruleY(rows, { y: (d: string) => d, stroke: line }),
        mark === null ? null : Plot.ruleX([mark], { stroke: "var(--graph)", strokeWidth: 1.5, strokeDasharray: "2,3" }),
        Plot.dot(dots, {
          x: "value",
          y: "row",
          r: (d: Dot) => (d.role === "graph" ? 6.5 : 5.5),
          symbol: "symbol",
          fill: (d: Dot) => (d.role === "control" ? "var(--paper)" : roleColour(d.role)),
          stroke: (d: Dot) => roleColour(d.role),
          strokeWidth: 2,
          href: (d: Dot) => explainHref(d.path),
          title: (d: Dot) => `${d.said}: ${d.text}. Press to see how it came about.`,
        }),
        Plot.text(texts, { ...text, textAnchor: "start", dx: 12, filter: right }),
        Plot.text(texts, { ...text, textAnchor: "end", dx: -12, filter: (d: Dot) => !right(d) }),
      ],
      r: { type: "identity" },
      symbol: { type: "identity" },
    }),
    finding,
  );
}
