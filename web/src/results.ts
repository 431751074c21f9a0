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
  readonly methods: Readonly<Record<string, { readonly mrr10: number }>>;
  readonly rewired: readonly { readonly name: string }[];
}
