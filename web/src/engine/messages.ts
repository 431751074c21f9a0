// The messages between the page and an engine's worker. A worker takes them in order, one at a time.

/** From the page to a worker. */
export type ToWorker =
  | { readonly type: "start"; readonly module: WebAssembly.Module }
  | { readonly type: "file"; readonly path: string; readonly data: ArrayBuffer }
  | { readonly type: "request"; readonly request: Uint8Array };

/** From a worker to the page. A "reply" answers the oldest request that is still open. */
export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "reply"; readonly reply: Uint8Array }
  | { readonly type: "failed"; readonly message: string };
