// One engine for the page: its pool of workers, the kit's files in it, and what this browser knows of each file.
import { type Body, type CheckedFile, EnginePool, fetchKitIndex, type Kind, type KitFile, type KitIndex, type ReplayProgress, type Result } from "./engine/client";
import type { OutcomeResult } from "./engine/protocol.gen";
import { engineAssets, kitIndexUrl } from "./engine/site";
import { Store } from "./store";

export type LoadProgress = (done: number, total: number) => void;

export class Session {
  readonly pool = new EnginePool(engineAssets);
  /** Files that were fetched and hashed here. */
  readonly checked = new Store<readonly CheckedFile[]>([]);
  private index: Promise<KitIndex> | undefined;
  private ready: Promise<void> | undefined;

  constructor(
    readonly study: string,
    private readonly needs: readonly string[],
  ) {}

  /** Starts the workers and hands them the files that a replay reads. */
  prepare(onProgress?: LoadProgress): Promise<void> {
    if (this.ready === undefined) {
      this.ready = Promise.all([this.pool.start(), this.load(this.needs, onProgress)]).then(() => undefined);
      this.ready.catch(() => {
        this.ready = undefined; // so that the next try can succeed
      });
    }
    return this.ready;
  }

  /** Has every worker read and index the study, so that what is asked later starts at once. */
  async warm(): Promise<void> {
    await this.prepare();
    await Promise.all(Array.from({ length: this.pool.size }, () => this.pool.request("load", { study: this.study })));
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
