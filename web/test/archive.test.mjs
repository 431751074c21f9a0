// Archives that a reader drops on a page or chooses: checked, described and replayed in the browser; nothing leaves it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after } from "node:test";
import { accessibilityFaults, before, launch, limit, open, project, serve, test } from "./support/harness.mjs";

let browser;
let site;
let work;
let offered; // the archive of R01 that the site offers: its entry in archives/index.json, its bytes
const tiny = {};

before(async () => {
  work = await mkdtemp(path.join(tmpdir(), "retrace-archive-"));
  execFileSync("go", ["run", "./tests/tinyarchive", work], { cwd: project, timeout: limit, stdio: ["ignore", "ignore", "inherit"] });
  for (const name of ["sound.zip", "sound.tar.zst", "altered.zip", "unfrozen.zip"]) tiny[name] = await readFile(path.join(work, name));
  [browser, site] = await Promise.all([launch(), serve()]);
  const { archives } = await (await fetch(new URL("archives/index.json", site.url))).json();
  const entry = archives.find(({ study }) => study === "r01");
  const [zip] = entry.files;
  offered = { entry, zip, data: Buffer.from(await (await fetch(new URL(`archives/${zip.url}`, site.url))).arrayBuffer()) };
});

after(async () => {
  if (work) await rm(work, { recursive: true, force: true });
});

/** Opens a page, records its requests, and fails if one carries data or the page has a fault. */
async function visit(address, body, options = {}) {
  const requests = [];
  const { page, faults, close } = await open(browser, new URL(address, site.url).href, {
    viewport: { width: 1280, height: 900 },
    ...options,
    before: async (page) => page.on("request", (request) => requests.push(request)),
  });
  try {
    await body(page, requests);
    assert.deepEqual(faults, []);
    for (const request of requests) {
      assert.equal(request.method(), "GET");
      assert.equal(request.postData(), null);
      assert.equal(new URL(request.url()).search, "", request.url());
    }
    assert.equal(await page.evaluate(() => globalThis.taken), undefined, "text of an archive ran as a script");
  } finally {
    await close();
  }
}

/** Drops files on the page, as from the file manager. */
async function drop(page, ...files) {
  const transfer = await page.evaluateHandle(
    (list) => {
      const data = new DataTransfer();
      for (const [name, base64] of list) data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
      return data;
    },
    files.map(([name, data]) => [name, data.toString("base64")]),
  );
  await page.dispatchEvent("h1", "dragover", { dataTransfer: transfer });
  assert.equal(await page.evaluate(() => document.body.classList.contains("dropping")), true);
  await page.dispatchEvent("h1", "drop", { dataTransfer: transfer });
  assert.equal(await page.evaluate(() => document.body.classList.contains("dropping")), false);
}

const sound = (page) => page.locator("#archive-replay").waitFor({ timeout: 60_000 });

async function replayed(page) {
  await page.click("#archive-replay");
  const text = page.locator("#archive-live strong");
  await text.waitFor({ timeout: 120_000 });
  return text.textContent();
}

const fact = async (page, label) => page.locator(`#archive .facts dt:text-is("${label}") + dd`).textContent();

test("the page offers the archive with its size, hash and identity", async () => {
  const { entry, zip, data } = offered;
  assert.equal(createHash("sha256").update(data).digest("hex"), zip.sha256);
  assert.equal(data.length, zip.bytes);
  await visit("r01/", async (page) => {
    const row = page.locator('tr[data-archive="r01.zip"]');
    assert.equal(await row.locator(".hash").textContent(), zip.sha256);
    const link = row.locator("a");
    assert.equal(new URL(await link.getAttribute("href"), page.url()).href, new URL(`archives/${zip.url}`, site.url).href);
    assert.equal(await link.getAttribute("download"), "r01.zip");
    assert.match(await page.textContent("#reproduce"), new RegExp(entry.identity));
    assert.match(await page.textContent("#reproduce"), /build unpack --verify r01\.zip/);
  });
});

test("the offered archive, dropped on its article, is the same, is replayed in the article's place, and closes again", async () => {
  await visit("r01/", async (page, requests) => {
    await drop(page, ["r01.zip", offered.data]);
    await sound(page);
    assert.equal(await page.isVisible("#article"), false);
    assert.equal(await fact(page, "Identity"), offered.entry.identity);
    await page.locator('#archive [data-state="same"]', { hasText: "offers the same archive" }).waitFor();
    const files = await page.locator("#archive .files tbody tr").count();
    assert.match(await fact(page, "Files"), new RegExp(`^${files}, `));
    // From here on nothing is asked of anybody.
    await page.waitForLoadState("networkidle");
    const asked = requests.length;
    const said = await replayed(page);
    const [, same, all] = /^Reproduced: (.+) of (.+) numbers, in \S+ s, in this browser\.$/.exec(said) ?? assert.fail(said);
    assert.equal(same, all);
    assert.equal(await page.locator('#archive-numbers .num[data-state="reproduced"]').count(), 500); // the first batch
    const first = page.locator("#archive-numbers .num").first();
    await first.click();
    await page.locator("#drawer h2").waitFor();
    assert.match(await page.textContent("#drawer"), /Path: /);
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#drawer"), false);
    assert.equal(requests.length, asked, "a replay or an explanation asked the network");
    // The article's own numbers are as they were.
    await page.click("#archive-close");
    assert.equal(await page.isVisible("#article"), true);
    assert.equal(await page.locator("#archive").count(), 0);
    assert.equal(await page.locator('#article .num[data-path][data-state="reproduced"]').count(), 0);
  });
});

