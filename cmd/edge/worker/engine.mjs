// Runs the Go program: one instance for all requests of an isolate, replaced when it ended or has grown too large.
import "./wasm_exec.mjs";
import module from "./edge.wasm";
import { kit, urls } from "./site.mjs";

/** Most memory of one instance, in bytes; WebAssembly memory never shrinks, and an isolate has 128 MB for all. */
const maxMemory = 100 * 1024 * 1024;

let running;

/** Starts a program; it has set its binding when this returns. */
function start(env) {
  const go = new globalThis.Go();
  go.argv = ["edge"];
  const context = { binding: {}, kit: JSON.stringify(kit), read: (names) => Promise.all(names.map((name) => read(name, env))) };
  globalThis.context = context; // where github.com/syumai/workers looks
  let ready = false;
  const instance = new WebAssembly.Instance(module, { ...go.importObject, workers: { ready: () => (ready = true) } });
  const program = { binding: context.binding, instance, ended: false, waiting: new Set() };
  go.exit = (code) => {
    program.ended = true;
    for (const fail of program.waiting) fail(new Error(`the engine ended with code ${code}`));
  };
  go.run(instance);
  if (!ready) throw new Error("the engine did not start");
  return program;
}

async function read(name, env) {
  const response = await env.ASSETS.fetch(new URL(urls[name], "https://assets.invalid/"));
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** The Go program's response to a request. */
export async function answer(request, env) {
  // FRESH is set to measure what one program for each request, as in the library's own shim, would cost.
  if (running === undefined || running.ended || env.FRESH || running.instance.exports.mem.buffer.byteLength > maxMemory)
    running = start(env);
  const program = running;
  let fail;
  try {
    return await new Promise((resolve, reject) => {
      fail = reject;
      program.waiting.add(fail);
      program.binding.handleRequest(request).then(resolve, reject);
    });
  } catch (error) {
    if (running === program) running = undefined; // whatever state it is in
    throw error;
  } finally {
    program.waiting.delete(fail);
  }
}
