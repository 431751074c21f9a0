// An archive that a reader opened, in the page's place: what it is, its replay, its numbers and its files. Nothing of it
// leaves the browser.
import { closeExplanation } from "../address";
import { grouped, h, kit, maybe, visible } from "../dom";
import { EngineError, EnginePool } from "../engine/client";
import type { ArchiveResult, File as KitFile, OutcomeResult, ShowNumber as Shown } from "../engine/protocol.gen";
import { engineAssets, root } from "../engine/site";
import { Numbers } from "../numbers";
import { longestArchive } from "../page.gen";
import { busy, Replayer, type Run, share } from "../replay";
import { Session } from "../session";
import { type Subject, subject } from "../subject";
import { startDrawer } from "./drawer";
import { failure } from "./failure";
import { differences } from "./integrity";

/** Rows of a table that are shown at once. */
const batch = 500;

/** An archive's session needs no files of the site. */
class ArchiveSession extends Session {
  constructor(study: string, pool: EnginePool) {
    super(study, [], [], pool);
  }
  override prepare(): Promise<void> {
    return this.pool.start();
  }
}

/** What stands in the page's place while an archive is open. */
interface Opened {
  readonly view: HTMLElement;
  readonly hidden: readonly HTMLElement[];
  readonly before: Subject | null;
  readonly opener: Element | null;
  pool: EnginePool;
}

let opened: Opened | null = null;

/** Opens the one file in the page's place. */
export async function openArchive(files: readonly File[]): Promise<void> {
  const place = (opened ??= takePlace());
  place.pool.close();
  const pool = (place.pool = new EnginePool(engineAssets));
  closeExplanation();
  subject.set(null);
  const current = (): boolean => opened?.pool === pool;
  const [file] = files;
  if (file === undefined) return;
  const live = h("p", { class: "live", role: "status" });
  show(place, h("h1", { tabindex: "-1" }, "Opening an archive"), live);
  live.append("Checking ", kit(file.name), " …"); // after the region is there, so that it is announced
  try {
    if (files.length > 1) throw new EngineError("bad-archive", `${files.length} files were dropped at once`, "open one archive at a time");
    const about = await pool.addArchive(await read(file));
    const session = new ArchiveSession(about.study, pool);
    const frozen = about.frozen ? (await session.ask("frozen", { study: about.study, withoutVectors: false })).numbers : [];
    if (current()) describe(place, file.name, about, frozen, session);
  } catch (error) {
    if (current()) refuse(place, file.name, error);
  }
}

async function read(file: File): Promise<ArrayBuffer> {
  if (file.size > longestArchive) {
    throw new EngineError(
      "bad-archive",
      `the file has ${grouped(file.size)} bytes, at most ${grouped(longestArchive)} can be opened here`,
      "if it is a study's archive, native replay takes larger ones",
    );
  }
  try {
    return await file.arrayBuffer();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("unreadable", `it could not be read: ${why}`, "open the .zip itself, not a folder that was unpacked from it");
  }
}

function takePlace(): Opened {
  if (maybe("drawer") === null)
    document.body.append(h("aside", { class: "drawer", id: "drawer", "aria-labelledby": "drawer-title", hidden: "" }));
  const states: readonly (readonly [string, string])[] = [
    ["published", "frozen in the archive, not recomputed here"],
    ["reproduced", "reproduced here"],
    ["differs", "differs from the number frozen in the archive"],
  ];
  for (const [state, text] of states)
    if (maybe(`state-${state}`) === null) document.body.append(h("p", { id: `state-${state}`, hidden: "" }, text));
  startDrawer();
  const hidden = Array.from(document.querySelectorAll<HTMLElement>("body > main, body > .bar, body > .skip"));
  for (const element of hidden) element.hidden = true;
  const view = h("main", { class: "page plain archive", id: "archive" });
  (hidden[hidden.length - 1] ?? document.body).after(view);
  return { view, hidden, before: subject.value, opener: document.activeElement, pool: new EnginePool(engineAssets, 1) };
}

function leave(): void {
  if (opened === null) return;
  const { view, hidden, before, opener, pool } = opened;
  opened = null;
  pool.close();
  closeExplanation();
  subject.set(before);
  view.remove();
  for (const element of hidden) element.hidden = false;
  if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
}

function show({ view }: Opened, ...content: readonly Node[]): void {
  const back = h("button", { type: "button", id: "archive-close" }, "Close");
  back.addEventListener("click", leave);
  const other = h("button", { type: "button", "data-open-archive": "" }, "Open another archive…");
  view.replaceChildren(h("p", { class: "archive-bar" }, back, " ", other), ...content);
  scrollTo(0, 0);
  view.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
}

