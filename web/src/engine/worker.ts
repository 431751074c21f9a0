// One engine in one worker: the compiled module comes from the page, so that it is fetched and compiled once for all workers.
import "wasm_exec";
import type { FromWorker, ToWorker } from "./messages";

/** What wasm/main.go puts on the global object. */
interface Engine {
  addFile(path: string, data: Uint8Array): Error | null;
  handle(request: Uint8Array): Uint8Array;
  addArchive(data: Uint8Array): Uint8Array;
}

interface Scope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  retrace?: Engine;
  retraceReady?: () => void;
}

const scope = self as unknown as Scope;

function post(message: FromWorker, transfer: Transferable[] = []): void {
  scope.postMessage(message, transfer);
}

function fail(cause: unknown): void {
  post({ type: "failed", message: cause instanceof Error ? cause.message : String(cause) });
}

async function start(module: WebAssembly.Module): Promise<Engine> {
  const go = new Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  return new Promise((resolve, reject) => {
    scope.retraceReady = () => {
      if (scope.retrace === undefined) {
        reject(new Error("the engine started without its functions"));
        return;
      }
      post({ type: "ready" });
      resolve(scope.retrace);
    };
    go.run(instance).then(() => fail("the engine ended"), fail);
  });
}

let engine: Promise<Engine> | undefined;

async function take(message: ToWorker): Promise<void> {
  if (message.type === "start") {
    engine = start(message.module);
    await engine;
    return;
  }
  if (engine === undefined) throw new Error(`${message.type} before start`);
  const { addFile, addArchive, handle } = await engine;
  if (message.type === "file") {
    const error = addFile(message.path, new Uint8Array(message.data));
    if (error !== null) throw error;
    return;
  }
  const reply = message.type === "archive" ? addArchive(new Uint8Array(message.data)) : handle(message.request);
  if (message.type === "archive" && !message.reply) return;
  post({ type: "reply", reply }, [reply.buffer as ArrayBuffer]);
}

scope.onmessage = (event) => {
  take(event.data).catch(fail);
};
