// A certificate of `native crosscheck`, chosen or dropped on a study's page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { accessibilityFaults, before, launch, limit, open, project, serve, test } from "./support/harness.mjs";

let browser;
let site;
let certificate;

before(async () => {
  // Node runs the engine of dist/, which the page runs too.
  const run = ["run", "./cmd/native", "crosscheck", "r01", "--skip", "chromium,encode", "--json", "--date", "2026-12-01"];
  certificate = execFileSync("go", run, { cwd: project, timeout: limit, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  [browser, site] = await Promise.all([launch(), serve()]);
});

async function visit(body) {
  const { page, faults, close } = await open(browser, new URL("r01/", site.url).href, { viewport: { width: 1280, height: 900 } });
  try {
    await body(page);
    assert.deepEqual(faults, []);
  } finally {
    await close();
  }
}

/** Chooses a file with this text and waits for what the page says of it. */
async function choose(page, text) {
  const before = await page.locator("#certificate [aria-live]").innerHTML();
  await page.setInputFiles("#certificate-file", { name: "c.json", mimeType: "application/json", buffer: Buffer.from(text) });
  await page.waitForFunction((old) => {
    const out = document.querySelector("#certificate [aria-live]");
    return out.getAttribute("aria-busy") === null && out.innerHTML !== old;
  }, before);
  return page.textContent("#certificate [aria-live]");
}

test("a certificate is compared with the kit's frozen files, and after a replay with what was computed", async () => {
  await visit(async (page) => {
    const known = await accessibilityFaults(page); // of the rest of the page, which has its own test
    const text = await choose(page, certificate);
    // Two platforms, and for each the results and two files of observations.
    assert.match(text, /All 6 hashes that can be compared agree with the frozen files of this kit\./);
    assert.match(text, /of 2026-12-01, as its writer states/);
    assert.deepEqual(await accessibilityFaults(page), known);
    await page.click("#replay");
    await page.waitForFunction(() => document.getElementById("chip").dataset.state === "reproduced", null, { timeout: 120_000 });
    assert.match(await choose(page, certificate), /agree with what was computed here\./);
  });
});

test("another result is a difference, with both hashes", async () => {
  const other = JSON.parse(certificate);
  const node = other.platforms[1];
  const theirs = "0".repeat(64);
  const ours = node.results;
  node.results = node.files[0].sha256 = theirs;
  await visit(async (page) => {
    const text = await choose(page, JSON.stringify(other));
    assert.match(text, /node gives other hashes than native/);
    const row = page.locator("#certificate tr", { hasText: "node: r01/frozen/results.json" });
    assert.deepEqual(await row.locator("td").allTextContents(), [theirs, ours, "differs"]);
  });
});

test("text of a certificate stays text, and what is no certificate is refused", async () => {
  const hostile = JSON.parse(certificate);
  hostile.platforms[1].runtime = "<img src=x onerror=alert(1)>\u202e";
  await visit(async (page) => {
    await choose(page, JSON.stringify(hostile));
    assert.equal(await page.locator("#certificate img").count(), 0);
    assert.match(await page.textContent("#certificate"), /<img src=x onerror=alert\(1\)>/);
    assert.match(await choose(page, "{}"), /This failed: .*native crosscheck --certificate/s);
    assert.match(await choose(page, certificate.replace("retrace-certificate/1", "retrace-certificate/9")), /this version reads/);
    assert.match(await choose(page, "x".repeat((1 << 20) + 1)), /at most 1048576/);
  });
});

test("a certificate can be dropped", async () => {
  await visit(async (page) => {
    const transfer = await page.evaluateHandle((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], "c.json"));
      return data;
    }, certificate);
    await page.dispatchEvent("#certificate .drop", "dragover", { dataTransfer: transfer });
    await page.dispatchEvent("#certificate .drop", "drop", { dataTransfer: transfer });
    await page.locator("#certificate .verdict").waitFor();
    assert.equal(await page.getAttribute("#certificate .verdict", "data-state"), "same");
  });
});
