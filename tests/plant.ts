// Bugs that are planted to see whether a suite finds them.

/** A wrong variant of one source file. */
export interface Mutant {
  readonly name: string;
  /** The file, below `packages/`. */
  readonly file: string;
  /** What it says once and only once. */
  readonly from: string;
  /** What it says instead. */
  readonly to: string;
}

/** The source of the mutant's file with the bug in it. Throws when it does not say what is to be changed exactly once. */
export function withBug({ name, file, from, to }: Mutant, source: string): string {
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(`${name}: packages/${file} holds ${parts.length - 1} times, not once: ${from}`);
  return parts.join(to);
}