test("an archive of a study that the site doesn't know is opened by keyboard from the front page; its text stays text", async () => {
  await visit("", async (page) => {
    const known = await accessibilityFaults(page);
    const chooser = page.waitForEvent("filechooser");
    await page.focus("[data-open-archive]");
    await page.keyboard.press("Enter");
    await (await chooser).setFiles({ name: "<img src=x>.zip", mimeType: "application/zip", buffer: tiny["sound.zip"] });
    await sound(page);
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), "H1");
    assert.equal(await page.locator("#archive img, #archive script").count(), 0);
    assert.match(await page.textContent("#archive h1"), /^<\/h1><img src=x onerror=globalThis\.taken=1> <script>/);
    assert.match(await page.textContent("#archive .kicker"), /<img src=x>\.zip/);
    assert.match(await page.textContent('#archive-live[role="status"]'), /is sound: \d+ files of study tiny/);
    assert.match(await fact(page, "Study"), /^tiny, version 1\.0\.0$/);
    assert.equal(await fact(page, "Licences"), "data CC0-1.0, code Apache-2.0");
    await page.locator('#archive [data-state="unknown"]').waitFor();
    assert.deepEqual(await accessibilityFaults(page), known);
    assert.match(await replayed(page), /^Reproduced: /);
    // The number of isolated documents, of which the small study's graph has none.
    const isolated = page.locator('#archive-numbers .num[data-archived="graph.isolated"]');
    assert.equal(await isolated.textContent(), "0");
    await isolated.focus();
    await page.keyboard.press("Enter");
    await page.locator("#drawer .drawer-value").waitFor();
    assert.equal(await page.locator("#drawer img, #drawer b").count(), 0);
    assert.deepEqual(await accessibilityFaults(page), known);
    const states = await page.locator("#archive .files tr", { hasText: "tiny/frozen/results.json" }).locator(".file-state").textContent();
    assert.equal(states, "reproduced");
  });
});

test("a frozen number that a replay doesn't give is shown with both values", async () => {
  await visit("", async (page) => {
    await drop(page, ["altered.zip", tiny["altered.zip"]]);
    await sound(page);
    assert.match(await replayed(page), /^1 of .+ number differs from what the archive holds frozen/);
    assert.deepEqual(await page.locator("#archive-verdict tbody tr").locator("th, td").allTextContents(), ["graph.isolated", "1", "0"]);
    assert.equal(await page.locator('.num[data-state="differs"]').textContent(), "0 (published 1)");
  });
});

test("an archive without frozen results says that there is nothing to compare with", async () => {
  await visit("", async (page) => {
    await drop(page, ["unfrozen.zip", tiny["unfrozen.zip"]]);
    await sound(page);
    assert.match(
      await page.locator("dl.facts").first().textContent(),
      /Statusa draft: not every stage of the study was sealed when it was packed/,
    );
    assert.match(await replayed(page), /^Computed: .+ numbers, .* nothing to compare them with\.$/);
    assert.equal(await page.locator("#archive-numbers [data-state]").count(), 0);
  });
});

test("another archive of a study that the site offers is told apart", async () => {
  const other = (route) => route.fulfill({ json: { format: 1, archives: [{ study: "tiny", identity: "0".repeat(64), files: [] }] } });
  await visit("", async (page) => {
    await page.route("**/archives/index.json", other);
    await drop(page, ["sound.zip", tiny["sound.zip"]]);
    await sound(page);
    await page.locator('#archive [data-state="differs"]', { hasText: "0".repeat(64) }).waitFor();
  });
});

test("hostile archives are refused, one message each, and the page goes on", async () => {
  const zip = tiny["sound.zip"];
  const patched = (from, to) => Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1");
  const cases = [
    ["path.zip", patched("CITATION.cff", "../ATION.cff"), /"\.\.\/ATION\.cff": the path leaves the folder/],
    ["cut.zip", zip.subarray(0, 5000), /the archive is cut short.*download or copy it again/s],
    ["more.zip", Buffer.concat([zip, Buffer.from("more")]), /bytes after the archive’s end|bytes after the archive's end/],
    ["changed.zip", patched("boils water", "boils wader"), /"village\/corpus\.jsonl": the data are damaged/],
    ["study.tar.zst", tiny["sound.tar.zst"], /compressed by zstd.*open the \.zip of the same study/s],
    ["words.zip", Buffer.from("no archive"), /this is not such an archive/],
    ["empty.zip", Buffer.alloc(0), /this is not such an archive/],
  ];
  await visit("r01/", async (page) => {
    for (const [name, data, message] of cases) {
      await drop(page, [name, data]);
      const box = page.locator("#archive [role=alert]");
      await page.locator("#archive .kicker", { hasText: name }).waitFor();
      assert.match(await box.textContent(), message, name);
      assert.match(await box.textContent(), /What to do: /, name);
      assert.equal(await page.locator("#archive-replay").count(), 0);
    }
    await drop(page, ["a.zip", zip], ["b.zip", zip]);
    await page.locator("#archive [role=alert]", { hasText: "2 files were dropped at once" }).waitFor();
    await drop(page, ["sound.zip", zip]);
    await sound(page);
    await page.click("#archive-close");
    await page.click("#replay");
    await page.waitForFunction(() => document.getElementById("chip").dataset.state === "reproduced", null, { timeout: 120_000 });
  });
});

test("a phone shows it without scrolling sideways", async () => {
  await visit(
    "",
    async (page) => {
      await drop(page, ["sound.zip", tiny["sound.zip"]]);
      await sound(page);
      assert.match(await replayed(page), /^Reproduced: /);
      const { wide, seen } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, seen: innerWidth }));
      assert.ok(wide <= seen, `${wide} pixels wide in a window of ${seen}`);
    },
    { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  );
});
