// The table of designs: one module each. The type checker asks for the module of every design that Go knows.
import { EngineError } from "../engine/client";
import type { FiguresResult } from "../engine/protocol.gen";
import type { AdhocResults, BinaryResults, Design, GradedResults, KnownItemResults, Views } from "../page.gen";
import { adhoc } from "./adhoc";
import { binary } from "./binary";
import { graded } from "./graded";
import { knownItem } from "./knownitem";
import type { Context, DesignModule } from "./module";

/** The results JSON of each design. */
interface Results extends Record<Design, unknown> {
  readonly adhoc: AdhocResults;
  readonly binary: BinaryResults;
  readonly graded: GradedResults;
  readonly knownItem: KnownItemResults;
}

type View<D extends Design> = NonNullable<Views[D]>;

const modules: { readonly [D in Design]: DesignModule<View<D>, Results[D]> } = { adhoc, binary, graded, knownItem };

/** Draws a study's figures from results and from what the engine gives for figures. */
export type Draw = (results: unknown, figures: FiguresResult) => void;

/**
 * Starts the views of the study's design, and gives what loads its figures: null for a study whose page shows its numbers
 * alone. A design without a module is an error: the page and its script are of different versions.
 */
export function startDesign(context: Context): (() => Promise<Draw>) | null {
  const { design } = context.data;
  if (!Object.hasOwn(modules, design)) {
    const hint = "reload the page; its numbers can be read and replayed all the same";
    throw new EngineError(
      "unknown-design",
      `this page shows a study of the design “${String(design)}”, for which its script has no views`,
      hint,
    );
  }
  return start(design, context);
}

function start<D extends Design>(design: D, context: Context): (() => Promise<Draw>) | null {
  const module: DesignModule<View<D>, Results[D]> = modules[design];
  const { data } = context;
  const view: Views[D] = data.views[design];
  if (view == null) return null;
  module.start(context, view);
  return async () => {
    const draw = await module.figures();
    // The engine gives results as JSON of the design's type in Go, which this type is generated from.
    return (results, figures) => draw({ data, view, results: results as Results[D], figures });
  };
}
