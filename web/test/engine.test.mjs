// The pool of engines in Chromium: files, requests, replays, cancelling, and what goes wrong.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { before, launch, open, project, serve, test, testSite } from "./support/harness.mjs";

let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([launch(), serve({ dir: testSite })]);
});

/** Opens the test page; body runs in it, with the client's functions and what prepare left on globalThis. */
async function run(body, { argument, route, init, url = site.url, faultless = true } = {}) {
  const { page, faults, close } = await open(browser, url, {
    before: async (page) => {
      if (init) await page.addInitScript(init);
      if (route) await route(page);
    },
  });
  try {
    const result = await page.evaluate(body, argument);
    if (faultless) assert.deepEqual(faults, []);
    return result;
  } finally {
    await close();
  }
}

// Helpers for use in the page.
const helpers = () => {
  globalThis.startPool = async (size) => {
    const { EnginePool, engineAssets, fetchKitIndex, filesOfStudy, kitIndexUrl } = globalThis.testing;
    const pool = new EnginePool(engineAssets, size);
    const checked = await pool.addFiles(kitIndexUrl, filesOfStudy(await fetchKitIndex(kitIndexUrl), "r01"));
    return { pool, checked };
  };
  globalThis.failure = (promise) =>
    promise.then(
      () => null,
      ({ name, code, message, hint, where }) => ({ name, code, message, hint, where }),
    );
};

test("files are hashed in the browser, and every worker gets them", async () => {
  const { checked, studies } = await run(
    async () => {
      const { pool, checked } = await globalThis.startPool(3);
      const replies = await pool.requestAll("studies", [{}, {}, {}, {}, {}]);
      return { checked, studies: replies.map(({ studies }) => studies.map(({ id }) => id)) };
    },
    { init: helpers },
  );
  assert.ok(checked.length > 5);
  for (const { path, sha256, computed, bytes } of checked) {
    const data = await readFile(`${project}kit/${path}`);
    assert.equal(computed, sha256, path);
    assert.equal(computed, createHash("sha256").update(data).digest("hex"), path);
    assert.equal(bytes, data.length, path);
  }
  assert.deepEqual(studies, Array(5).fill(["r01"]));
});

test("a replay gives the frozen results on one worker and on three, with progress", async () => {
  const frozen = await readFile(`${project}kit/r01/frozen/results.json`);
  const want = createHash("sha256").update(frozen).digest("hex");
  const outcomes = await run(
    async () => {
      const outcomes = [];
      for (const size of [1, 3]) {
        const { pool } = await globalThis.startPool(size);
        const progress = [];
        const { sha256, identical, same, numbers } = await pool.replay("r01", false, (p) => progress.push(p));
        outcomes.push({ sha256, identical, same, total: numbers.length, progress });
        pool.close();
      }
      return outcomes;
    },
    { init: helpers },
  );
  for (const { sha256, identical, same, total, progress } of outcomes) {
    assert.equal(sha256, want);
    assert.equal(identical, true);
    assert.equal(same, total);
    const [{ stages }] = progress;
    stages.forEach((_, place) => {
      const ofStage = progress.filter(({ stage }) => stage === place);
      assert.deepEqual(
        ofStage.map(({ done }) => done),
        ofStage.map((_, i) => i),
        "progress counts up by one",
      );
      assert.equal(ofStage.at(-1)?.done, ofStage.at(-1)?.total, "progress ends at its total");
    });
  }
});

test("cancelling takes less than 100 ms; other requests go on; the next replay needs no network", async () => {
  const outcome = await run(
    async () => {
      const { pool } = await globalThis.startPool(2);
      await pool.request("studies", {});
      let units = 0;
      let halfway;
      const started = new Promise((resolve) => (halfway = resolve));
      const replay = globalThis.failure(pool.replay("r01", true, ({ done }) => done > 0 && ++units === 3 && halfway()));
      await started;
      const search = pool.request("search", { study: "r01", query: "measure", method: "bm25", k: 1, explain: false });
      const before = performance.now();
      pool.cancel();
      const failure = await replay;
      const took = performance.now() - before;
      const { ranking } = await search;
      const fetched = performance.getEntriesByType("resource").length;
      const { identical } = await pool.replay("r01", true);
      return { failure, took, hits: ranking.hits.length, identical, fetched: performance.getEntriesByType("resource").length - fetched };
    },
    { init: helpers },
  );
  assert.equal(outcome.failure.code, "cancelled");
  assert.ok(outcome.took < 100, `took ${outcome.took} ms`);
  assert.equal(outcome.hits, 1);
  assert.equal(outcome.identical, true);
  // Workers that replace the cancelled ones read their script again, from the cache; nothing else is asked for.
  assert.ok(outcome.fetched <= 2, `${outcome.fetched} resources`);
});

