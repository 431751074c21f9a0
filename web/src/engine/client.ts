// The page's side of the engine: a pool of workers that hold the same files, one promise for each request.
import type { FromWorker, ToWorker } from "./messages";
import type { ArchiveResult, Kinds, OutcomeResult, ReplayResult } from "./protocol.gen";

/** A request's name, as in core/proto; an archive is bytes and goes by EnginePool.addArchive. */
export type Kind = Exclude<keyof Kinds, "archive">;
/** What a request of this kind says, without its id and kind, which the pool adds. */
export type Body<K extends Kind> = Omit<Kinds[K]["request"], "id" | "kind">;
/** What a request of this kind is answered with. */
export type Result<K extends Kind> = Kinds[K]["result"];

/** Where the build put the engine; addresses may be relative to the page. */
export interface EngineAssets {
  readonly worker: string;
  readonly wasm: string;
  /** Subresource integrity of the WebAssembly file ("sha256-…"), checked by the browser. */
  readonly wasmIntegrity: string;
}

/** A kit file as kit/index.json lists it. */
export interface KitFile {
  /** Path in the kit, which the engine knows it by. */
  readonly path: string;
  /** Content-addressed address, relative to kit/index.json. */
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A study and the folders of the kit that it needs. */
export interface KitStudy {
  readonly id: string;
  readonly folders: readonly string[];
}

/** kit/index.json: small, and fetched afresh each time. */
export interface KitIndex {
  readonly format: 1;
  readonly studies: readonly KitStudy[];
  readonly files: readonly KitFile[];
}

/** The files that a study needs, by the folders that the index names for it. */
export function filesOfStudy(index: KitIndex, study: string): KitFile[] {
  const folders = index.studies.find(({ id }) => id === study)?.folders ?? [];
  return index.files.filter(({ path }) => folders.some((folder) => path.startsWith(`${folder}/`)));
}

/** A kit file that the page has fetched, with the hash that this browser computed. */
export interface CheckedFile extends KitFile {
  /** Lower-case hex; null where the browser offers no crypto.subtle (a page that is neither https nor localhost). */
  readonly computed: string | null;
}

/** A failure with what to do about it: from core/proto, or from loading the engine or the kit. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  constructor(
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly where = "",
  ) {
    super(message);
  }
}

function cancelled(): EngineError {
  return new EngineError("cancelled", "cancelled");
}

/** True for the error that a replay ends with when it is cancelled. */
export function isCancelled(error: unknown): boolean {
  return error instanceof EngineError && error.code === "cancelled";
}

/** How far a replay is. Stages follow each other; within one, units run in any order. */
export interface ReplayProgress {
  readonly stages: readonly string[];
  /** Place in stages. */
  readonly stage: number;
  readonly done: number;
  readonly total: number;
}

interface Job {
  /** What to send; made when a worker takes the job. */
  message(): ToWorker;
  /** Must run in the first worker, whose session holds the replay. */
  readonly first: boolean;
  /** Part of a replay: ends with it. */
  readonly replay: boolean;
  resolve(result: unknown): void;
  reject(error: EngineError): void;
}

/** Requests about the replay that a session holds; the others give the same reply in any session. */
const ofOneSession: ReadonlySet<Kind> = new Set<Kind>(["replay", "add", "close", "outcomeFile", "figures", "explain", "certificate"]);

interface Member {
  readonly worker: Worker;
  job: Job | null;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Workers that a pool has unless told otherwise: one a processor, at most four, since each holds its own copy of the kit. */
export function defaultWorkers(): number {
  return Math.max(1, Math.min(navigator.hardwareConcurrency || 1, 4));
}

/** A pool of engines. Every worker gets every file; a request goes to an idle one, or to the one that holds the replay. */
export class EnginePool {
  readonly size: number;
  private module: Promise<WebAssembly.Module> | undefined;
  private members: Member[] = [];
  private waiting: Job[] = [];
  /** The replay that runs, by its own mark: one that was cancelled ends after the next has begun. */
  private replaying: symbol | null = null;
  private readonly files = new Map<string, { file: CheckedFile; data: ArrayBuffer }>();
  private archive: ArrayBuffer | null = null;
  private nextId = 1;
  private closed = false;

