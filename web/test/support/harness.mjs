// What the browser tests share: a server for the built site, Chromium, and checks that every page must pass.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** The project's folder. */
export const project = fileURLToPath(new URL("../../../", import.meta.url));

/** The site whose pages load the engine's client alone; tools/test builds it. */
export const testSite = `${project}.cache/testsite`;

const buildCommand = `${project}.cache/bin/build`;
const axePath = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The site that tests visit: dist/, or the folder that RETRACE_SITE names. */
const builtSite = process.env.RETRACE_SITE ?? `${project}dist`;

/**
 * Serves a built site on a free port with the project's own server.
 * @param {{ dir?: string, base?: string }} [options]
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export async function serve({ dir = builtSite, base = "/" } = {}) {
  if (!existsSync(dir)) throw new Error(`${dir} is missing: run make site first`);
  const child = spawn(buildCommand, ["serve", "--dir", dir, "--base", base, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  const url = await new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (data) => {
      printed += data;
      if (printed.includes("\n")) resolve(printed.trim());
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
  });
  return {
    url,
    async close() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Starts Chromium: Debian's, or the one that CHROMIUM names. */
export function launch() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/**
 * Opens a page that records what no page may do: write to the console, fail a script or a request, or ask another origin.
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {import("playwright-core").BrowserContextOptions & { before?: (page: import("playwright-core").Page) => Promise<void> }} [options]
 */
export async function open(browser, url, { before, ...options } = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  /** @type {string[]} */
  const faults = [];
  const { origin } = new URL(url);
  page.on("console", (message) => faults.push(`console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on("requestfailed", (request) => {
    // Leaving a page or cancelling a replay aborts what is still loading; that is no fault.
    const why = request.failure()?.errorText ?? "";
    if (why !== "net::ERR_ABORTED") faults.push(`request failed: ${request.url()}: ${why}`);
  });
  context.on("request", (request) => {
    const asked = new URL(request.url());
    if (asked.protocol !== "data:" && asked.protocol !== "blob:" && asked.origin !== origin) faults.push(`request to another origin: ${request.url()}`);
  });
  await before?.(page);
  const response = await page.goto(url);
  return {
    page,
    response,
    /** What went wrong so far; empty on a good page. */
    faults,
    close: () => context.close(),
  };
}

/**
 * Accessibility faults that axe-core finds, one line each.
 * @param {import("playwright-core").Page} page
 */
export async function accessibilityFaults(page) {
  // Evaluated through the debugger, which the page's Content-Security-Policy doesn't bind.
  await page.evaluate(await readFile(axePath, "utf8"));
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${v.help}: ${node.html}`));
  });
}
