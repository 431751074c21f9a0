// What explanations are about: the page's study, or an archive that was opened in its place.
import type { Numbers } from "./numbers";
import type { Session } from "./session";
import { Store } from "./store";

export interface Subject {
  readonly session: Pick<Session, "study" | "ask" | "waits">;
  readonly numbers: Pick<Numbers, "published" | "element" | "plain">;
}

export const subject = new Store<Subject | null>(null);
