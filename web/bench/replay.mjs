// Measures R01's replay in Chromium, from pressing Replay to all numbers, as tools/bench-replay asks: in new tabs, each
// three times after five quiet seconds. Prints one line of milliseconds a tab.
import { launch, serve } from "../test/support/harness.mjs";

const site = await serve();
const browser = await launch();
for (let tab = 0; tab < 3; tab++) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(new URL("r01/", site.url).href);
  await page.waitForTimeout(5000);
  const times = [];
  for (let press = 0; press < 3; press++) {
    await page.waitForTimeout(500);
    times.push(
      await page.evaluate(
        () =>
          new Promise((resolve) => {
            const chip = document.querySelector("header");
            const button = [...document.querySelectorAll("button")].find((b) => /^Replay/.test(b.textContent.trim()) && b.offsetParent);
            const started = performance.now();
            button.click();
            let running = false;
            const look = () => {
              const text = chip.textContent;
              running ||= /replaying/.test(text);
              if (running && /reproduced/.test(text)) resolve(Math.round(performance.now() - started));
              else requestAnimationFrame(look);
            };
            look();
          }),
      ),
    );
  }
  console.log(times.join(" "));
  await context.close();
}
await browser.close();
await site.close();
