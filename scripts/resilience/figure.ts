/** One measured promise. */
export interface Figure {
  readonly name: string;
  /** What must hold, in words. */
  readonly target: string;
  measure(): Promise<Measured>;
}

/** What a measurement found. */
export interface Measured {
  readonly figure: string;
  readonly ok: boolean;
}

/** Numbers that look random and are the same in every run, from 0 to below 1 (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
