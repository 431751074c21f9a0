// Prints the SHA-256 of a study's results as Chromium computes them, and nothing else: node hash.mjs STUDY.
// Needs the site with the testing entry: build site --entry engine/testing.ts --out .cache/testsite.
import { launch, open, serve, testSite } from "./harness.mjs";

const [study] = process.argv.slice(2);
const site = await serve({ dir: testSite });
const browser = await launch();
try {
  const { page, faults } = await open(browser, site.url);
  const hash = await page.evaluate(async (id) => {
    const { EnginePool, engineAssets, fetchKitIndex, filesOfStudy, kitIndexUrl } = globalThis.testing;
    const pool = new EnginePool(engineAssets);
    await pool.addFiles(kitIndexUrl, filesOfStudy(await fetchKitIndex(kitIndexUrl), id));
    const { sha256 } = await pool.replay(id, false);
    return sha256;
  }, study);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  console.log(hash);
} finally {
  await browser.close();
  await site.close();
}