  constructor(
    private readonly assets: EngineAssets,
    size = defaultWorkers(),
  ) {
    this.size = Math.max(1, Math.floor(size));
  }

  /** Fetches and compiles the engine and starts the workers. Requests call it themselves; call it early to be ready sooner. */
  async start(): Promise<void> {
    this.module ??= compile(this.assets).catch((cause: unknown) => {
      this.module = undefined; // so that a later try can succeed, for instance when the network is back
      throw cause;
    });
    const module = await this.module;
    if (this.closed) return;
    while (this.members.length < this.size) this.members.push(this.spawn(module));
    this.dispatch();
  }

  /**
   * Fetches files that the pool doesn't hold yet, hashes them here and hands a copy to each worker.
   * A file whose hash isn't the index's is an error and is not handed on.
   */
  async addFiles(
    base: string,
    files: readonly KitFile[],
    onProgress?: (bytesDone: number, bytesTotal: number) => void,
  ): Promise<CheckedFile[]> {
    const total = files.reduce((sum, file) => sum + file.bytes, 0);
    let done = 0;
    return Promise.all(
      files.map(async (file) => {
        let held = this.files.get(file.path);
        if (held === undefined || held.file.sha256 !== file.sha256) {
          held = await fetchFile(base, file);
          this.files.set(file.path, held);
          for (const member of this.members) sendFile(member.worker, file.path, held.data);
        }
        done += file.bytes;
        onProgress?.(done, total);
        return held.file;
      }),
    );
  }

  /**
   * Has one worker check a sealed archive and resolves to what it is. From then on every worker holds the archive's files
   * and no others. Where something is wrong with it, rejects with an EngineError that says what.
   */
  async addArchive(data: ArrayBuffer): Promise<ArchiveResult> {
    const result = await this.enqueue<ArchiveResult>(() => archiveMessage(data, true), true, false);
    this.archive = data;
    this.files.clear();
    for (const { worker } of this.members.slice(1)) sendArchive(worker, data);
    return result;
  }

  /** Asks one engine. Rejects with an EngineError, also when the engine's reply is one. */
  request<K extends Kind>(kind: K, body: Body<K>): Promise<Result<K>> {
    return this.ask(kind, body, false);
  }

  private async ask<K extends Kind>(kind: K, body: Body<K>, replay: boolean): Promise<Result<K>> {
    const request = encoder.encode(JSON.stringify({ ...body, id: this.nextId++, kind }));
    return this.enqueue<Result<K>>(() => ({ type: "request", request }), ofOneSession.has(kind), replay);
  }

