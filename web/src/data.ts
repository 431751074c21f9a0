// What the build put into the page: frozen results, their texts, and what figures draw.
import type { FiguresResult, MethodInfo } from "./engine/protocol.gen";

/** A file of frozen results. The first is what a replay without vectors gives, the last holds every number. */
export interface Frozen {
  readonly path: string;
  readonly sha256: string;
  readonly numbers: number;
}

export interface Embedded {
  readonly study: string;
  /** A replay without vectors has results of its own. */
  readonly parts: boolean;
  /** Files that a replay reads, those for vectors left out. */
  readonly needs: readonly string[];
  readonly vectors: readonly string[];
  /** Nothing can be computed without the vectors; they are loaded when something is. */
  readonly late: boolean;
  readonly documents: number;
  readonly methods: readonly MethodInfo[];
  readonly frozen: readonly Frozen[];
  readonly results: unknown;
  /** Of every number, by path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly figures: FiguresResult;
  /** Of the study's design; the others are null. */
  readonly known: Known | null;
  readonly graded: Graded | null;
  readonly binary: Binary | null;
}

/** What the page's figures and views of a known-item study need to know beside its results. */
export interface Known {
  readonly cutoff: number;
  /** Key of the mean reciprocal rank in results. */
  readonly measure: string;
  /** Name of the primary contrast. */
  readonly primary: string;
  readonly baseline: string;
  readonly graph: string;
  readonly families: Readonly<Record<string, { readonly target: string; readonly question: string }>>;
}

/** What the page's figures and views of a graded study need to know beside its results. */
export interface Graded {
  /** Key of the measure that selects, and its name. */
  readonly measure: string;
  readonly measured: string;
  /** Methods of the two rows that are compared, and the rows' names. */
  readonly baseline: string;
  readonly typed: string;
  readonly base: string;
  readonly row: string;
  readonly top: number;
  readonly rows: readonly { readonly name: string; readonly label: string; readonly role: string }[];
  readonly contrasts: readonly { readonly name: string; readonly measured: string; readonly random: string }[];
  /** Of final tasks: domain and origin. */
  readonly tasks: Readonly<Record<string, string>>;
  /** Every method on the development tasks; its base by place among the bases. */
  readonly settings: readonly { readonly method: string; readonly path: string; readonly family: string; readonly role: string; readonly base: number; readonly locked: boolean }[];
  readonly bases: readonly string[];
}

/** What the page's figures and views of a binary study need to know beside its results. */
export interface Binary {
  /** Those that differ, for the view of one need. */
  readonly methods: readonly string[];
  readonly splits: readonly { readonly name: string; readonly label: string }[];
  readonly measures: readonly { readonly key: string; readonly label: string }[];
  readonly top: number;
}

/** Null on pages that show no study. */
export function readData(): Embedded | null {
  const text = document.getElementById("data")?.textContent;
  return text == null ? null : (JSON.parse(text) as Embedded);
}
