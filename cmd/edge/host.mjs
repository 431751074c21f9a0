// Serves a bundle under workerd on this machine, through miniflare: no account, no network.
// node cmd/edge/host.mjs [--bundle FOLDER] [--port PORT]
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Miniflare } from "miniflare";

export const defaultBundle = fileURLToPath(new URL("../../.cache/edge", import.meta.url));

/** Starts workerd with a bundle; close() ends it. Settings are those of the bundle's wrangler.json. */
export async function host({ bundle = defaultBundle, port = 0, bindings = {} } = {}) {
  const config = JSON.parse(await readFile(path.join(bundle, "wrangler.json"), "utf8"));
  const root = path.join(bundle, config.base_dir);
  const entry = path.join(bundle, config.main);
  const names = (await readdir(root)).map((name) => path.join(root, name)).filter((name) => name !== entry);
  const miniflare = new Miniflare({
    name: config.name,
    compatibilityDate: config.compatibility_date,
    rootPath: bundle,
    modulesRoot: root,
    modules: [entry, ...names].map((name) => ({ type: name.endsWith(".wasm") ? "CompiledWasm" : "ESModule", path: name })),
    assets: {
      directory: path.join(bundle, config.assets.directory),
      binding: config.assets.binding,
      routerConfig: { invoke_user_worker_ahead_of_assets: config.assets.run_worker_first, has_user_worker: true },
      assetConfig: { html_handling: config.assets.html_handling, not_found_handling: config.assets.not_found_handling },
    },
    bindings: { ...config.vars, ...bindings },
    host: "127.0.0.1",
    port,
    cf: false, // would be fetched from the network
  });
  try {
    return { url: await miniflare.ready, close: () => miniflare.dispose() };
  } catch (cause) {
    await miniflare.dispose(); // else what it started keeps the process
    throw cause;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { bundle: { type: "string" }, port: { type: "string", default: "8787" } } });
  const { url } = await host({ bundle: values.bundle && path.resolve(values.bundle), port: Number(values.port) });
  console.log(`serving on ${url.href} under workerd; stop with Ctrl-C`);
}