  private async enqueue<T>(message: () => ToWorker, first: boolean, replay: boolean): Promise<T> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.waiting.push({ message, first, replay, resolve, reject });
    });
    // A failed start rejects what waits, this job included.
    this.start().catch((cause: unknown) => this.rejectWaiting(asEngineError(cause)));
    return (await answer) as T;
  }

  /** Asks for each body, in parallel, and says how many have been answered. Results come in the bodies' order. */
  async requestAll<K extends Kind>(
    kind: K,
    bodies: readonly Body<K>[],
    onProgress?: (done: number, total: number) => void,
  ): Promise<Result<K>[]> {
    let done = 0;
    return Promise.all(
      bodies.map(async (body) => {
        const result = await this.request(kind, body);
        onProgress?.(++done, bodies.length);
        return result;
      }),
    );
  }

  /**
   * Replays a study on all workers and resolves to what it gave. The files must have been added before.
   * A replay that still runs is cancelled first.
   */
  async replay(study: string, withoutVectors: boolean, onProgress?: (progress: ReplayProgress) => void): Promise<OutcomeResult> {
    if (this.replaying !== null) this.cancel();
    const mine = Symbol(study);
    this.replaying = mine;
    // What a cancelled replay would still ask must not reach the session of the next.
    const ask = <K extends Kind>(kind: K, body: Body<K>): Promise<Result<K>> =>
      this.replaying === mine ? this.ask(kind, body, true) : Promise.reject(cancelled());
    try {
      let state: ReplayResult = await ask("replay", { study, withoutVectors });
      for (;;) {
        const { stages, stage, units, outcome } = state;
        if (outcome !== null) return outcome;
        let done = 0;
        const total = units.length;
        onProgress?.({ stages, stage, done, total });
        await Promise.all(
          units.map(async (unit) => {
            const { observations } = await ask("unit", { study, unit });
            await ask("add", { observations });
            onProgress?.({ stages, stage, done: ++done, total });
          }),
        );
        state = await ask("close", {});
      }
    } catch (cause) {
      if (this.replaying === mine) this.cancel(); // the other units of a replay that failed
      throw cause;
    } finally {
      if (this.replaying === mine) this.replaying = null;
    }
  }

  /**
   * Ends a replay at once: it rejects as cancelled, and new workers with the same files start. Requests that are not part
   * of a replay are asked again.
   */
  cancel(): void {
    this.replaying = null;
    const open = this.end();
    this.waiting = open.filter((job) => !job.replay);
    for (const job of open) if (job.replay) job.reject(cancelled());
    if (this.module !== undefined) this.start().catch((cause: unknown) => this.rejectWaiting(asEngineError(cause)));
  }

  /** Ends the workers and forgets the files. */
  close(): void {
    this.closed = true;
    for (const job of this.end()) job.reject(new EngineError("cancelled", "the engine was closed"));
    this.files.clear();
    this.archive = null;
  }

  /** Ends the workers; returns the requests that were open, oldest first. */
  private end(): Job[] {
    const open = this.members.flatMap(({ job }) => (job === null ? [] : [job])).concat(this.waiting);
    for (const { worker } of this.members) worker.terminate();
    this.members = [];
    this.waiting = [];
    return open;
  }

  private rejectWaiting(error: EngineError): void {
    for (const job of this.waiting.splice(0)) job.reject(error);
  }

  private spawn(module: WebAssembly.Module): Member {
    const worker = new Worker(this.assets.worker);
    const member: Member = { worker, job: null };
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(member, event.data);
    worker.onerror = (event) => {
      event.preventDefault();
      this.lose(member, event.message || "its script could not be loaded");
    };
    send(worker, { type: "start", module });
    if (this.archive !== null) sendArchive(worker, this.archive);
    for (const [path, { data }] of this.files) sendFile(worker, path, data);
    return member;
  }

  private dispatch(): void {
    this.members.forEach((member, place) => {
      if (member.job !== null) return;
      // The first worker looks for what only it can answer before it takes what any could.
      let next = place === 0 ? this.waiting.findIndex((job) => job.first) : -1;
      if (next < 0) next = this.waiting.findIndex((job) => !job.first);
      const [job] = next < 0 ? [] : this.waiting.splice(next, 1);
      if (job === undefined) return;
      member.job = job;
      const message = job.message();
      member.worker.postMessage(message, message.type === "archive" ? [message.data] : []);
    });
  }

  private receive(member: Member, message: FromWorker): void {
    if (message.type === "failed") {
      this.lose(member, message.message);
      return;
    }
    if (message.type === "ready" || member.job === null) return;
    const job = member.job;
    member.job = null;
    this.dispatch();
    settle(job, message.reply);
  }

  // A worker that failed is not used again. Its request is answered with the error; the pool starts another when it is next asked.
  private lose(member: Member, message: string): void {
    if (!this.members.includes(member)) return;
    this.members = this.members.filter((other) => other !== member);
    member.worker.terminate();
    const error = new EngineError(
      "engine-failed",
      `the engine's worker failed: ${message}`,
      "reload the page; if it fails again, use native replay",
    );
    member.job?.reject(error);
    if (this.members.length === 0) this.rejectWaiting(error);
  }
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}

// The pool keeps data, so that workers that replace cancelled ones need no network: each worker gets a copy, moved, not cloned again.
function sendFile(worker: Worker, path: string, data: ArrayBuffer): void {
  const copy = data.slice(0);
  const message: ToWorker = { type: "file", path, data: copy };
  worker.postMessage(message, [copy]);
}

