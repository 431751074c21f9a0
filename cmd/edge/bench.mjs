// Measures the edge under workerd: time to the first byte of the page and to a search reply, on a host that has just
// started (cold) and after that (warm), with the one program that serves all requests and with a new one for each, as
// the library's own shim has it. Milliseconds; medians of some runs.
import { host } from "./host.mjs";

const runs = Number(process.env.EDGE_RUNS ?? 5);
const search = JSON.stringify({ id: 1, kind: "search", study: "r01", query: "why do bees dance" });

async function page(url) {
  const begin = performance.now();
  const response = await fetch(url);
  const first = performance.now() - begin; // headers and the first bytes are here
  await response.arrayBuffer();
  return first;
}

async function reply(url) {
  const begin = performance.now();
  const response = await fetch(new URL("v1/requests", url), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: search,
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`status ${response.status}`);
  return performance.now() - begin;
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure(bindings) {
  const times = { "page, cold": [], "page, warm": [], "search reply, cold": [], "search reply, warm": [] };
  for (let i = 0; i < runs; i++) {
    const { url, close } = await host({ bindings });
    times["page, cold"].push(await page(url));
    times["search reply, cold"].push(await reply(url));
    for (let j = 0; j < 5; j++) {
      times["page, warm"].push(await page(url));
      times["search reply, warm"].push(await reply(url));
    }
    await close();
  }
  return Object.entries(times).map(([name, list]) => [name, median(list)]);
}

const kept = await measure({});
const fresh = new Map(await measure({ FRESH: "yes" }));
console.log(`${"milliseconds".padEnd(20)} ${"one program".padStart(12)} ${"one each".padStart(12)}`);
for (const [name, value] of kept)
  console.log(`${name.padEnd(20)} ${value.toFixed(1).padStart(12)} ${fresh.get(name).toFixed(1).padStart(12)}`);
