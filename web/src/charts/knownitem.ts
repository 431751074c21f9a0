// The figures of a known-item study.
import type { ChartData } from "./chart";
import { drawContrast } from "./contrast";
import { drawContrasts } from "./contrasts";
import { drawControls } from "./controls";
import { drawDegrees } from "./degrees";
import { drawFamilies } from "./families";
import { drawNull } from "./null";
import { drawRanks } from "./ranks";

export function drawKnownItem(chart: ChartData): void {
  for (const draw of [drawContrast, drawNull, drawFamilies, drawControls, drawDegrees, drawRanks, drawContrasts]) draw(chart);
}
