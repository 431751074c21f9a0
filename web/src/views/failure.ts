// What a failure looks like: what happened, where, and what to do about it.
import { h, kit } from "../dom";
import { EngineError } from "../engine/client";

/** A failure's text, hint and place as an element. */
export function failure(error: unknown): HTMLElement {
  const message = error instanceof Error ? error.message : String(error);
  const box = h("div", { class: "failure" }, h("p", {}, h("strong", {}, "This failed: "), kit(message)));
  if (error instanceof EngineError) {
    if (error.where !== "" && !message.includes(error.where)) box.append(h("p", { class: "quiet" }, "Where: ", kit(error.where)));
    if (error.hint !== "") box.append(h("p", {}, "What to do: ", kit(error.hint), "."));
  }
  return box;
}
