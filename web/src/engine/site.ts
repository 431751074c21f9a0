// Where the build put the engine and the kit. RETRACE_ENGINE is replaced by the build (cmd/build/site).
import type { EngineAssets } from "./client";

declare const RETRACE_ENGINE: EngineAssets;

/** The site's root: scripts lie in one folder below it, whatever folder the site itself is in. */
export const root = new URL("../", import.meta.url).href;

/** Addresses of the engine's files. */
export const engineAssets: EngineAssets = {
  worker: new URL(RETRACE_ENGINE.worker, root).href,
  wasm: new URL(RETRACE_ENGINE.wasm, root).href,
  wasmIntegrity: RETRACE_ENGINE.wasmIntegrity,
};

/** The kit's index. */
export const kitIndexUrl = new URL("kit/index.json", root).href;
