// What the build put into the page: frozen results, their texts, and what figures draw.
import type { FiguresResult, MethodInfo } from "./engine/protocol.gen";
import type { Results } from "./results";

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
  readonly documents: number;
  readonly methods: readonly MethodInfo[];
  readonly frozen: readonly Frozen[];
  readonly results: unknown;
  /** Of every number, by path. */
  readonly texts: Readonly<Record<string, string>>;
  readonly figures: FiguresResult;
  /** Null for designs without figures. */
  readonly known: Known | null;
}

/** What the page's figures and views of a known-item study need to know beside its results. */
export interface Known {
  readonly cutoff: number;
  /** Name of the primary contrast. */
  readonly primary: string;
  readonly baseline: string;
  readonly graph: string;
  readonly families: Readonly<Record<string, { readonly target: string; readonly question: string }>>;
}

/** Null on pages that show no study. */
export function readData(): Embedded | null {
  const text = document.getElementById("data")?.textContent;
  return text == null ? null : (JSON.parse(text) as Embedded);
}

/** The frozen results, for figures of a known-item study. */
export function frozenResults(data: Embedded): Results {
  return data.results as Results;
}
