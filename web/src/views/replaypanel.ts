// Replay, its progress and its outcome: the panel at the top and the chip that stays in sight.
import type { Page } from "../data";
import { find, grouped, h, kit, maybe } from "../dom";
import type { OutcomeResult } from "../engine/protocol.gen";
import type { Numbers } from "../numbers";
import { busy, type Replayer, type Run, share } from "../replay";
import { failure } from "./failure";

export function startReplayPanel(data: Page, replayer: Replayer, numbers: Numbers): void {
  find("replay").addEventListener("click", () => void replayer.start(false));
  for (const id of ["cancel", "bar-cancel"]) {
    find(id).addEventListener("click", () => {
      replayer.cancel();
      find("replay").focus();
    });
  }
  const dense = maybe("replay-dense");
  dense?.addEventListener("click", () => void replayer.start(true));
  const all = data.frozen[data.frozen.length - 1]?.numbers ?? 0;
  replayer.run.follow((run, before) => {
    const running = busy(run);
    for (const id of ["cancel", "bar-cancel"]) find(id).hidden = !running;
    find("replay").textContent =
      run.kind === "done" || (run.kind === "idle" && run.cancelled) ? "Replay again" : running ? "Start afresh" : "Replay";
    if (run.kind === "done" || before.kind === "done") showVerdict(run, numbers);
    showChip(run);
    showStages(run);
    if (run.kind !== before.kind || run === before) announce(run, all, data.late);
  });
}

/** The state of the study in a few words. */
function summary(run: Run): string {
  switch (run.kind) {
    case "idle":
      return run.cancelled ? "cancelled; not replayed" : "not replayed yet";
    case "loading":
      return run.total > 1e6 ? `loading ${Math.floor((100 * run.done) / run.total)} %` : "loading";
    case "running":
      return `replaying ${Math.floor(share(run) * 100)} %`;
    case "failed":
      return "replay failed";
    case "done":
      return outcomeText(run.outcome, run.seconds);
  }
}

function outcomeText({ identical, same, numbers, total }: OutcomeResult, seconds: number): string {
  if (identical) return `reproduced: ${grouped(same)} of ${grouped(numbers.length)} numbers, in ${seconds.toFixed(1)} s, here`;
  return `${total} ${total === 1 ? "number differs" : "numbers differ"}`;
}

function chipState(run: Run): string {
  if (busy(run)) return "running";
  if (run.kind === "done") return run.outcome.identical ? "reproduced" : "differs";
  return run.kind === "failed" ? "failed" : "published";
}

function showChip(run: Run): void {
  find("chip").dataset["state"] = chipState(run);
  const [said, more = ""] = summary(run).split(/(?=, in )/);
  find("chip-text").replaceChildren(said ?? "", h("span", { class: "chip-more" }, more));
}

// The sentence is the engine's, from the numbers that were computed here; without any it is the published one.
let published: Node[] | null = null;

function showVerdict(run: Run, numbers: Numbers): void {
  const sentence = maybe("verdict");
  if (sentence === null) return;
  published ??= Array.from(sentence.childNodes, (node) => node.cloneNode(true));
  if (run.kind === "done")
    sentence.replaceChildren(...run.outcome.verdict.map(({ text, path }) => (path === "" ? kit(text) : numbers.element(path))));
  else {
    sentence.replaceChildren(...published.map((node) => node.cloneNode(true)));
    numbers.refresh(sentence);
  }
}

function showStages(run: Run): void {
  const list = find("stages");
  const items = list.querySelectorAll("li");
  items.forEach((item, place) => {
    const bar = item.querySelector<HTMLElement>(".fill");
    const count = item.querySelector<HTMLElement>(".count");
    let part = run.kind === "done" ? 1 : 0;
    let text = run.kind === "done" ? "done" : "";
    if (run.kind === "running") {
      const { stage, done, total } = run.progress;
      part = place < stage ? 1 : place > stage ? 0 : total === 0 ? 0 : done / total;
      text = place < stage ? "done" : place > stage ? "" : total === 0 ? "…" : `${done} of ${total}`;
    }
    if (bar !== null) bar.style.transform = `scaleX(${part})`;
    if (count !== null) count.textContent = text;
  });
}

function announce(run: Run, published: number, late: boolean): void {
  for (const id of ["live", "dense-live"]) maybe(id)?.replaceChildren();
  const live = find("live");
  switch (run.kind) {
    case "loading":
      live.textContent = late ? "Loading the engine, the data and the vectors …" : "Loading the engine and the data …";
      break;
    case "running":
      live.textContent = "Replaying …";
      break;
    case "idle":
      if (run.cancelled) live.textContent = "Cancelled. The numbers are the published ones again.";
      break;
    case "failed":
      live.replaceChildren(failure(run.error), h("p", {}, "The numbers on this page are the published ones."));
      break;
    case "done":
      live.replaceChildren(...verdict(run.outcome, run.seconds, published));
      break;
  }
  const dense = maybe("dense-live");
  if (dense !== null && run.kind === "done" && run.vectors) dense.textContent = `Done, with the embeddings: ${summary(run)}.`;
}

function verdict(outcome: OutcomeResult, seconds: number, published: number): Node[] {
  const { identical, same, numbers, total } = outcome;
  const nodes: Node[] = [];
  if (identical) {
    nodes.push(
      h("strong", {}, `Reproduced: ${grouped(same)} of ${grouped(numbers.length)} numbers, in ${seconds.toFixed(1)} s, in this browser.`),
    );
    const rest = published - numbers.length;
    if (rest > 0) nodes.push(document.createTextNode(` The other ${rest} need embeddings: they can be replayed below.`));
  } else {
    nodes.push(
      h(
        "strong",
        {},
        `${grouped(total)} of ${grouped(numbers.length)} numbers ${total === 1 ? "differs" : "differ"} from what was published.`,
      ),
      document.createTextNode(" "),
      h("a", { href: "#reproduce" }, "See which."),
    );
  }
  const sentence = maybe("verdict")?.textContent;
  if (sentence != null) nodes.push(h("span", { class: "hidden" }, ` ${sentence}`));
  return nodes;
}
