// What the browser tests share: a server for the built site, Chromium, and checks that every page must pass.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after, before as nodeBefore, test as nodeTest } from "node:test";
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

/** How long a test or a set-up may take, in milliseconds; the slowest takes a tenth of it on a machine with two cores. */
export const limit = 300_000;

/** How long the server may take to say where it listens. */
const serverLimit = 30_000;

// What was started, as promises: a set-up may fail while something of it is still starting.
/** @type {Set<Promise<{ close(): Promise<void> }>>} */
const started = new Set();

/** @template {{ close(): Promise<void> }} T @param {Promise<T>} starting */
function toClose(starting) {
  started.add(starting);
  return starting;
}

async function closeAll() {
  const all = [...started];
  started.clear();
  await Promise.allSettled(all.map(async (starting) => (await starting).close()));
}

after(closeAll, { timeout: limit });

/**
 * A set-up with a time limit. Where it fails, what it started is closed, so that the file ends and says why.
 * @param {() => Promise<void>} body
 */
export function before(body) {
  nodeBefore(async () => {
    try {
      await within(limit, "the set-up", body());
    } catch (cause) {
      await closeAll();
      throw cause;
    }
  });
}

/** A test with a time limit. */
export const test = (/** @type {string} */ name, /** @type {() => Promise<void>} */ body) => nodeTest(name, { timeout: limit }, body);

/** @template T @param {number} milliseconds @param {string} what @param {Promise<T>} work @returns {Promise<T>} */
async function within(milliseconds, what, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${milliseconds / 1000} s`)), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Serves a built site on a free port with the project's own server, until the file's tests are over or close is called.
 * @param {{ dir?: string, base?: string }} [options]
 * @returns {Promise<{ url: string, close(): Promise<void> }>}
 */
export function serve(options) {
  return toClose(startServer(options));
}

async function startServer({ dir = builtSite, base = "/" } = {}) {
  if (!existsSync(dir)) throw new Error(`${dir} is missing: run make site first`);
  const child = spawn(buildCommand, ["serve", "--dir", dir, "--base", base, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = new Promise((resolve) => child.once("close", resolve));
  const close = async () => {
    child.kill("SIGTERM");
    await exited;
  };
  const said = new Promise((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (data) => {
      printed += data;
      if (printed.includes("\n")) resolve(printed.trim());
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with status ${code}`)));
  });
  try {
    return { url: await within(serverLimit, "starting the server", said), close };
  } catch (cause) {
    child.kill("SIGKILL");
    throw cause;
  }
}

/** Starts Chromium: Debian's, or the one that CHROMIUM names. It runs until the file's tests are over. */
export function launch() {
  const starting = chromium.launch({
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
  return toClose(starting);
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
    if (asked.protocol !== "data:" && asked.protocol !== "blob:" && asked.origin !== origin)
      faults.push(`request to another origin: ${request.url()}`);
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

/**
 * What makes a page scroll sideways: elements that end right of the window, outside of boxes that scroll by themselves,
 * with text as it is and a quarter larger, which is what a wide font or a reader's own setting makes of it.
 * @param {import("playwright-core").Page} page
 */
export async function sideways(page) {
  const found = [];
  for (const size of ["100%", "125%"]) {
    await page.evaluate((to) => (document.documentElement.style.fontSize = to), size);
    await page.waitForTimeout(100); // figures follow
    const here = await page.evaluate(() => {
      const far = [...document.querySelectorAll("main *")].filter(
        (e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, svg"),
      );
      const { scrollWidth } = document.documentElement;
      return [
        ...far.slice(0, 3).map((e) => e.outerHTML.slice(0, 80)),
        ...(scrollWidth > innerWidth ? [`the page is ${scrollWidth} wide`] : []),
      ];
    });
    found.push(...here.map((what) => `at ${size}: ${what}`));
  }
  await page.evaluate(() => (document.documentElement.style.fontSize = ""));
  return found;
}
