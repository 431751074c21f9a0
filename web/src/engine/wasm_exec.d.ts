// The part of Go's lib/wasm/wasm_exec.js that the worker uses. The build takes that file from the Go that compiles the engine.
declare module "wasm_exec" {}

declare class Go {
  readonly importObject: WebAssembly.Imports;
  /** Runs main; resolves when it returns, which the engine's main does only when it has crashed. */
  run(instance: WebAssembly.Instance): Promise<void>;
}
