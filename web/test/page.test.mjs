// The article in Chromium: what can be read, what a replay changes, and every way around in it.
import assert from "node:assert/strict";
import { accessibilityFaults, before, launch, open, project, serve, sideways, test } from "./support/harness.mjs";
import { native, says } from "./support/numbers.mjs";

const replayed = ["reproduced", "differs", "failed"];

let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([launch(), serve()]);
});

const article = () => new URL("r01/", site.url).href;

async function visit(address, body, options = {}) {
  const { page, faults, close } = await open(browser, address, { viewport: { width: 1280, height: 900 }, ...options });
  try {
    await body(page);
    // Chromium reports modules that are preloaded, but may not run, as stopped by the policy.
    const counted = options.javaScriptEnabled === false ? faults.filter((fault) => !/^request failed: .*\.js: csp$/.test(fault)) : faults;
    if (options.faultless !== false) assert.deepEqual(counted, []);
  } finally {
    await close();
  }
}

async function replay(page, button = "#replay") {
  await page.click(button);
  await page.waitForFunction((states) => states.includes(document.getElementById("chip").dataset.state), replayed, { timeout: 120_000 });
}

test("a replay reproduces every number, and each shows what the native twin computes", async () => {
  const computed = native("r01");
  await visit(article(), async (page) => {
    assert.match(await page.textContent("#chip"), /not replayed yet/);
    assert.ok(await page.evaluate(() => [...document.querySelectorAll(".num[data-path]")].every((n) => n.dataset.state === "published")));
    await replay(page);
    const chip = await page.textContent("#chip");
    const [, same, all] = /^reproduced: ([\d\u202f]+) of ([\d\u202f]+) numbers, in \d+\.\d s, here$/.exec(chip) ?? [];
    assert.equal(same, all, chip);
    assert.match(await page.textContent("#live"), /^Reproduced: .* The links changed little: /);

    const shown = await page.evaluate(() =>
      [...document.querySelectorAll("main .num[data-path]")].map((n) => ({
        path: n.dataset.path,
        state: n.dataset.state,
        text: n.textContent,
      })),
    );
    const paths = new Set(shown.map(({ path }) => path));
    assert.ok(paths.size > 600, `${paths.size} numbers on the page`);
    let reproduced = 0;
    for (const { path, state, text } of shown) {
      says(path, text, computed.get(path));
      const dense = /^(dense|methods\.dense|contrasts\.dense)/.test(path);
      assert.equal(state, dense ? "published" : "reproduced", path);
      if (!dense) reproduced++;
    }
    assert.ok(reproduced > 600);
    assert.equal(await page.textContent("tr[data-frozen='r01/frozen/results-without-vectors.json'] .file-state"), "reproduced");
    assert.equal(await page.textContent("tr[data-file='r01/frozen/observations.jsonl'] .file-state"), "reproduced");
    assert.equal(await page.textContent("tr[data-file='concepts/corpus.jsonl'] .file-state"), "same hash");
  });
});

test("the dense supplement is replayed only when asked, with its vectors", async () => {
  const asked = [];
  await visit(
    article(),
    async (page) => {
      await page.waitForSelector("tr[data-file='concepts/corpus.jsonl'] .file-state[data-state='same']");
      assert.deepEqual(
        asked.filter((url) => url.endsWith(".f32")),
        [],
      );
      await replay(page, "#replay-dense");
      const states = await page.evaluate(() => [...document.querySelectorAll("main .num[data-path]")].map((n) => n.dataset.state));
      assert.deepEqual([...new Set(states)], ["reproduced"]);
      assert.match(await page.textContent("#dense-live"), /Done, with the embeddings: reproduced/);
      assert.equal(await page.textContent("tr[data-frozen='r01/frozen/results.json'] .file-state"), "reproduced");
      assert.equal(asked.filter((url) => url.endsWith(".f32")).length, 2);
    },
    { before: async (page) => page.on("request", (request) => asked.push(request.url())) },
  );
});

test("a replay can be cancelled at once, and a second press starts afresh", async () => {
  await visit(article(), async (page) => {
    await page.waitForSelector("tr[data-file='concepts/corpus.jsonl'] .file-state[data-state='same']");
    await page.click("#replay");
    await page.waitForFunction(() => document.getElementById("chip-text").textContent.startsWith("replaying"));
    const milliseconds = await page.evaluate(() => {
      const began = performance.now();
      document.getElementById("cancel").click();
      return new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now() - began)));
    });
    assert.ok(milliseconds < 100, `${milliseconds} ms`);
    assert.match(await page.textContent("#chip"), /^cancelled/);
    assert.match(await page.textContent("#live"), /^Cancelled/);
    assert.equal(await page.isVisible("#cancel"), false);
    assert.equal(await page.evaluate(() => document.activeElement.id), "replay");
    await page.click("#replay");
    await replay(page); // pressed while it runs
    assert.equal(await page.getAttribute("#chip", "data-state"), "reproduced");
    const pressed = await page.evaluate(() => {
      document.getElementById("replay").click();
      return document.querySelector("main .num[data-path]").dataset.state;
    });
    assert.equal(pressed, "published");
  });
});

