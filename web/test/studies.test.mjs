// The articles of the graded and the binary study in Chromium.
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { accessibilityFaults, before, launch, open, project, serve, sideways, test } from "./support/harness.mjs";
import { native, says } from "./support/numbers.mjs";

let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([launch(), serve({ dir: process.env.SITE })]);
});

const address = (path) => new URL(path, site.url).href;

async function visit(path, body, { faultless = true, ...options } = {}) {
  const { page, faults, close } = await open(browser, address(path), { viewport: { width: 1280, height: 900 }, ...options });
  try {
    await body(page);
    const counted = options.javaScriptEnabled === false ? faults.filter((fault) => !/^request failed: .*\.js: csp$/.test(fault)) : faults;
    if (faultless) assert.deepEqual(counted, []);
  } finally {
    await close();
  }
}

async function replay(page) {
  await page.click("#replay");
  await page.waitForFunction(() => ["reproduced", "differs", "failed"].includes(document.getElementById("chip").dataset.state), null, {
    timeout: 180_000,
  });
}

const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("main .num[data-path]")].map((n) => ({
      path: n.dataset.path,
      state: n.dataset.state,
      text: n.textContent,
    })),
  );

const studies = [
  {
    id: "r02",
    least: 350,
    verdict: /^Typed relations made no measurable difference: −0\.0249 in nDCG@5/,
    question: "A03",
    figures: ["contrast-ndcg5", "null-ndcg5", "contrast-composite", "null-composite", "settings", "tasks", "rows"],
  },
  {
    id: "first-baseline",
    least: 140,
    verdict: /^Overlap returned exactly what the scan does for all 16 needs\./,
    question: "h7",
    figures: ["measures"],
  },
];

