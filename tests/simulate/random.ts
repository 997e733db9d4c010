/** A seeded generator: the same seed and stream give the same sequence. */
export interface Random {
  /** A number from 0 to below 1. */
  next(): number;
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  /** A number from `low` to below `high`. */
  between(low: number, high: number): number;
  /** True with the probability, from 0 to 1. */
  chance(probability: number): boolean;
  /** One entry of a list that is not empty. */
  pick<T>(list: readonly T[]): T;
}

/** Creates a generator (splitmix32). Streams of one seed do not disturb each other. */
export function createRandom(seed: number, stream: string): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1) | 0;
  for (const letter of stream) state = Math.imul(state ^ letter.charCodeAt(0), 0x85ebca6b);
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[below(list.length)] as T,
  };
}
