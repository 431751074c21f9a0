// Prints what Chromium asks a site for, one path a line: requests.mjs URL. First what opening R01's article asks for, then,
// after an empty line, what is asked for until a replay has reproduced every number.
import { launch } from "../test/support/harness.mjs";

const url = new URL("r01/", process.argv[2]);
const browser = await launch();
const page = await (await browser.newContext()).newPage();
const asked = new Set();
page.on("request", (request) => asked.add(new URL(request.url()).pathname));
await page.goto(url.href);
await page.waitForTimeout(300); // what is fetched at once; the engine waits until the page is idle
const first = [...asked].filter((path) => !/\.wasm$|^\/kit\//.test(path));
await page.getByRole("button", { name: /^Replay/ }).first().click();
await page.waitForFunction(() => /reproduced: /.test(document.querySelector("header").textContent), null, { timeout: 60000 });
console.log([...first, "", ...[...asked].filter((path) => !first.includes(path))].join("\n"));
await browser.close();
