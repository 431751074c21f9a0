// Taking archives: dropped anywhere on a page, or chosen by a button. What opens them is loaded when it is first needed.
import { h } from "./dom";

/** Follows drops and the buttons with data-open-archive. */
export function takeArchives(): void {
  const input = h("input", {
    type: "file",
    id: "archive-file",
    accept: ".zip,.ZIP,application/zip",
    hidden: "",
    "aria-label": "Archive of a study",
  });
  document.body.append(input);
  input.addEventListener("change", () => {
    const files = Array.from(input.files ?? []);
    input.value = ""; // so that the same file can be chosen again
    if (files.length > 0) void open(files);
  });
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("[data-open-archive]") !== null) input.click();
  });

  const over = (on: boolean): boolean => document.body.classList.toggle("dropping", on);
  document.addEventListener("dragover", (event) => {
    // A part of the page that takes files of its own has said so.
    const mine = !event.defaultPrevented && event.dataTransfer?.types.includes("Files") === true;
    over(mine);
    if (mine) event.preventDefault();
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) over(false); // out of the window
  });
  document.addEventListener("drop", (event) => {
    over(false);
    const files = Array.from(event.dataTransfer?.files ?? []);
    if (event.defaultPrevented || files.length === 0) return;
    event.preventDefault();
    void open(files);
  });
}

async function open(files: readonly File[]): Promise<void> {
  const { openArchive } = await import("./views/archive");
  await openArchive(files);
}
