// The figures of a graded study: both contrasts with their nulls, the tasks that moved, and the methods on one axis.
import type { Drawing } from "../designs/module";
import { visible } from "../dom";
import type { Graded, GradedResults } from "../page.gen";
import { labelOf, roleColour, roleOf } from "./chart";
import { drawInterval } from "./contrast";
import { drawDots } from "./dots";
import { drawChanges } from "./families";
import { drawRandomised } from "./null";

export function drawGraded({ data, view: graded, results, figures }: Drawing<Graded, GradedResults>): void {
  const colour = roleColour(roleOf(data, graded.typed));
  const label = (name: string): string => graded.rows.find((row) => row.name === name)?.label ?? name;
  const text = (path: string): string => data.texts[path] ?? "";
  for (const { name, measured, random } of graded.contrasts) {
    const contrast = results.contrasts[name];
    const behind = figures.contrasts.find((figure) => figure.name === name);
    if (contrast === undefined || behind === undefined) continue;
    const { difference, ci95 } = contrast;
    drawInterval(`contrast-${name}`, {
      difference,
      ci95,
      bootstrap: behind.bootstrap,
      text: (key) => text(`contrasts.${name}.${key}`),
      axis: `difference in ${measured}`,
      colour,
      left: label(graded.base),
      right: label(graded.row),
    });
    drawRandomised(`null-${name}`, {
      observed: difference,
      text: text(`contrasts.${name}.difference`),
      null: behind.null,
      axis: `mean difference under ${random}`,
      colour,
    });
  }
  const key = graded.measure;
  drawChanges("tasks", {
    changes: results.perTask.flatMap(({ task, rows }, i) => {
      const before = rows[graded.base]?.[key];
      const after = rows[graded.row]?.[key];
      if (before == null || after == null) return [];
      const change = `${text(`perTask.${i}.rows.${graded.base}.${key}`)} → ${text(`perTask.${i}.rows.${graded.row}.${key}`)}`;
      const about = visible(graded.tasks[task] ?? "");
      return [
        {
          key: task,
          difference: after - before,
          text: change,
          name: `${visible(task)}, ${about}`,
          question: task,
          said: `Task ${visible(task)}, ${about}: ${change}. Press to open it.`,
        },
      ];
    }),
    one: "task",
    several: "tasks",
    axis: `difference in ${graded.measured}`,
    left: label(graded.base),
    right: label(graded.row),
  });
  drawDots("rows", {
    axis: graded.measured,
    mark: results.final[graded.row]?.[key] ?? null,
    dots: graded.rows.flatMap(({ name, label: said, role }) => {
      const value = results.final[name]?.[key];
      const path = `final.${name}.${key}`;
      return value == null
        ? []
        : [
            {
              row: said,
              said,
              value,
              text: text(path),
              path,
              role,
              symbol: role === "baseline" ? ("square" as const) : ("circle" as const),
            },
          ];
    }),
  });
  const symbols = ["square", "triangle", "circle"] as const;
  drawDots("settings", {
    axis: graded.measured,
    mark: null,
    dots: graded.settings.flatMap(({ method, path, family, role, base, locked }) => {
      const value = results.development.settings[method];
      const said = `${visible(labelOf(data, method))}${locked ? ", locked" : ""}`;
      return value == null
        ? []
        : [{ row: family, said, value, text: text(path), path, role, symbol: symbols[base] ?? ("circle" as const), quiet: !locked }];
    }),
  });
}