test("a number opens its explanation, whose inputs lead on; address, back and Escape follow", async () => {
  await visit(article(), async (page) => {
    const number = page.locator("#found .results .num").first();
    await number.focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector("#drawer .inputs a");
    assert.match(page.url(), /#explain=sample\.test$|#explain=methods\.bm25\.mrr10$/);
    await page.goto(`${article()}#explain=methods.bm25.mrr10`);
    await page.waitForFunction(() => document.querySelector("#drawer h2")?.textContent.includes("MRR"));
    assert.match(await page.textContent("#drawer"), /core\/[a-z/]+\.go:\d+/);
    const trail = [];
    for (let depth = 0; depth < 3; depth++) {
      trail.push(page.url());
      const before = page.url();
      await page.locator("#drawer .inputs a").first().click();
      await page.waitForFunction(
        (url) => location.href !== url && document.querySelector("#drawer").getAttribute("aria-busy") === null,
        before,
      );
    }
    assert.equal(await page.locator("#drawer .crumbs li").count(), 3);
    await page.goBack();
    assert.equal(page.url(), trail[2]);
    await page.waitForFunction(() => document.querySelectorAll("#drawer .crumbs li").length === 2);
    await page.goForward();
    await page.waitForFunction(() => document.querySelectorAll("#drawer .crumbs li").length === 3);
    await page.locator("#drawer .crumb").first().click();
    await page.waitForFunction(() => document.querySelectorAll("#drawer .crumbs li").length === 0);
    assert.equal(page.url(), trail[0]);
    assert.deepEqual(await accessibilityFaults(page), []);
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#drawer"), false);
    assert.equal(new URL(page.url()).hash, "");
  });
  await visit(`${article()}#explain=contrasts.primary.difference`, async (page) => {
    await page.waitForSelector("#drawer .inputs a");
    assert.ok(await page.evaluate(() => document.querySelector("main .num[aria-current]").getBoundingClientRect().top < innerHeight));
  });
  await visit(`${article()}#explain=methods.nosuch.mrr10`, async (page) => {
    await page.waitForSelector("#drawer .failure");
    assert.match(await page.textContent("#drawer .failure"), /nosuch/);
  });
});

test("a question is found by keyboard and shown under two methods", async () => {
  await visit(article(), async (page) => {
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement.id), "question-search");
    await page.waitForSelector("#question-list .option");
    await page.keyboard.type("paraphrase backward induction");
    await page.waitForFunction(() => document.querySelectorAll("#question-list .option").length === 1);
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.getAttribute("#question-search", "aria-activedescendant"), "question-list-0");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#question-view .rankings");
    assert.match(page.url(), /#question=F023-paraphrase$/);
    assert.equal(await page.locator("#question-view .ranking").count(), 2);
    assert.equal(await page.locator("#question-view .hit").count(), 20);
    assert.match(await page.textContent("#question-view .target-card"), /^backward induction/);
    await page.waitForFunction(() => document.querySelectorAll("#question-view .lines path").length > 0);
    await page.locator("#question-view .siblings a, #question-view .question-facts a").first().click();
    await page.waitForFunction(() => /F023-application/.test(document.querySelector(".question-facts")?.textContent ?? ""));
    await page.locator(".hit-score").first().click();
    await page.waitForSelector("#drawer .inputs a");
    assert.match(page.url(), /question=F023-application&explain=score/);
    assert.deepEqual(await accessibilityFaults(page), []);
  });
  await visit(`${article()}#question=F001-boundary`, async (page) => {
    await page.waitForSelector("#question-view .rankings");
    assert.ok(await page.evaluate(() => document.getElementById("questions").getBoundingClientRect().top < innerHeight));
  });
});

test("figures lead to questions, by one stop of the tab key and the arrow keys", async () => {
  await visit(article(), async (page) => {
    await page.waitForSelector("[data-plot='families'] a");
    for (const plot of ["contrast", "null", "families", "controls", "degrees", "ranks", "contrasts"]) {
      assert.equal(await page.locator(`[data-plot='${plot}'] > svg, [data-plot='${plot}'] > figure`).count(), 1, plot);
    }
    assert.equal(await page.locator("[data-plot='families'] a[tabindex='0']").count(), 1);
    assert.equal(await page.locator("[data-plot='families'] a").count(), 14);
    assert.equal(await page.locator("[data-plot='ranks'] a").count(), 240);
    await page.locator("[data-plot='families'] a").first().focus();
    await page.keyboard.press("ArrowDown");
    const said = await page.textContent("[data-readout='families']");
    assert.match(said, /^F\d+, .*: \+0\.0556/);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#question-view .rankings");
    assert.match(page.url(), new RegExp(`#question=${said.slice(0, 4)}-`));
  });
});

