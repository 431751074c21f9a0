// Each family's difference, sorted, those without one as a counted band.
import * as Plot from "@observablehq/plot";
import { questionHref } from "../address";
import { visible } from "../dom";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, signedTick, soft } from "./chart";

interface Row {
  readonly family: string;
  readonly difference: number;
  readonly text: string;
  readonly name: string;
  readonly question: string;
}

const band = "\u0000unchanged";

export function drawFamilies(chart: ChartData): void {
  const { data, known, results } = chart;
  const place = boxOf("families");
  if (place === null) return;
  const { box, width, finding } = place;
  const rows: Row[] = results.families.map(({ family, difference }, i) => ({
    family,
    difference,
    text: data.texts[`families.${i}.difference`] ?? "",
    name: visible(known.families[family]?.target ?? family),
    question: known.families[family]?.question ?? "",
  }));
  const moved = rows.filter(({ difference }) => difference !== 0).sort((a, b) => b.difference - a.difference);
  const still = rows.length - moved.length;
  const up = moved.filter(({ difference }) => difference > 0);
  const down = moved.filter(({ difference }) => difference < 0);
  const domain = [...up.map(({ family }) => family), ...(still > 0 ? [band] : []), ...down.map(({ family }) => family)];
  const m = Math.max(0.01, ...moved.map(({ difference }) => Math.abs(difference))) * 1.3;
  const names = new Map(rows.map(({ family, name }) => [family, name]));
  const narrow = width < 480;
  const crowded = domain.length > 40;
  const contrast = results.contrasts[known.primary];
  put(
    box,
    Plot.plot({
      width,
      height: crowded ? 420 : domain.length * 24 + 60,
      marginLeft: crowded ? 12 : narrow ? 118 : 210,
      marginRight: 12,
      marginTop: 18,
      marginBottom: 40,
      x: { domain: [-m, m], label: "difference in mean reciprocal rank", labelAnchor: "center", labelArrow: "none", ticks: narrow ? 3 : 7, tickFormat: signedTick, tickSize: 4 },
      y: { domain, label: null, padding: 0.25, tickSize: 0, ticks: crowded ? [] : domain, tickFormat: (family: string) => (family === band ? "" : clip(names.get(family) ?? family, narrow ? 16 : 30)) },
      marks: [
        Plot.gridX({ stroke: line }),
        Plot.ruleX([0], { stroke: ink }),
        still > 0 ? Plot.barX([band], { y: (d: string) => d, x1: -m, x2: m, fill: "var(--sunk)", insetTop: -3, insetBottom: -3 }) : null,
        still > 0 ? Plot.text([band], { y: (d: string) => d, x: 0, text: () => `${still} ${still === 1 ? "family" : "families"}: no change`, fill: soft }) : null,
        Plot.barX(moved, {
          x: "difference",
          y: "family",
          fill: (d: Row) => roleColour(d.difference > 0 ? "graph" : "baseline"),
          href: (d: Row) => questionHref(d.question),
          title: (d: Row) => `${d.family}, ${d.name}: ${d.text}. Press to see its questions.`,
        }),
        crowded ? null : Plot.text(moved, { x: "difference", y: "family", text: "text", textAnchor: "start", dx: 5, fill: ink, filter: (d: Row) => d.difference > 0 }),
        crowded ? null : Plot.text(moved, { x: 0, y: "family", text: "text", textAnchor: "start", dx: 5, fill: ink, filter: (d: Row) => d.difference < 0 }),
        contrast === undefined ? null : Plot.text([`${labelOf(chart, contrast.method)} better →`], { frameAnchor: "top-right", text: (d: string) => d, dy: -14, fill: soft }),
        contrast === undefined ? null : Plot.text([`← ${labelOf(chart, contrast.against)} better`], { frameAnchor: "top-left", text: (d: string) => d, dy: -14, fill: soft }),
      ],
    }),
    finding,
  );
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
