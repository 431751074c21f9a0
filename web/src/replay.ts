// Replaying: from the press of the button to the outcome, with every state in between as one value.
import { isCancelled, type ReplayProgress } from "./engine/client";
import type { OutcomeResult } from "./engine/protocol.gen";
import type { Session } from "./session";
import { Store } from "./store";

export type Run =
  | { readonly kind: "idle"; readonly cancelled: boolean }
  | { readonly kind: "loading"; readonly done: number; readonly total: number }
  | { readonly kind: "running"; readonly progress: ReplayProgress }
  | { readonly kind: "done"; readonly outcome: OutcomeResult; readonly seconds: number; readonly vectors: boolean }
  | { readonly kind: "failed"; readonly error: unknown };

export class Replayer {
  readonly run = new Store<Run>({ kind: "idle", cancelled: false });
  private latest = 0;

  constructor(
    private readonly session: Session,
    private readonly vectors: readonly string[],
    private readonly parts: boolean,
  ) {}

  /** Starts afresh, whatever runs. */
  async start(withVectors: boolean): Promise<void> {
    const mine = ++this.latest;
    let over = false; // files may still arrive after a failure
    const current = (): boolean => this.latest === mine && !over;
    const began = performance.now();
    const loading = (done: number, total: number): void => {
      if (current()) this.run.set({ kind: "loading", done, total });
    };
    loading(0, 0);
    try {
      await this.session.prepare(loading);
      if (withVectors) await this.session.load(this.vectors, loading);
      if (!current()) return;
      const outcome = await this.session.replay(this.parts && !withVectors, (progress) => {
        if (current()) this.run.set({ kind: "running", progress });
      });
      if (current())
        this.run.set({ kind: "done", outcome, seconds: (performance.now() - began) / 1000, vectors: withVectors || !this.parts });
    } catch (error) {
      if (!current()) return;
      over = true;
      this.run.set(isCancelled(error) ? { kind: "idle", cancelled: true } : { kind: "failed", error });
    }
  }

  cancel(): void {
    this.latest++;
    this.session.pool.cancel();
    this.run.set({ kind: "idle", cancelled: true });
  }
}

export function busy(run: Run): boolean {
  return run.kind === "loading" || run.kind === "running";
}

/** How far a replay is, from 0 to 1; stages count alike. */
export function share(run: Run): number {
  if (run.kind !== "running") return run.kind === "done" ? 1 : 0;
  const { stages, stage, done, total } = run.progress;
  return (stage + (total === 0 ? 0 : done / total)) / stages.length;
}