test("a question of one's own is answered, or said to be unanswerable", async () => {
  await visit(article(), async (page) => {
    await page.fill("#ask-text", "a game settled from its last move back to the first");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#ask-result .hit");
    assert.equal(await page.locator("#ask-result .hit").count(), 10);
    assert.deepEqual(await page.locator("#ask-method option").allTextContents(), ["BM25", "TF-IDF", "RRF of both", "Graph"]);
    await page.selectOption("#ask-method", "graph");
    await page.waitForFunction(() => document.querySelector("#ask-result code")?.textContent.startsWith("graph("));
    await page.fill("#ask-text", "xyzzy");
    await page.click("#ask-form button");
    await page.waitForFunction(() => /No document shares a word/.test(document.getElementById("ask-result").textContent));
  });
});

test("without JavaScript everything published can be read", async () => {
  await visit(
    article(),
    async (page) => {
      assert.match(await page.textContent("#verdict"), /^The links changed little: \+0\.0009 MRR@10/);
      for (const id of ["twin-contrast", "twin-families", "twin-degrees"]) assert.equal(await page.isVisible(`#${id}`), true, id);
      for (const selector of ["#replay", ".plot >> nth=0", "#explorer", ".twin-toggle >> nth=0"])
        assert.equal(await page.isVisible(selector), false, selector);
      assert.match(await page.textContent("#unready"), /JavaScript is off/);
      assert.ok(await page.isVisible("#unready"));
      assert.ok(!(await page.isVisible("#replay")));
      await page.locator("#misses ~ details summary").first().click();
      assert.ok((await page.locator(".misses tbody tr:visible").count()) > 100);
    },
    { javaScriptEnabled: false },
  );
});

test("without its script, blocked or missing, the page offers no button, and says what is missing and the way out", async () => {
  for (const [why, answer] of [
    ["blocked", (route) => route.abort()],
    ["missing", (route) => route.fulfill({ status: 404, body: "" })],
  ]) {
    await visit(
      "about:blank",
      async (page) => {
        await page.route(/\/assets\/main\..*\.js$/, answer);
        await page.goto(article());
        assert.equal(await page.isVisible("#replay"), false, why);
        await page.locator("#unready").waitFor({ state: "visible", timeout: 20_000 });
        assert.match(
          await page.textContent("#unready"),
          /script is blocked or missing .* go run \.\/cmd\/native replay r01 recomputes everything/,
        );
        assert.equal(await page.isVisible("#replay"), false, why);
      },
      { faultless: false },
    );
  }
});

test("opened from disk, the page offers no button that does nothing", async () => {
  await visit(
    new URL("r01/index.html", `file://${process.env.RETRACE_SITE ?? `${project}dist`}/`).href,
    async (page) => {
      assert.equal(await page.isVisible("#replay"), false);
      await page.locator("#unready").waitFor({ state: "visible", timeout: 20_000 });
      // Every address leads to a file, which hosts without index documents need, too.
      const home = await page.locator("a.home").evaluate((link) => link.href);
      assert.match(home, /\/index\.html$/);
    },
    { faultless: false },
  );
});

test("without WebAssembly, and with an engine that doesn't load, the page says so and stays readable", async () => {
  await visit(
    article(),
    async (page) => {
      await replay(page);
      assert.equal(await page.textContent("#chip"), "replay failed");
      assert.match(await page.textContent("#live"), /no WebAssembly.*What to do: .*native replay/s);
    },
    { before: async (page) => page.addInitScript(() => delete globalThis.WebAssembly) },
  );
  let broken = true;
  await visit(
    article(),
    async (page) => {
      await replay(page);
      assert.match(await page.textContent("#live"), /could not load .*engine.*What to do/s);
      assert.equal(await page.getAttribute("#chip", "data-state"), "failed");
      broken = false;
      await replay(page);
      await page.waitForFunction(() => document.getElementById("chip").dataset.state === "reproduced", null, { timeout: 120_000 });
    },
    { before: async (page) => page.route("**/*.wasm", (route) => (broken ? route.abort() : route.continue())), faultless: false },
  );
});

test("the page fits a phone and has no accessibility faults, light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await visit(
      `${article()}#question=F001-boundary`,
      async (page) => {
        await page.waitForSelector("#question-view .rankings");
        await page.waitForSelector("[data-plot='ranks'] a");
        await page.evaluate(() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
          for (const closed of document.querySelectorAll(".twin-toggle[aria-expanded='false'], .term[aria-expanded='false']"))
            closed.click();
        });
        assert.deepEqual(await sideways(page), []);
        assert.equal(await page.locator(".ranking:visible").count(), 1);
        await page.click(".switch button >> nth=1");
        assert.match(await page.locator(".ranking:visible").textContent(), /^Graph/);
        assert.deepEqual(await accessibilityFaults(page), []);
      },
      { viewport: { width: 360, height: 740 }, colorScheme },
    );
  }
});

test("print has every disclosure open", async () => {
  await visit(article(), async (page) => {
    await page.waitForSelector("[data-plot='ranks'] a");
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    assert.equal(await page.locator("main details:not([open], .every)").count(), 0);
    assert.equal(await page.isVisible("#twin-families"), true);
    assert.equal(await page.isVisible("#replay"), false);
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("main details[open]").count(), 0);
  });
});
