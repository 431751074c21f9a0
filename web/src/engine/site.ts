// Where the build put the engine and the kit. RETRACE_ENGINE is replaced by the build (cmd/build/site).
import type { EngineAssets } from "./client";

declare const RETRACE_ENGINE: EngineAssets & {
  readonly only: Readonly<Partial<Record<string, Pick<EngineAssets, "wasm" | "wasmIntegrity">>>>;
};

/** The site's root: scripts lie in one folder below it, whatever folder the site itself is in. */
export const root = new URL("../", import.meta.url).href;

function assets({ wasm, wasmIntegrity }: Pick<EngineAssets, "wasm" | "wasmIntegrity">): EngineAssets {
  return { worker: new URL(RETRACE_ENGINE.worker, root).href, wasm: new URL(wasm, root).href, wasmIntegrity };
}

/** Addresses of the engine's files: it knows every design. */
export const engineAssets = assets(RETRACE_ENGINE);

/** The engine for studies of one design, which loads no other's code, where the build made one. */
export const engineFor = (design: string): EngineAssets => assets(RETRACE_ENGINE.only[design] ?? RETRACE_ENGINE);

/** The kit's index. */
export const kitIndexUrl = new URL("kit/index.json", root).href;
