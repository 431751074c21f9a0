// A kit's texts stay texts, and a number that a replay doesn't give is shown as different, with both values.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after } from "node:test";
import { before, launch, open, serve, test } from "./support/harness.mjs";
import { altered, evil, hostileSite } from "./support/hostilekit.mjs";

let browser;
let site;
let made;

before(async () => {
  made = await hostileSite();
  [browser, site] = await Promise.all([launch(), serve({ dir: made.dir })]);
});

after(async () => {
  if (made) await rm(made.work, { recursive: true });
});

const written = (text) => text.replace(/[\u202e\u2066]/g, (c) => `U+${c.codePointAt(0).toString(16).toUpperCase()}`);

test("kit texts that would be markup or turn the text around are shown as text, before and after scripts run", async () => {
  const { page, faults, close } = await open(browser, `${site.url}r01/#question=F001-paraphrase`);
  await page.waitForSelector("#question-view .rankings");
  await page.waitForSelector("[data-plot='ranks'] a");
  assert.equal(await page.textContent("h1"), written(evil.study));
  assert.match(await page.textContent(".misses tbody"), /<img src=x onerror=globalThis\.taken=1> U\+202Eeman/);
  assert.match(await page.textContent(".caution"), /<\/p><svg onload=globalThis\.taken=1>/);
  assert.equal(await page.textContent(".question-text"), written(evil.question));
  assert.match(await page.textContent(".target-card"), /^<img src=x onerror/);
  await page.click("#question-search");
  await page.waitForSelector("#question-list .option");
  assert.ok((await page.textContent("#question-list .option >> nth=0")).startsWith(written(evil.question)));
  await page.goto(`${site.url}r01/#explain=families.0.difference`);
  await page.waitForSelector("#drawer .inputs a");
  const found = await page.evaluate(() => ({
    taken: globalThis.taken ?? null,
    markup: document.querySelectorAll("img, svg[onload], b b, main script").length,
    turned: /[\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
  }));
  assert.deepEqual(found, { taken: null, markup: 0, turned: false });
  assert.deepEqual(faults, []);
  await close();
});

test("a number that differs shows both values, in the text, the chip, the verdict and the list", async () => {
  const { page, faults, close } = await open(browser, `${site.url}r01/`);
  const number = page.locator(`#found .results .num[data-path="${altered.path}"]`).first();
  const published = await number.textContent();
  await page.click("#replay");
  await page.waitForFunction(() => document.getElementById("chip").dataset.state === "differs", null, { timeout: 120_000 });
  assert.equal(await page.textContent("#chip"), "1 number differs");
  assert.equal(await number.getAttribute("data-state"), "differs");
  const here = await number.textContent();
  assert.ok(here.endsWith(` (published ${published})`), here);
  assert.notEqual(here.slice(0, 6), published);
  assert.match(await page.textContent("#differences"), new RegExp(altered.path.replaceAll(".", "\\.")));
  assert.match(await page.textContent("#live"), /1 of [\d\u202f]+ numbers differs from what was published/);
  assert.match(await page.textContent("tr[data-frozen$='without-vectors.json'] .file-state"), /^differs: [0-9a-f]{64}$/);
  assert.equal(await page.getAttribute(".num[data-path='methods.tfidf.mrr10']", "data-state"), "reproduced");
  assert.deepEqual(faults, []);
  await close();
});
