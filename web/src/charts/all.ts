// Every figure of a study, by its design.
import type { Embedded } from "../data";
import type { FiguresResult } from "../engine/protocol.gen";
import type { BinaryResults, GradedResults, Results } from "../results";
import { drawBinary } from "./binary";
import { drawContrast } from "./contrast";
import { drawContrasts } from "./contrasts";
import { drawControls } from "./controls";
import { drawDegrees } from "./degrees";
import { drawFamilies } from "./families";
import { drawGraded } from "./graded";
import { drawNull } from "./null";
import { drawRanks } from "./ranks";

export function drawAll(data: Embedded, results: unknown, figures: FiguresResult): void {
  const { known, graded, binary } = data;
  if (known !== null) {
    const chart = { data, known, results: results as Results, figures };
    for (const draw of [drawContrast, drawNull, drawFamilies, drawControls, drawDegrees, drawRanks, drawContrasts]) draw(chart);
  }
  if (graded !== null) drawGraded(data, graded, results as GradedResults, figures);
  if (binary !== null) drawBinary(data, binary, results as BinaryResults);
}
