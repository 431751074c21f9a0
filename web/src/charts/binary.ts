// The figure of a binary study: every measure of every split, the methods as marks.
import type { Drawing } from "../designs/module";
import type { Binary, BinaryResults } from "../page.gen";
import { labelOf, roleOf } from "./chart";
import { drawDots } from "./dots";

export function drawBinary({ data, view, results }: Drawing<Binary, BinaryResults>): void {
  const dots = view.splits.flatMap((split) =>
    view.measures.flatMap(({ key, label }) =>
      view.methods.flatMap((method, place) => {
        const value = results.splits[split.name]?.methods[method]?.[key];
        const path = `splits.${split.name}.methods.${method}.${key}`;
        const role = place === 0 ? roleOf(data, method) : "control"; // told apart by shape and fill
        return typeof value !== "number"
          ? []
          : [
              {
                row: `${label}, ${split.label}`,
                said: `${labelOf(data, method)}, ${label}, ${split.label} needs`,
                name: labelOf(data, method),
                value,
                text: data.texts[path] ?? "",
                path,
                role,
                symbol: place === 0 ? ("square" as const) : ("circle" as const),
              },
            ];
      }),
    ),
  );
  drawDots("measures", { axis: "mean over needs", mark: null, dots, domain: [0, 1] });
}
