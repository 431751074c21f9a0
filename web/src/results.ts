// The part of a known-item study's results JSON that figures draw. Every text comes from Go; these are for positions.

export interface Contrast {
  readonly method: string;
  readonly against: string;
  readonly difference: number;
  readonly ci95: readonly [number, number];
  readonly families: number;
}

export interface Family {
  readonly family: string;
  readonly difference: number;
}

export interface Results {
  readonly contrasts: Readonly<Record<string, Contrast>>;
  readonly families: readonly Family[];
  readonly graph: { readonly nodes: number; readonly degrees: readonly { readonly degree: number; readonly nodes: number }[] };
  readonly methods: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly rewired: readonly { readonly name: string }[];
}

/** The part of a graded study's results JSON that figures draw. */
export interface GradedResults {
  readonly contrasts: Readonly<Record<string, { readonly difference: number; readonly ci95: readonly [number, number] }>>;
  readonly development: { readonly settings: Readonly<Record<string, number | null>> };
  readonly final: Readonly<Record<string, Readonly<Record<string, number | null>>>>;
  readonly perTask: readonly { readonly task: string; readonly rows: Readonly<Record<string, Readonly<Record<string, number | null>>>> }[];
}

/** The part of a binary study's results JSON that figures draw. */
export interface BinaryResults {
  readonly splits: Readonly<Record<string, { readonly methods: Readonly<Record<string, Readonly<Record<string, unknown>>>> }>>;
}
