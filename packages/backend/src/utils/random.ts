/** A seeded generator: the same seed gives the same sequence. Not for secrets outside tests. */
export interface Random {
  /** An unsigned 32-bit integer. */
  next(): number;
  /** An id in UUID form, version 4. */
  uuid(): string;
  /** A text of letters and digits. */
  text(length: number): string;
  bytes(length: number): Uint8Array;
  /** The position in the sequence, as a 32-bit integer. */
  position: number;
  /** Starts the sequence again. */
  reset(): void;
}

/** What the generator adds to its state at each draw. */
const step = 0x9e3779b9;

const hexDigits = Array.from("0123456789abcdef", (digit) => digit.charCodeAt(0));
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Creates a generator (splitmix32) from an integer seed. */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + step) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next() & 0xff);
  return {
    next,
    bytes,
    uuid: () => uuidOf(next(), next(), next(), next()),
    text: (length) => Array.from({ length }, () => alphabet.charAt(next() % alphabet.length)).join(""),
    get position() {
      return state;
    },
    set position(at) {
      state = at | 0;
    },
    reset() {
      state = seed | 0;
    },
  };
}

/** The character codes of an id. Every request gets one, and joining texts takes three times as long. */
const codes = Array.from({ length: 36 }, () => "-".charCodeAt(0));

/** An id in UUID form, version 4, from four 32-bit integers. */
function uuidOf(a: number, b: number, c: number, d: number): string {
  putHex(0, 8, a);
  putHex(9, 4, b >>> 16);
  putHex(14, 4, (b & 0x0fff) | 0x4000);
  putHex(19, 4, ((c >>> 16) & 0x3fff) | 0x8000);
  putHex(24, 4, c);
  putHex(28, 8, d);
  return String.fromCharCode(...codes);
}

/** Writes the last `digits` digits of a number, in base 16, from the position `first` of {@link codes} on. */
function putHex(first: number, digits: number, number: number): void {
  for (let index = first + digits - 1, rest = number; index >= first; index -= 1, rest >>>= 4)
    codes[index] = hexDigits[rest & 15] ?? 0;
}

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

/** Creates the generators of a backend. Without a seed, a frozen clock has a fixed one, and a running clock draws one. */
export function createGenerators(given: number | undefined, clockMode: "frozen" | "running" = "frozen"): Generators {
  const isDrawn = given === undefined && clockMode === "running";
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
