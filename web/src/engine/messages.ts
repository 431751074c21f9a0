// The messages between the page and an engine's worker. A worker takes them in order, one at a time.

/** From the page to a worker. */
export type ToWorker =
  | { readonly type: "start"; readonly module: WebAssembly.Module }
  | { readonly type: "file"; readonly path: string; readonly data: ArrayBuffer }
  /** Answered by a "reply" where it asks for one; otherwise another worker has checked the archive. */
  | { readonly type: "archive"; readonly data: ArrayBuffer; readonly reply: boolean }
  | { readonly type: "request"; readonly request: Uint8Array };

/** From a worker to the page. A "reply" answers the oldest request that is still open. */
export type FromWorker =
  | { readonly type: "ready" }
  | { readonly type: "reply"; readonly reply: Uint8Array }
  | { readonly type: "failed"; readonly message: string };
