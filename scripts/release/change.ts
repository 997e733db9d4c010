// A change that the release gate finds: what changed, where, and how far it moves a version (§9.2).

/** Version bumps, smallest first. */
export const bumps = ["none", "patch", "minor", "major"] as const;
export type Bump = (typeof bumps)[number];

export interface Change {
  readonly bump: Bump;
  /** What changed, e.g. `DestinationGroup.members[].ringTimeoutSecs`. */
  readonly place: string;
  readonly message: string;
  /** Where customers see it, e.g. `sent to createDestinationGroup`. May be empty. */
  readonly usedIn: readonly string[];
  /** Whether it is a line of a record (compare/records.ts), which a changeset may say breaks nobody. */
  readonly isLine?: boolean;
}

export const change = (bump: Bump, place: string, message: string, ...usedIn: readonly string[]): Change => ({
  bump,
  place,
  message,
  usedIn,
});

/** The change as a list, or an empty list when the condition is false. */
export const changeIf = (condition: boolean, ...facts: Parameters<typeof change>): Change[] =>
  condition ? [change(...facts)] : [];

/** Compares two sets of named things. */
export function compareNamed<T>(
  was: ReadonlyMap<string, T>,
  is: ReadonlyMap<string, T>,
  rules: {
    removed: (name: string) => Change;
    added: (name: string, now: T) => Change;
    kept: (was: T, is: T, name: string) => readonly Change[];
  },
): Change[] {
  return [...new Map([...was, ...is]).keys()].flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)];
    if (!is.has(name)) return [rules.removed(name)];
    return was.has(name) ? rules.kept(old as T, now as T, name) : [rules.added(name, now as T)];
  });
}

export const largerOf = (one: Bump, other: Bump): Bump => (bumps.indexOf(one) >= bumps.indexOf(other) ? one : other);

/** The smallest bump that covers all changes. */
export const bumpOf = (changes: readonly Change[]): Bump =>
  changes.reduce<Bump>((largest, { bump }) => largerOf(largest, bump), "none");

/** Merges equal changes that differ only in where they are used. Largest bump first, otherwise in the given order. */
export function merged(changes: readonly Change[]): Change[] {
  const groups = Map.groupBy(changes, ({ bump, place, message }) => JSON.stringify([bump, place, message]));
  return [...groups.values()]
    .flatMap(([first, ...others]) =>
      first ? [{ ...first, usedIn: [...new Set([first, ...others].flatMap(({ usedIn }) => usedIn))] }] : [],
    )
    .sort((one, other) => bumps.indexOf(other.bump) - bumps.indexOf(one.bump));
}

/** One line: `major  DestinationGroup.name: … (received from createDestinationGroup)`. */
export function lineOf({ bump, place, message, usedIn }: Change): string {
  const shown = usedIn.length > 3 ? [...usedIn.slice(0, 2), `${usedIn.length - 2} more`] : usedIn;
  return `${bump.padEnd(5)}  ${place}: ${message}${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`;
}
