// The target's rank under two methods: log axes, the diagonal, and a gutter for targets that a method doesn't rank.
import * as Plot from "@observablehq/plot";
import { questionHref } from "../address";
import { grouped, visible } from "../dom";
import type { RankPair } from "../engine/protocol.gen";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, soft } from "./chart";

interface Mark {
  readonly x: number;
  readonly y: number;
  readonly pair: RankPair;
  readonly change: "better" | "worse" | "same";
}

export function drawRanks(chart: ChartData): void {
  const { data, view: known, figures } = chart;
  const place = boxOf("ranks");
  if (place === null) return;
  const { box, width, finding } = place;
  const most = data.documents;
  const gutter = most * 2.4;
  const edge = most * 1.35;
  const end = gutter * 1.35;
  const at = (rank: number | null): number => rank ?? gutter;
  const marks: Mark[] = figures.ranks.map((pair) => {
    const x = at(pair.baseline);
    const y = at(pair.graph);
    return { x, y, pair, change: y < x ? "better" : y > x ? "worse" : "same" };
  });
  const both = marks.filter(({ x, y }) => x === 1 && y === 1).length;
  const base = labelOf(data, known.baseline);
  const graph = labelOf(data, known.graph);
  const ticks = [1, 10, 100, 1000].filter((t) => t < most);
  const colour = { better: roleColour("graph"), worse: roleColour("baseline"), same: "var(--control)" };
  const size = Math.min(width, 560);
  const narrow = size < 480;
  put(
    box,
    Plot.plot({
      width: size,
      height: size,
      marginLeft: 52,
      marginRight: 14,
      marginTop: 26,
      marginBottom: 46,
      x: {
        type: "log",
        domain: [0.8, end],
        label: `rank under ${base}`,
        labelAnchor: "center",
        labelArrow: "none",
        ticks,
        tickFormat: grouped,
        tickSize: 4,
      },
      y: { type: "log", domain: [0.8, end], label: `rank under ${graph}`, labelArrow: "none", ticks, tickFormat: grouped, tickSize: 4 },
      symbol: { type: "identity" },
      marks: [
        Plot.rect([0], { x1: edge, x2: end, y1: 0.8, y2: end, fill: "var(--sunk)" }),
        Plot.rect([0], { x1: 0.8, x2: edge, y1: edge, y2: end, fill: "var(--sunk)" }),
        Plot.text(["not in the ranking"], { x: gutter, y: 1, rotate: -90, text: (d: string) => d, textAnchor: "start", fill: soft }),
        Plot.text(["not in the ranking"], { x: 1, y: gutter, text: (d: string) => d, textAnchor: "start", fill: soft }),
        Plot.link([0], { x1: 0.8, y1: 0.8, x2: edge, y2: edge, stroke: line, strokeWidth: 1.5 }),
        Plot.rect([0], { x1: 0.8, x2: known.cutoff + 0.5, y1: 0.8, y2: known.cutoff + 0.5, stroke: line, fill: "none" }),
        narrow
          ? null
          : Plot.text([`first ${known.cutoff} in both`], {
              x: 0.85,
              y: known.cutoff + 0.5,
              text: (d: string) => d,
              textAnchor: "start",
              dy: -8,
              fill: soft,
            }),
        Plot.dot(marks, {
          x: "x",
          y: "y",
          r: 4.5,
          symbol: (d: Mark) => (d.change === "same" ? "circle" : "triangle"),
          rotate: (d: Mark) => (d.change === "better" ? 180 : 0),
          fill: (d: Mark) => colour[d.change],
          fillOpacity: (d: Mark) => (d.change === "same" ? 0.25 : 0.8),
          stroke: (d: Mark) => colour[d.change],
          href: (d: Mark) => questionHref(d.pair.question),
          title: ({ pair }: Mark) => {
            const ranks = `${rank(pair.baseline)} under ${base}, ${rank(pair.graph)} under ${graph}`;
            return `${visible(pair.question)}: ${ranks}. Press to open the question.`;
          },
        }),
        both > 1
          ? Plot.text([narrow ? `← ${both} at place 1` : `← ${both} questions at place 1 in both`], {
              x: known.cutoff * 1.2,
              y: 1,
              text: (d: string) => d,
              textAnchor: "start",
              fill: ink,
              stroke: "var(--paper)",
              strokeWidth: 4,
            })
          : null,
        Plot.text([`▼ links bring the target closer`], {
          x: edge,
          y: 2.2,
          text: (d: string) => d,
          textAnchor: "end",
          dx: -8,
          fill: "var(--graph-text)",
        }),
        Plot.text([`▲ links push it away`], {
          x: 0.95,
          y: most * 0.7,
          text: (d: string) => d,
          textAnchor: "start",
          fill: "var(--baseline-text)",
        }),
      ],
    }),
    finding,
  );
}

function rank(place: number | null): string {
  return place === null ? "not in the ranking" : `place ${grouped(place)}`;
}