function refuse(place: Opened, name: string, error: unknown): void {
  const box = failure(error);
  box.setAttribute("role", "alert");
  show(
    place,
    h("p", { class: "kicker" }, kit(name)),
    h("h1", { tabindex: "-1" }, "This archive can’t be opened"),
    box,
    h(
      "p",
      {},
      "Nothing in it was used, and nothing left this browser. An archive is taken whole or not at all: " +
        "every file must be as its inventory, its manifests and its seals say.",
    ),
  );
}

function describe(place: Opened, name: string, about: ArchiveResult, frozen: readonly Shown[], session: ArchiveSession): void {
  const { study, title, summary, version, published, identity, files, bytes, dataLicence, codeLicence } = about;
  const replayer = new Replayer(session, [], false);
  const numbers = new Numbers(texts(frozen), "archived");
  subject.set({ session, numbers });

  const offered = h("dd", {}, "comparing …");
  const facts = h("dl", { class: "facts" });
  const fact = (label: string, ...value: readonly (Node | string)[]): void => facts.append(h("dt", {}, label), h("dd", {}, ...value));
  fact("Study", kit(study), ", version ", kit(version));
  if (about.draft) fact("Status", h("strong", {}, "a draft"), ": not every stage of the study was sealed when it was packed");
  if (published !== "") fact("Published", kit(published));
  fact("Files", `${grouped(files.length)}, ${grouped(bytes)} bytes, every one as the inventory, the manifests and the seals say`);
  if (about.ignored.length > 0)
    fact(
      "Ignored",
      "as no files of the study: ",
      about.ignored.slice(0, 5).map(visible).join(", "),
      about.ignored.length > 5 ? ` and ${grouped(about.ignored.length - 5)} more` : "",
    );
  fact("Licences", "data ", kit(dataLicence), ", code ", kit(codeLicence));
  fact("Identity", h("code", { class: "hash" }, identity));
  facts.append(h("dt", {}, "This site"), offered);
  void compare(about).then((text) => offered.replaceChildren(text));

  const button = h("button", { type: "button", class: "primary", id: "archive-replay" }, "Replay");
  const cancel = h("button", { type: "button", hidden: "" }, "Cancel");
  button.addEventListener("click", () => void replayer.start(false));
  cancel.addEventListener("click", () => {
    replayer.cancel();
    button.focus();
  });
  const progress = h("progress", { max: "1", value: "0", "aria-label": "Replay", hidden: "" });
  const live = h("p", { class: "live", role: "status", id: "archive-live" });
  const verdict = h("div", { id: "archive-verdict" });
  const list = h("tbody");
  const numberSection = h("section", { id: "archive-numbers" });
  const fileRows = new Map<string, HTMLElement>();

  show(
    place,
    h("p", { class: "kicker" }, "From the archive ", kit(name)),
    h("h1", { tabindex: "-1" }, kit(title)),
    h("p", {}, kit(summary)),
    facts,
    h("div", { class: "replay" }, h("div", { class: "replay-row" }, button, cancel, progress), live),
    verdict,
    numberSection,
    h("h2", {}, "Every file, and its hash"),
    fileTable(files, fileRows),
  );
  const next =
    frozen.length > 0
      ? `Replay computes its ${grouped(frozen.length)} numbers again.`
      : "It holds no frozen results; Replay computes what it gives.";
  live.textContent = `${name} is sound: ${grouped(files.length)} files of study ${visible(study)}. ${next}`;
  listNumbers(numberSection, list, frozen, numbers, frozen.length > 0);

  replayer.run.follow((run, before) => {
    cancel.hidden = progress.hidden = !busy(run);
    progress.value = share(run);
    button.textContent =
      run.kind === "done" || (run.kind === "idle" && run.cancelled) ? "Replay again" : busy(run) ? "Start afresh" : "Replay";
    if (run === before || (run.kind === before.kind && run.kind === "running")) return;
    say(live, run, frozen.length > 0);
    verdict.replaceChildren();
    if (run.kind !== "done") {
      if (before.kind === "done") numbers.update(null);
      return;
    }
    const { outcome } = run;
    if (frozen.length > 0) {
      numbers.update(outcome);
      if (!outcome.identical) verdict.append(differences(outcome));
    } else listNumbers(numberSection, list, outcome.numbers, numbers, false);
    markFiles(fileRows, outcome);
  });
}

/** Texts by path. Without a prototype, so that a path can be any word. */
function texts(list: readonly Shown[]): Record<string, string> {
  const held = Object.create(null) as Record<string, string>;
  for (const { path, text } of list) held[path] = text;
  return held;
}

