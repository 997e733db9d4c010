import type { ClockMode } from "./time/clock.ts";
import { createRandom, type Random } from "./values/random.ts";

/** The seed of everything that is the same at each start: the key that signs access tokens, and the initial records. */
const fixedSeed = 1;

/** Separate sequences, so that reads and faults do not change the ids of records created later. */
export interface Sequences {
  readonly main: Random;
  readonly requestIds: Random;
  readonly faults: Random;
}

/** The random generators of a backend. */
export interface Generators {
  readonly sequences: Sequences;
  /** What the ids depend on that are created after the start. */
  readonly seed: number;
  /**
   * Whether nothing asked for repeatable ids, so that the seed is another one at each start. Then no id comes twice, and neither a
   * reset nor a snapshot takes the sequences back.
   */
  readonly isDrawn: boolean;
  /** Begins the sequences that are the same at each start. The returned function goes on with those of the seed. */
  begin(): () => void;
}

/** Creates the generators of a backend. Without a seed, a frozen clock has a fixed one, and a flowing clock draws one. */
export function createGenerators(given: number | undefined, clock: ClockMode = "frozen"): Generators {
  const isDrawn = given === undefined && clock === "flowing";
  const seed = given ?? (isDrawn ? drawSeed() : fixedSeed);
  const sequences: Sequences = {
    main: createRandom(fixedSeed),
    requestIds: createRandom(~seed),
    faults: createRandom(fixedSeed ^ (1 << 16)),
  };
  const { main, requestIds, faults } = sequences;
  let hasBegun = false;
  return {
    sequences,
    seed,
    isDrawn,
    begin() {
      const later = isDrawn && hasBegun ? { main: main.position, faults: faults.position } : undefined;
      hasBegun = true;
      main.reset();
      faults.reset();
      if (later === undefined) requestIds.reset();
      return () => {
        main.position = later?.main ?? main.position + seed - fixedSeed;
        faults.position = later?.faults ?? faults.position + seed - fixedSeed;
      };
    },
  };
}

/** An integer from 0 to 2,147,483,647. */
function drawSeed(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) >>> 1;
}