for (const { id, least, verdict, question, figures } of studies) {
  test(`${id}: a replay reproduces every number, and each is what the native twin computes`, async () => {
    const computed = native(id);
    await visit(`${id}/`, async (page) => {
      assert.match(await page.textContent("#verdict"), verdict);
      // As the build wrote them: texts of core/show.
      const published = await shown(page);
      assert.deepEqual([...new Set(published.map(({ state }) => state))], ["published"]);
      await replay(page);
      const chip = await page.textContent("#chip");
      const [, same, all] = /^reproduced: ([\d\u202f]+) of ([\d\u202f]+) numbers, in \d+\.\d s, here$/.exec(chip) ?? [];
      assert.equal(same, all, chip);
      assert.equal(Number(all.replace("\u202f", "")), computed.size);
      const texts = new Map(published.map(({ path, text }) => [path, text]));
      const numbers = await shown(page);
      assert.ok(texts.size > least, `${texts.size} numbers on the page`);
      for (const { path, state, text } of numbers) {
        assert.equal(text, texts.get(path), path);
        says(path, text, computed.get(path));
        assert.equal(state, "reproduced", path);
      }
      assert.match(await page.textContent("#verdict"), verdict);
      assert.equal(await page.textContent(`tr[data-frozen='${id}/frozen/results.json'] .file-state`), "reproduced");
    });
  });

  test(`${id}: every number of the page has an explanation`, async () => {
    await visit(`${id}/`, async (page) => {
      const kinds = new Map(); // one path of every shape
      for (const { path } of await shown(page)) {
        const shape = path
          .replace(/\d+/g, "#")
          .replace(/\["[^"]*"\]/g, "[]")
          .split(".");
        kinds.set(`${shape[0]} ${shape[shape.length - 1]} ${shape.length}`, path);
      }
      for (const path of kinds.values()) {
        await page.evaluate((p) => {
          history.pushState({}, "", `#${new URLSearchParams({ explain: p })}`);
          dispatchEvent(new PopStateEvent("popstate"));
        }, path);
        await page.waitForFunction(
          (p) =>
            document.querySelector("#drawer")?.getAttribute("aria-busy") === null &&
            document.querySelector("#drawer")?.textContent.includes(`Path: ${p}`),
          path,
          { timeout: 60_000 },
        );
        assert.equal(await page.locator("#drawer .failure").count(), 0, path);
        assert.match(await page.textContent("#drawer"), /core\/[a-z/]+\.go:\d+/, path);
      }
    });
  });

  test(`${id}: figures are drawn, each with a finding in words`, async () => {
    await visit(`${id}/`, async (page) => {
      for (const plot of figures) {
        await page.waitForSelector(`[data-plot='${plot}'] svg`);
        const said = await page.locator(`[data-plot='${plot}'] > [aria-label]`).getAttribute("aria-label");
        assert.match(said, /\d/, plot);
      }
    });
  });

  test(`${id}: fits a phone and has no accessibility faults, light and dark`, async () => {
    for (const colorScheme of ["light", "dark"]) {
      await visit(
        `${id}/#question=${question}`,
        async (page) => {
          await page.waitForSelector("#question-view .rankings", { timeout: 60_000 });
          await page.waitForSelector(`[data-plot='${figures[0]}'] svg`);
          await page.evaluate(() => {
            for (const details of document.querySelectorAll("details")) details.open = true;
            for (const closed of document.querySelectorAll(".twin-toggle[aria-expanded='false'], .term[aria-expanded='false']"))
              closed.click();
          });
          assert.deepEqual(await sideways(page), []);
          assert.deepEqual(await accessibilityFaults(page), []);
        },
        { viewport: { width: 360, height: 740 }, colorScheme },
      );
    }
  });

  test(`${id}: print has every disclosure open`, async () => {
    await visit(`${id}/`, async (page) => {
      await page.waitForSelector(`[data-plot='${figures[0]}'] svg`);
      await page.emulateMedia({ media: "print" });
      await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
      assert.equal(await page.locator("main details:not([open], .every)").count(), 0);
      assert.equal(await page.isVisible("#replay"), false);
      assert.equal(await page.locator(".twin:visible").count(), await page.locator(".twin").count());
    });
  });

  test(`${id}: without JavaScript everything published can be read`, async () => {
    await visit(
      `${id}/`,
      async (page) => {
        assert.match(await page.textContent("#verdict"), verdict);
        assert.equal(await page.isVisible("#replay"), false);
        assert.equal(await page.isVisible("#explorer"), false);
        assert.ok((await page.locator("main .num:visible").count()) > 60);
      },
      { javaScriptEnabled: false },
    );
  });
}

test("r02: vectors are loaded when something is computed, not before", async () => {
  const asked = [];
  await visit(
    "r02/",
    async (page) => {
      await page.waitForSelector("tr[data-file='concepts/corpus.jsonl'] .file-state[data-state='same']");
      assert.deepEqual(
        asked.filter((url) => url.endsWith(".f32")),
        [],
      );
      assert.match(await page.textContent("#replay-what"), /^Loads 4\.7\u202fMB of vectors first/);
      await replay(page);
      assert.equal(asked.filter((url) => url.endsWith(".f32")).length, 2);
      assert.equal(await page.textContent("tr[data-file='concepts/vectors.f32'] .file-state"), "same hash");
    },
    { before: async (page) => page.on("request", (request) => asked.push(request.url())) },
  );
});

test("r02: loading the vectors can be cancelled, and tried again after it failed", async () => {
  let way = "hold";
  await visit(
    "r02/",
    async (page) => {
      await page.waitForSelector("tr[data-file='concepts/corpus.jsonl'] .file-state[data-state='same']");
      await page.click("#replay");
      await page.waitForFunction(() => document.getElementById("chip-text").textContent.startsWith("loading"));
      await page.click("#cancel");
      assert.match(await page.textContent("#chip"), /^cancelled/);
      way = "fail";
      await replay(page);
      assert.equal(await page.textContent("#chip"), "replay failed");
      assert.match(await page.textContent("#live"), /vectors\.[0-9a-f]+\.f32.*What to do/s);
      way = "go on";
      await replay(page);
      await page.waitForFunction(() => document.getElementById("chip").dataset.state === "reproduced", null, { timeout: 180_000 });
    },
    {
      faultless: false, // the console names what was not loaded
      before: async (page) =>
        page.route("**/*.f32", async (route) => {
          if (way === "hold") await new Promise((resolve) => setTimeout(resolve, 3000));
          await (way === "fail" ? route.abort() : route.continue()).catch(() => undefined); // the page may have gone on
        }),
    },
  );
});

test("r02: a task shows grades, paths with evidence, and both answers", async () => {
  await visit("r02/", async (page) => {
    await page.keyboard.press("/");
    await page.waitForSelector("#question-list .option", { timeout: 60_000 });
    assert.equal(await page.locator("#question-list .option").count(), 48);
    await page.keyboard.type("A03");
    await page.waitForFunction(() => document.querySelectorAll("#question-list .option").length === 1);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#question-view .rankings", { timeout: 60_000 });
    assert.match(page.url(), /#question=A03$/);
    assert.equal(await page.locator("#question-view .hit").count(), 10);
    assert.equal(await page.locator("#question-view .hit .judgement").count(), 10);
    assert.equal(await page.locator("#question-view .target-card ol li").count(), 4);
    await page.locator("#question-view .paths summary").first().click();
    assert.match(await page.locator("#question-view .paths").first().textContent(), /[→←].*“.+” in /s);
    assert.match(await page.textContent("#question-view"), /requires, constrains, evidence-for/);
    const answers = page.locator("#question-view .answer");
    assert.equal(await answers.count(), 2);
    // answers/allocation.json: for A03 reader a had the hybrid's documents.
    assert.match(
      await answers.first().textContent(),
      /^Reader a, documents from Hybrid.*The supplied definitions do not cover homology\..*Grader a.*Grader b/s,
    );
    await page.locator("#question-view .judgement a").first().click();
    await page.waitForSelector("#drawer .inputs");
    assert.match(page.url(), /question=A03&explain=judgement\.A03\./);
    assert.deepEqual(await accessibilityFaults(page), []);
  });
  await visit("r02/#question=S02", async (page) => {
    await page.waitForSelector("#question-view .rankings", { timeout: 60_000 });
    assert.match(await page.textContent("#question-view"), /nDCG is undefined, not zero/);
    assert.match(await page.locator("#question-view .ranking-title").first().textContent(), /nDCG@5 undefined/);
  });
});

test("r02: a bar leads to its task", async () => {
  await visit("r02/", async (page) => {
    await page.waitForSelector("[data-plot='tasks'] a");
    assert.equal(await page.locator("[data-plot='tasks'] a").count(), 14); // contrasts.ndcg5.nonzero
    await page.locator("[data-plot='tasks'] a").first().focus();
    assert.match(await page.textContent("[data-readout='tasks']"), /^Task .*: \d\.\d{4} → \d\.\d{4}\./);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#question-view .rankings", { timeout: 60_000 });
  });
});

test("first-baseline: a need shows references and judgements, and nothing of what the view withholds", async () => {
  await visit("first-baseline/#question=h6", async (page) => {
    await page.waitForSelector("#question-view .rankings");
    const first = page.locator("#question-view .hit").first();
    assert.match(await first.textContent(), /P09.*version \d+, P09.*not relevant/s);
    assert.match(await page.textContent("#question-view"), /Nothing is relevant, so the measures are undefined/);
    await page.fill("#ask-text", "cache reset");
    await page.click("#ask-form button");
    await page.waitForSelector("#ask-result .hit");
    const { passages, text } = await page.evaluate(() => ({
      passages: [...document.querySelectorAll("#passages .passages tbody th")].map((e) => e.textContent),
      text: document.body.textContent,
    }));
    assert.deepEqual(
      passages,
      Array.from({ length: 13 }, (_, i) => `P${String(i + 1).padStart(2, "0")}`),
    );
    // passages.jsonl, P14 to P19: their words stand nowhere on the page.
    for (const words of await withheld()) assert.ok(!text.includes(words), words);
    assert.ok((await page.locator("#ask-result .hit").count()) <= 13);
  });
  async function withheld() {
    const lines = (await readFile(`${project}kit/first-baseline/passages.jsonl`, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const texts = lines.filter(({ status, access }) => status !== "current" || access !== "public").map(({ text }) => text);
    assert.equal(texts.length, 6);
    return texts;
  }
});

test("no page weighs more than 60 kB", async () => {
  for (const { id } of studies) {
    const { size } = await stat(`${process.env.SITE ?? `${project}dist`}/${id}/index.html.br`);
    assert.ok(size <= 60_000, `${id}: ${size} bytes`);
  }
});

test("the first page lists all studies with their verdicts", async () => {
  for (const options of [{}, { javaScriptEnabled: false }]) {
    await visit(
      "",
      async (page) => {
        assert.equal(await page.locator(".card").count(), 3);
        for (const { id, verdict } of studies) {
          const card = page.locator(".card", { has: page.locator(`a[href='${id}/index.html']`) });
          assert.match(await card.locator(".card-verdict").textContent(), verdict);
        }
        assert.deepEqual(await sideways(page), []);
        if (options.javaScriptEnabled !== false) assert.deepEqual(await accessibilityFaults(page), []);
      },
      { viewport: { width: 360, height: 740 }, ...options },
    );
  }
});

test("a design that the script doesn't know is said, and its numbers can be replayed all the same", async () => {
  await visit(
    "first-baseline/",
    async (page) => {
      assert.match(await page.textContent("#live"), /study of the design “ladder”, for which its script has no views.*Reload the page/is);
      await replay(page);
      assert.equal(await page.getAttribute("#chip", "data-state"), "reproduced");
    },
    {
      before: async (page) =>
        page.route("**/first-baseline/", async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replace('"design":"binary"', '"design":"ladder"');
          await route.fulfill({ response, body });
        }),
    },
  );
});
