// Runs the engine in Node for tests in Go: node stdio.mjs WASM WASM_EXEC.
// Takes frames on standard input and answers each with one on standard output. A frame is a length (four bytes,
// little-endian) and as many bytes; its first byte says what it is: "f" a file (path, NUL, content), answered by an empty
// frame; "r" a request, answered by the reply.
import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [wasm, wasmExec] = process.argv.slice(2).map((name) => path.resolve(name));
createRequire(import.meta.url)(wasmExec);

const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(wasm), go.importObject);
await new Promise((resolve, reject) => {
  globalThis.retraceReady = resolve;
  go.run(instance).then(() => reject(new Error("the engine ended")), reject);
});
const { addFile, handle } = globalThis.retrace;

for (;;) {
  const head = read(4);
  if (head === null) break;
  const frame = read(new DataView(head.buffer).getUint32(0, true));
  if (frame[0] === 0x66) {
    const end = frame.indexOf(0);
    const error = addFile(new TextDecoder().decode(frame.subarray(1, end)), frame.subarray(end + 1));
    if (error) throw error;
    write(new Uint8Array(0));
  } else {
    write(handle(frame.subarray(1)));
  }
}
process.exit(0);

/** Reads exactly this many bytes; null where the input ends before the first. */
function read(length) {
  const data = new Uint8Array(length);
  for (let held = 0; held < length; ) {
    const n = readSync(0, data, held, length - held, null);
    if (n === 0) {
      if (held === 0) return null;
      throw new Error("input ends within a frame");
    }
    held += n;
  }
  return data;
}

function write(data) {
  const frame = new Uint8Array(4 + data.length);
  new DataView(frame.buffer).setUint32(0, data.length, true);
  frame.set(data, 4);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(1, frame, sent);
}