function say(live: HTMLElement, run: Run, compared: boolean): void {
  switch (run.kind) {
    case "running":
    case "loading":
      live.textContent = "Replaying …";
      break;
    case "failed":
      live.replaceChildren(failure(run.error));
      break;
    case "done":
      live.replaceChildren(h("strong", {}, outcomeText(run.outcome, run.seconds, compared)));
      break;
    case "idle":
      if (run.cancelled) live.textContent = "Cancelled.";
  }
}

function outcomeText({ identical, same, numbers, total }: OutcomeResult, seconds: number, compared: boolean): string {
  const count = grouped(numbers.length);
  const where = `in ${seconds.toFixed(1)} s, in this browser`;
  if (!compared) return `Computed: ${count} numbers, ${where}. The archive holds nothing to compare them with.`;
  if (identical) return `Reproduced: ${grouped(same)} of ${count} numbers, ${where}.`;
  return `${grouped(total)} of ${count} ${total === 1 ? "number differs" : "numbers differ"} from what the archive holds frozen, ${where}.`;
}

/** Writes the table of numbers, a batch at a time: an archive may hold very many. */
function listNumbers(section: HTMLElement, body: HTMLElement, list: readonly Shown[], numbers: Numbers, compared: boolean): void {
  if (list.length === 0) return;
  body.replaceChildren();
  const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Path"), h("th", { scope: "col" }, "Number")));
  const more = h("button", { type: "button" });
  const add = (): void => {
    const from = body.childElementCount;
    for (const { path, text } of list.slice(from, from + batch)) {
      const value = compared
        ? numbers.element(path)
        : h("a", { class: "num", href: `#${new URLSearchParams({ explain: path }).toString()}` }, text);
      body.append(h("tr", {}, h("th", { scope: "row" }, h("code", {}, kit(path))), h("td", {}, value)));
    }
    const left = list.length - body.childElementCount;
    more.hidden = left === 0;
    more.textContent = `Show ${grouped(Math.min(batch, left))} more of ${grouped(left)}`;
  };
  more.addEventListener("click", add);
  add();
  section.replaceChildren(
    h("h2", {}, "Every number"),
    h("p", {}, "Press a number to see how it came about."),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "All numbers" },
      h("table", {}, h("caption", {}, `${grouped(list.length)} numbers`), head, body),
    ),
    h("p", {}, more),
  );
}

function fileTable(files: readonly KitFile[], states: Map<string, HTMLElement>): HTMLElement {
  const rows = files.map(({ path, bytes, sha256 }) => {
    const state = h("td", { class: "file-state", "data-state": "same" }, "same hash");
    states.set(path, state);
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, kit(path)),
      h("td", { class: "size" }, grouped(bytes)),
      h("td", {}, h("code", { class: "hash" }, sha256)),
      state,
    );
  });
  const head = h("thead", {}, h("tr", {}, ...["File", "Bytes", "SHA-256", "This browser"].map((text) => h("th", { scope: "col" }, text))));
  return h(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Files of the archive" },
    h("table", { class: "files" }, head, h("tbody", {}, ...rows)),
  );
}

function markFiles(states: ReadonlyMap<string, HTMLElement>, outcome: OutcomeResult): void {
  for (const { path, identical, sha256 } of outcome.files) {
    const state = states.get(path);
    if (state === undefined) continue;
    state.dataset["state"] = identical ? "reproduced" : "differs";
    state.textContent = identical ? "reproduced" : `made here: ${sha256}`;
  }
}

/** archives/index.json, written by cmd/build/site. */
interface ArchiveIndex {
  readonly format: 1;
  readonly archives: readonly { readonly study: string; readonly identity: string }[];
}

/** How the archive compares with what this site offers. The request is the same whatever the archive is. */
async function compare({ study, identity }: ArchiveResult): Promise<Node> {
  let index: ArchiveIndex;
  try {
    const response = await fetch(new URL("archives/index.json", root), { cache: "no-cache" });
    if (!response.ok) throw new Error(`status ${response.status}`);
    index = (await response.json()) as ArchiveIndex;
  } catch {
    return h("span", {}, "its list of archives could not be loaded, so nothing was compared");
  }
  const ours = index.archives.find((archive) => archive.study === study);
  if (ours === undefined)
    return h(
      "span",
      { "data-state": "unknown" },
      "offers no archive of a study ",
      kit(study),
      "; only the archive itself vouches for its files",
    );
  if (ours.identity === identity) return h("span", { "data-state": "same" }, "offers the same archive: every file is the same");
  return h(
    "span",
    { "data-state": "differs" },
    "offers another archive of study ",
    kit(study),
    ", with identity ",
    h("code", { class: "hash" }, ours.identity),
  );
}
