// One engine for the page: its pool of workers, the kit's files in it, and what this browser knows of each file.
import {
  type Body,
  type CheckedFile,
  EnginePool,
  fetchKitIndex,
  type Kind,
  type KitFile,
  type KitIndex,
  type ReplayProgress,
  type Result,
} from "./engine/client";
import type { OutcomeResult } from "./engine/protocol.gen";
import { kitIndexUrl } from "./engine/site";
import { Store } from "./store";

export type LoadProgress = (done: number, total: number) => void;

export class Session {
  /** Files that were fetched and hashed here. */
  readonly checked = new Store<readonly CheckedFile[]>([]);
  private index: Promise<KitIndex> | undefined;
  private started: Promise<void> | undefined;
  private ready: Promise<void> | undefined;
  private readonly waiting = new Set<LoadProgress>();
  private complete = false;

  constructor(
    readonly study: string,
    private readonly needs: readonly string[],
    /** Files that nothing can be computed without, but much to load for somebody who only reads. */
    private readonly late: readonly string[],
    readonly pool: EnginePool,
  ) {}

  /** Starts the workers and hands them the files that everything reads, those that wait left out. */
  private start(onProgress?: LoadProgress): Promise<void> {
    if (this.started === undefined) {
      this.started = Promise.all([this.pool.start(), this.load(this.needs, onProgress)]).then(() => undefined);
      this.started.catch(() => {
        this.started = undefined; // so that the next try can succeed
      });
    }
    return this.started;
  }

  /** Gets everything ready that a replay reads. */
  async prepare(onProgress?: LoadProgress): Promise<void> {
    await this.start(onProgress);
    if (this.late.length === 0) return;
    // Loaded once, but heard by everybody who waits for it.
    if (onProgress !== undefined) this.waiting.add(onProgress);
    this.ready ??= this.load(this.late, (done, total) => this.waiting.forEach((hear) => hear(done, total)));
    try {
      await this.ready;
      this.complete = true;
    } catch (cause) {
      this.ready = undefined;
      throw cause;
    } finally {
      if (onProgress !== undefined) this.waiting.delete(onProgress);
    }
  }

  /** Whether something has to be loaded before anything can be computed. */
  get waits(): boolean {
    return this.late.length > 0 && !this.complete;
  }

  /** Has every worker read and index the study, so that what is asked later starts at once. */
  async warm(): Promise<void> {
    await this.start();
    await Promise.all(Array.from({ length: this.pool.size }, () => this.pool.request("load", { study: this.study, prepare: true })));
  }

  /** Fetches files of the kit by their paths, hashes them and hands them to the workers. */
  async load(paths: readonly string[], onProgress?: LoadProgress): Promise<void> {
    const wanted = new Set(paths);
    const files = (await this.files()).filter(({ path }) => wanted.has(path));
    const checked = await this.pool.addFiles(kitIndexUrl, files, onProgress);
    const others = this.checked.value.filter(({ path }) => !wanted.has(path));
    this.checked.set([...others, ...checked]);
  }

  private async files(): Promise<readonly KitFile[]> {
    this.index ??= fetchKitIndex(kitIndexUrl).catch((cause: unknown) => {
      this.index = undefined;
      throw cause;
    });
    return (await this.index).files;
  }

  async ask<K extends Kind>(kind: K, body: Body<K>): Promise<Result<K>> {
    await this.prepare();
    return this.pool.request(kind, body);
  }

  replay(withoutVectors: boolean, onProgress: (progress: ReplayProgress) => void): Promise<OutcomeResult> {
    return this.pool.replay(this.study, withoutVectors, onProgress);
  }
}
