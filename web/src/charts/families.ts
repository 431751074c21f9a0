// Each family's difference, sorted, those without one as a counted band.
import * as Plot from "@observablehq/plot";
import { questionHref } from "../address";
import { visible } from "../dom";
import { boxOf, type ChartData, ink, labelOf, line, put, roleColour, signedTick, soft } from "./chart";

/** One bar. */
export interface Change {
  readonly key: string;
  readonly difference: number;
  readonly text: string;
  /** At the axis. */
  readonly name: string;
  readonly question: string;
  /** Said when it is pointed at. */
  readonly said: string;
}

export interface ChangesFigure {
  readonly changes: readonly Change[];
  /** What one bar is, one and several. */
  readonly one: string;
  readonly several: string;
  readonly axis: string;
  readonly left: string;
  readonly right: string;
}

const band = "\u0000unchanged";

export function drawFamilies({ data, view: known, results }: ChartData): void {
  const contrast = results.contrasts[known.primary];
  if (contrast === undefined) return;
  drawChanges("families", {
    changes: results.families.map(({ family, difference }, i) => {
      const name = visible(known.families[family]?.target ?? family);
      const text = data.texts[`families.${i}.difference`] ?? "";
      return {
        key: family,
        difference,
        text,
        name,
        question: known.families[family]?.question ?? "",
        said: `${family}, ${name}: ${text}. Press to see its questions.`,
      };
    }),
    one: "family",
    several: "families",
    axis: "difference in mean reciprocal rank",
    left: labelOf(data, contrast.against),
    right: labelOf(data, contrast.method),
  });
}

export function drawChanges(figure: string, { changes, one, several, axis, left, right }: ChangesFigure): void {
  const place = boxOf(figure);
  if (place === null) return;
  const { box, width, finding } = place;
  const moved = changes.filter(({ difference }) => difference !== 0).sort((a, b) => b.difference - a.difference);
  const still = changes.length - moved.length;
  const up = moved.filter(({ difference }) => difference > 0);
  const down = moved.filter(({ difference }) => difference < 0);
  const domain = [...up.map(({ key }) => key), ...(still > 0 ? [band] : []), ...down.map(({ key }) => key)];
  const m = Math.max(0.01, ...moved.map(({ difference }) => Math.abs(difference))) * 1.3;
  const names = new Map(changes.map(({ key, name }) => [key, name]));
  const narrow = width < 480;
  const crowded = domain.length > 40;
  const marginLeft = crowded ? 12 : narrow ? 118 : 210;
  const written = !crowded && (!narrow || moved.every(({ text }) => text.length < 10));
  const better = narrow ? "" : " better";
  put(
    box,
    Plot.plot({
      width,
      height: crowded ? 420 : domain.length * 24 + 60,
      marginLeft,
      marginRight: 12,
      marginTop: 18,
      marginBottom: 40,
      x: {
        domain: [-m, m],
        label: axis,
        labelAnchor: "center",
        labelArrow: "none",
        ticks: narrow ? 3 : 7,
        tickFormat: signedTick,
        tickSize: 4,
      },
      y: {
        domain,
        label: null,
        padding: 0.25,
        tickSize: 0,
        ticks: crowded ? [] : domain,
        tickFormat: (key: string) => (key === band ? "" : clip(names.get(key) ?? key, narrow ? 16 : 30)),
      },
      marks: [
        Plot.gridX({ stroke: line }),
        Plot.ruleX([0], { stroke: ink }),
        still > 0 ? Plot.barX([band], { y: (d: string) => d, x1: -m, x2: m, fill: "var(--sunk)", insetTop: -3, insetBottom: -3 }) : null,
        still > 0
          ? Plot.text([band], { y: (d: string) => d, x: 0, text: () => `${still} ${still === 1 ? one : several}: no change`, fill: soft })
          : null,
        Plot.barX(moved, {
          x: "difference",
          y: "key",
          fill: (d: Change) => roleColour(d.difference > 0 ? "graph" : "baseline"),
          href: (d: Change) => questionHref(d.question),
          title: "said",
        }),
        !written
          ? null
          : Plot.text(moved, {
              x: "difference",
              y: "key",
              text: "text",
              textAnchor: "start",
              dx: 5,
              fill: ink,
              filter: (d: Change) => d.difference > 0,
            }),
        !written
          ? null
          : Plot.text(moved, {
              x: 0,
              y: "key",
              text: "text",
              textAnchor: "start",
              dx: 5,
              fill: ink,
              filter: (d: Change) => d.difference < 0,
            }),
        Plot.text([`${right}${better} →`], { frameAnchor: "top-right", text: (d: string) => d, dy: -14, fill: soft }),
        Plot.text([`← ${left}${better}`], {
          frameAnchor: "top-left",
          text: (d: string) => d,
          dx: narrow ? 12 - marginLeft : 0,
          dy: -14,
          fill: soft,
        }),
      ],
    }),
    finding,
  );
}

function clip(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
