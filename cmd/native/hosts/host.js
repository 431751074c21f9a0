// Runs the WebAssembly engine in Node (node - ADDRESS, with this script on standard input) or in a worker of a browser.
// It asks the native program for work over HTTP, on this machine only: each POST carries the answer to the frame before
// and returns the next frame; an empty one ends. What the first byte means is in remote.go.
"use strict";

(async () => {
  const inNode = typeof process === "object";
  const base = inNode ? process.argv[2] : new URL(".", location.href).href;

  const get = async (name) => {
    const response = await fetch(base + name);
    if (!response.ok) throw new Error(`${name}: status ${response.status}`);
    return response;
  };
  const exchange = async (tag, body) => {
    const frame = new Uint8Array(1 + body.length);
    frame[0] = tag.charCodeAt(0);
    frame.set(body, 1);
    const response = await fetch(base + "exchange", { method: "POST", body: frame });
    if (!response.ok) throw new Error(`exchange: status ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  const bytes = (text) => new TextEncoder().encode(text);

  const version = async () => {
    if (inNode) return `Node.js ${process.version.slice(1)}, V8 ${process.versions.v8}`;
    try {
      const { fullVersionList } = await navigator.userAgentData.getHighEntropyValues(["fullVersionList"]);
      const known = fullVersionList.find(({ brand }) => brand === "Chromium");
      if (known) return `Chromium ${known.version}`;
    } catch {}
    return navigator.userAgent;
  };

  const start = async () => {
    globalThis.self ??= globalThis; // the script may be a site's worker, which carries Go's runtime
    (0, eval)(await (await get("go.js")).text());
    const go = new Go();
    const { instance } = await WebAssembly.instantiate(await (await get("engine.wasm")).arrayBuffer(), go.importObject);
    await new Promise((resolve, reject) => {
      globalThis.retraceReady = resolve;
      go.run(instance).then(() => reject(new Error("the engine ended")), reject);
    });
    return globalThis.retrace;
  };

  try {
    const { addFile, handle } = await start();
    for (let frame = await exchange("v", bytes(await version())); frame.length > 0; ) {
      if (frame[0] === 0x66) {
        const end = frame.indexOf(0);
        const error = addFile(new TextDecoder().decode(frame.subarray(1, end)), frame.subarray(end + 1));
        if (error) throw error;
        frame = await exchange("f", new Uint8Array(0));
      } else {
        frame = await exchange("r", handle(frame.subarray(1)));
      }
    }
  } catch (cause) {
    await exchange("e", bytes(String(cause?.stack ?? cause))).catch(() => {});
  }
  if (inNode) process.exit(0);
})();
