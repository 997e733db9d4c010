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
  /** The position after a number of further ids. */
  positionAfter(ids: number): number;
  /** Starts the sequence again. */
  reset(): void;
}

/** What the generator adds to its state at each draw. */
const step = 0x9e3779b9;
/** The number of draws that make an id. */
const drawsPerId = 4;

const bytesInHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
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
  // Every request gets an id, and looking bytes up costs a third of formatting them.
  const byte = (number: number): string => bytesInHex[number & 0xff] ?? "";
  const hex = (): string => {
    const number = next();
    return byte(number >>> 24) + byte(number >>> 16) + byte(number >>> 8) + byte(number);
  };
  return {
    next,
    bytes,
    uuid() {
      const [a, b, c, d] = [hex(), hex(), hex(), hex()];
      const variant = "89ab".charAt(Number.parseInt(c.charAt(0), 16) & 3);
      return `${a}-${b.slice(0, 4)}-4${b.slice(5)}-${variant}${c.slice(1, 4)}-${c.slice(4)}${d}`;
    },
    text: (length) => Array.from({ length }, () => alphabet.charAt(next() % alphabet.length)).join(""),
    get position() {
      return state;
    },
    set position(at) {
      state = at | 0;
    },
    positionAfter: (ids) => (state + Math.imul(ids * drawsPerId, step)) | 0,
    reset() {
      state = seed | 0;
    },
  };
}
