// The built site starts: engine, kit and page come together in Chromium, at any folder, without faults.
import assert from "node:assert/strict";
import { accessibilityFaults, before, launch, open, serve, test } from "./support/harness.mjs";

let browser;
let site;

before(async () => {
  [browser, site] = await Promise.all([launch(), serve()]);
});

test("pages have no accessibility faults, write nothing to the console and ask nobody else", async () => {
  const { page, response, faults, close } = await open(browser, site.url);
  assert.equal(response.status(), 200);
  assert.deepEqual(await accessibilityFaults(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test("an unknown address gives the 404 page, with status 404", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const response = await page.goto(new URL("no/such/page", site.url).href);
  assert.equal(response.status(), 404);
  assert.equal(new URL(await page.locator("a").first().getAttribute("href"), page.url()).pathname, "/index.html"); // named, for hosts without index documents
  assert.deepEqual(await accessibilityFaults(page), []);
  await context.close();
});

test("the policy forbids script from text", async () => {
  const { page, close } = await open(browser, site.url);
  const outcome = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "globalThis.injected = true";
    document.body.append(script);
    const div = document.createElement("div");
    div.innerHTML = "<img src=x onerror='globalThis.injected = true'>";
    document.body.append(div);
    return new Promise((resolve) => setTimeout(() => resolve(globalThis.injected ?? false), 200));
  });
  assert.equal(outcome, false);
  await close();
});
