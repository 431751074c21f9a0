// The integrity panel: the hash of every file and of the results, as this browser computes them.
import type { Page } from "../data";
import { find, h, kit } from "../dom";
import type { CheckedFile } from "../engine/client";
import type { OutcomeResult } from "../engine/protocol.gen";
import type { Run } from "../replay";
import type { Session } from "../session";
import type { Store } from "../store";
import { failure } from "./failure";

export function startIntegrity(data: Page, session: Session, run: Store<Run>): void {
  session.checked.follow((files) => files.forEach(showFile));
  run.follow((now) => {
    showResults(now);
    find("differences").replaceChildren(...(now.kind === "done" && !now.outcome.identical ? [differences(now.outcome)] : []));
  });
  const button = find<HTMLButtonElement>("check-rest");
  button.addEventListener("click", () => void checkRest(data, session, button));
}

function cell(selector: string): HTMLElement | null {
  return document.querySelector(`${selector} .file-state`);
}

function set(element: HTMLElement | null, state: string, text: string): void {
  if (element === null) return;
  element.dataset["state"] = state;
  element.textContent = text;
}

function showFile({ path, computed }: CheckedFile): void {
  const element = cell(`tr[data-file="${CSS.escape(path)}"]`);
  if (computed === null) set(element, "waiting", "loaded; no hashing here");
  else set(element, "same", "same hash");
}

function showResults(run: Run): void {
  for (const row of document.querySelectorAll<HTMLElement>("tr[data-frozen]")) {
    const element = row.querySelector<HTMLElement>(".file-state");
    if (run.kind !== "done") {
      set(element, "waiting", "not replayed yet");
      continue;
    }
    const file = run.outcome.files.find(({ path }) => path === row.dataset["frozen"]);
    if (file === undefined) set(element, "waiting", "not part of this replay");
    else if (file.identical) set(element, "reproduced", "reproduced");
    else set(element, "differs", `differs: ${file.sha256}`);
  }
  if (run.kind !== "done") return;
  for (const { path, identical, sha256, frozen } of run.outcome.files) {
    if (frozen === "") continue;
    set(
      cell(`tr[data-file="${CSS.escape(path)}"]`),
      identical ? "reproduced" : "differs",
      identical ? "reproduced" : `made here: ${sha256}`,
    );
  }
}

export function differences({ differences: list, total }: OutcomeResult): HTMLElement {
  const rows = list.map(({ path, frozen, here }) =>
    h("tr", {}, h("th", { scope: "row" }, h("code", {}, path)), h("td", {}, kit(frozen)), h("td", {}, kit(here))),
  );
  const head = h(
    "thead",
    {},
    h("tr", {}, h("th", { scope: "col" }, "Path"), h("th", { scope: "col" }, "Published"), h("th", { scope: "col" }, "This browser")),
  );
  const table = h("table", {}, h("caption", {}, `${total} differing ${total === 1 ? "path" : "paths"}`), head, h("tbody", {}, ...rows));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Differences" }, table);
}

async function checkRest(data: Page, session: Session, button: HTMLButtonElement): Promise<void> {
  const live = find("check-live");
  button.disabled = true;
  const held = new Set(session.checked.value.map(({ path }) => path));
  const rest = Array.from(document.querySelectorAll<HTMLElement>("tr[data-file]"), (row) => row.dataset["file"] ?? "").filter(
    (path) => !held.has(path),
  );
  try {
    await session.prepare();
    await session.load(rest, (done, total) => {
      live.textContent = `Loaded ${Math.floor((100 * done) / Math.max(total, 1))} %`;
    });
    live.textContent = `All ${session.checked.value.length} files have the hashes that the kit of ${data.study} states.`;
  } catch (error) {
    live.replaceChildren(failure(error));
  } finally {
    button.disabled = false;
  }
}