function archiveMessage(data: ArrayBuffer, reply: boolean): ToWorker & { type: "archive" } {
  return { type: "archive", data: data.slice(0), reply };
}

function sendArchive(worker: Worker, data: ArrayBuffer): void {
  const message = archiveMessage(data, false);
  worker.postMessage(message, [message.data]);
}

function settle(job: Job, reply: Uint8Array): void {
  let parsed: { result?: unknown; error?: { code: string; message: string; hint?: string; where?: string } };
  try {
    parsed = JSON.parse(decoder.decode(reply)) as typeof parsed;
  } catch {
    job.reject(new EngineError("bad-reply", "the engine's reply is not JSON"));
    return;
  }
  const { error } = parsed;
  if (error) job.reject(new EngineError(error.code, error.message, error.hint, error.where));
  else job.resolve(parsed.result);
}

function asEngineError(cause: unknown): EngineError {
  if (cause instanceof EngineError) return cause;
  return new EngineError("engine-failed", cause instanceof Error ? cause.message : String(cause));
}

async function compile(assets: EngineAssets): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined" || typeof Worker === "undefined") {
    throw new EngineError(
      "unsupported",
      "this browser runs no WebAssembly or no workers",
      "the frozen numbers can be read; native replay recomputes them",
    );
  }
  const response = await get(assets.wasm, assets.wasmIntegrity);
  // Compiling while loading needs the right media type, which some static hosts don't send.
  const type = response.headers.get("content-type") ?? "";
  if (/^application\/wasm\b/i.test(type)) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

async function get(url: string, integrity?: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, integrity === undefined ? {} : { integrity });
  } catch (cause) {
    if (integrity !== undefined) await explainRefusal(url);
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("fetch-failed", `could not load ${url}: ${why}`, "check the connection and try again");
  }
  if (!response.ok) throw missing(url, response);
  return response;
}

const missing = (url: string, response: Response): EngineError =>
  new EngineError(
    "fetch-failed",
    `could not load ${url}: the host answers ${response.status} ${response.statusText}`.trimEnd(),
    "reload the page; the site may have been published anew, or without this file",
  );

/** Says why a file whose integrity was asked for was refused: browsers report a missing file, another file and no connection alike. */
async function explainRefusal(url: string): Promise<void> {
  const again = await fetch(url, { cache: "reload" }).catch(() => null);
  if (again === null) return; // it is the connection
  if (!again.ok) throw missing(url, again);
  throw new EngineError(
    "fetch-failed",
    `${url} isn’t the published file: its hash is another one`,
    "reload the page; if that doesn’t help, the host serves a changed file or a mixture of two versions",
  );
}

/** Fetches the kit's index, past the browser's cache of it. */
export async function fetchKitIndex(url: string): Promise<KitIndex> {
  const response = await fetch(url, { cache: "no-cache" });
  if (!response.ok) throw new EngineError("fetch-failed", `could not load ${url}: status ${response.status}`, "reload the page");
  return (await response.json()) as KitIndex;
}

async function fetchFile(base: string, file: KitFile): Promise<{ file: CheckedFile; data: ArrayBuffer }> {
  const url = new URL(file.url, base).href;
  const data = await (await get(url)).arrayBuffer();
  const computed = await sha256(data);
  if (data.byteLength !== file.bytes || (computed !== null && computed !== file.sha256)) {
    const got = `got ${data.byteLength} bytes with SHA-256 ${computed ?? "unknown"}`;
    throw new EngineError(
      "hash-mismatch",
      `kit: ${file.path}: ${got}, the index says ${file.bytes} bytes with ${file.sha256}`,
      "the file was changed on the way or on the host; nothing was computed from it",
      file.path,
    );
  }
  return { file: { ...file, computed }, data };
}

async function sha256(data: ArrayBuffer): Promise<string | null> {
  if (typeof crypto === "undefined" || crypto.subtle === undefined) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