test("each further replay cancels the one before", async () => {
  const { first, second, third } = await run(
    async () => {
      const { pool } = await globalThis.startPool(2);
      const first = globalThis.failure(pool.replay("r01", true));
      const second = globalThis.failure(pool.replay("r01", true));
      await first; // its end must not pass for the second's
      const third = await pool.replay("r01", true);
      return { first: await first, second: await second, third: third.identical };
    },
    { init: helpers },
  );
  assert.equal(first.code, "cancelled");
  assert.equal(second.code, "cancelled");
  assert.equal(third, true);
});

test("the page answers while a replay runs", async () => {
  // Tasks of the page's own thread that took longer than 50 ms, as the browser measures them.
  const tasks = await run(
    async () => {
      const { pool } = await globalThis.startPool(1);
      await pool.request("load", { study: "r01" });
      const tasks = [];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
      await pool.replay("r01", true);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return tasks;
    },
    { init: helpers },
  );
  assert.ok(Math.max(0, ...tasks) < 100, `tasks of ${tasks.join(", ")} ms`);
});

test("an error reply rejects with its code and way out", async () => {
  const failure = await run(
    async () => {
      const { pool } = await globalThis.startPool(1);
      return globalThis.failure(pool.request("load", { study: "none" }));
    },
    { init: helpers },
  );
  assert.equal(failure.name, "EngineError");
  assert.notEqual(failure.code, "");
  assert.match(failure.message, /none/);
});

test("a wrong media type of the engine is no obstacle", async () => {
  const studies = await run(async () => (await (await globalThis.startPool(1)).pool.request("studies", {})).studies.length, {
    init: helpers,
    route: (page) =>
      page.route("**/*.wasm", async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, headers: { ...response.headers(), "content-type": "application/octet-stream" } });
      }),
  });
  assert.ok(studies > 0);
});

test("a changed engine is not run", async () => {
  const failure = await run(async () => globalThis.failure(globalThis.startPool(1).then(({ pool }) => pool.request("studies", {}))), {
    init: helpers,
    faultless: false, // the browser reports the integrity fault in the console
    route: (page) =>
      page.route("**/*.wasm", async (route) => {
        const response = await route.fetch();
        const body = await response.body();
        body[body.length - 1] ^= 1;
        await route.fulfill({ response, body });
      }),
  });
  assert.equal(failure.code, "fetch-failed");
  assert.match(failure.message, /isn’t the published file: its hash is another one$/);
});

test("an engine that the host doesn't have is told from one that it can't reach", async () => {
  const failed = (answer) =>
    run(async () => globalThis.failure(globalThis.startPool(1).then(({ pool }) => pool.request("studies", {}))), {
      init: helpers,
      faultless: false,
      route: (page) => page.route("**/*.wasm", answer),
    });
  assert.match(
    (await failed((route) => route.fulfill({ status: 404, body: "nothing here" }))).message,
    /: the host answers 404( Not Found)?$/,
  );
  const unreached = await failed((route) => route.abort());
  assert.match(unreached.message, /could not load .*engine.*wasm: /);
  assert.match(unreached.hint, /check the connection/);
});

test("a changed kit file is an error that names it", async () => {
  const failure = await run(async () => globalThis.failure(globalThis.startPool(1)), {
    init: helpers,
    route: (page) =>
      page.route("**/links.*.tsv", async (route) => {
        const response = await route.fetch();
        const body = await response.body();
        body[0] ^= 1;
        await route.fulfill({ response, body });
      }),
  });
  assert.equal(failure.code, "hash-mismatch");
  assert.equal(failure.where, "concepts/links.tsv");
});

test("a missing engine or worker is an error with a way out, and a later try works", async () => {
  const { first, second } = await run(
    async () => {
      const { pool } = await globalThis.startPool(1);
      const first = await globalThis.failure(pool.request("studies", {}));
      const second = await pool.request("studies", {});
      return { first, second: second.studies.length };
    },
    { init: helpers, faultless: false, route: (page) => page.route("**/*.wasm", (route) => route.abort(), { times: 1 }) },
  );
  assert.equal(first.code, "fetch-failed");
  assert.notEqual(first.hint, "");
  assert.ok(second > 0);

  const failure = await run(async () => globalThis.failure((await globalThis.startPool(2)).pool.request("studies", {})), {
    init: helpers,
    faultless: false,
    route: (page) => page.route("**/worker.*.js", (route) => route.fulfill({ status: 404 })),
  });
  assert.equal(failure.code, "engine-failed");
});

test("a browser without WebAssembly is told so", async () => {
  const failure = await run(async () => globalThis.failure((await globalThis.startPool(1)).pool.request("studies", {})), {
    init: `(${helpers})(); delete globalThis.WebAssembly;`,
  });
  assert.equal(failure.code, "unsupported");
  assert.match(failure.hint, /native replay/);
});

test("the site works in a folder of its host", async () => {
  const below = await serve({ dir: testSite, base: "/sub/folder/" });
  try {
    const studies = await run(async () => (await (await globalThis.startPool(1)).pool.request("studies", {})).studies.length, {
      init: helpers,
      url: below.url,
    });
    assert.ok(studies > 0);
  } finally {
    await below.close();
  }
});
