// What a design brings to a study's page.
import type { FiguresResult } from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import type { Page } from "../page.gen";
import type { Session } from "../session";

/** The page that views belong to. */
export interface Context {
  readonly data: Page;
  readonly session: Session;
  readonly numbers: Numbers;
}

/** What figures are drawn from: published results, or those of a replay. */
export interface Drawing<View, Results> {
  readonly data: Page;
  readonly view: View;
  readonly results: Results;
  readonly figures: FiguresResult;
}

export interface DesignModule<View, Results> {
  /** Starts the views in which a reader looks at single questions. */
  start(context: Context, view: View): void;
  /** Loads what draws the figures; their library is not loaded before. */
  figures(): Promise<(drawing: Drawing<View, Results>) => void>;
}
