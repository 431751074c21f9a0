// A kit of which nothing can be trusted: its texts try to be markup and to turn the page around, and one of its frozen
// numbers is not what a replay gives. Sealed and frozen anew by the project's own commands, so that the engine takes it.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { limit, project } from "./harness.mjs";

export const evil = {
  title: "<img src=x onerror=globalThis.taken=1> \u202Eeman",
  question: "</script><script>globalThis.taken=1</script> \u2066turned around & measured probability",
  study: "Do <b>links</b> help?",
  note: "</p><svg onload=globalThis.taken=1>",
};

/** A frozen number of the kit, as it is and as it is made to be. */
export const altered = { path: "methods.bm25.mrr10" };

const sha256 = (data) => createHash("sha256").update(data).digest("hex");

/** Makes the kit and a site from it; returns the site's folder. */
export async function hostileSite() {
  const work = await mkdtemp(path.join(tmpdir(), "retrace-hostile-"));
  try {
    return { dir: await makeSite(work), work };
  } catch (cause) {
    await rm(work, { recursive: true, force: true });
    throw cause;
  }
}

async function makeSite(work) {
  const kit = path.join(work, "kit");
  for (const folder of ["concepts", "r01"]) await cp(`${project}kit/${folder}`, path.join(kit, folder), { recursive: true });
  const build = (...args) =>
    execFileSync(`${project}.cache/bin/build`, args, { cwd: project, timeout: limit, stdio: ["ignore", "ignore", "inherit"] });
  const edit = async (file, change) => {
    const name = path.join(kit, file);
    await writeFile(name, change(await readFile(name, "utf8")));
  };
  await edit("concepts/corpus.jsonl", (text) => text.replace('"title": "tail dependence"', `"title": ${JSON.stringify(evil.title)}`));
  await edit("r01/questions.jsonl", (text) => text.replace(/"text": "[^"]*"/, `"text": ${JSON.stringify(evil.question)}`));
  await edit("r01/study.json", (text) => {
    const study = JSON.parse(text);
    study.title = evil.study;
    study.knownItem.kindNotes = evil.note;
    return JSON.stringify(study, null, 2);
  });
  for (const folder of ["seals", "frozen"]) await rm(path.join(kit, "r01", folder), { recursive: true });
  build("manifest", "--kit", kit, "concepts");
  build("seal", "--kit", kit, "--requires", "concepts", "r01");
  build("lock", "--kit", kit, "r01");
  build("freeze", "--kit", kit, "r01");
  await alter(kit);
  const site = path.join(work, "site");
  build("site", "--kit", kit, "--study", "r01", "--out", site);
  return site;
}

// Changes one digit of a frozen number and every hash above it: the size stays.
async function alter(kit) {
  let manifest = await readFile(path.join(kit, "r01/manifest.json"), "utf8");
  let seal = await readFile(path.join(kit, "r01/seals/3-frozen.json"), "utf8");
  const oldSeal = sha256(seal);
  for (const name of ["results.json", "results-without-vectors.json"]) {
    const file = path.join(kit, "r01/frozen", name);
    const before = await readFile(file, "utf8");
    const value = String(JSON.parse(before).methods.bm25.mrr10);
    const digit = value[3] === "9" ? "8" : "9";
    const after = before.replace(
      `"mrr10":${value},"questions":240`,
      `"mrr10":${value.slice(0, 3)}${digit}${value.slice(4)},"questions":240`,
    );
    if (after === before) throw new Error("the number to alter was not found");
    await writeFile(file, after);
    manifest = manifest.replace(sha256(before), sha256(after));
    seal = seal.replace(sha256(before), sha256(after));
  }
  await writeFile(path.join(kit, "r01/seals/3-frozen.json"), seal);
  await writeFile(path.join(kit, "r01/manifest.json"), manifest.replace(oldSeal, sha256(seal)));
}
