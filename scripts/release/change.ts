// What a release gate finds: one change, where it is, and how far it moves a version (§9.2).

/** How far a change moves a version, from the least. */
export const bumps = ["none", "patch", "minor", "major"] as const;
export type Bump = (typeof bumps)[number];

export interface Change {
  readonly bump: Bump;
  /** The thing that changed, e.g. `DestinationGroup.members[].ringTimeoutSecs`. */
  readonly place: string;
  /** What happened to it, in words. */
  readonly words: string;
  /** Where customers meet it, e.g. `sent to createDestinationGroup`; none for a change that is nowhere in particular. */
  readonly met: readonly string[];
}

/** The larger of two moves. */
export const largerOf = (one: Bump, other: Bump): Bump => (bumps.indexOf(one) >= bumps.indexOf(other) ? one : other);

/** The least bump that covers all changes. */
export const bumpOf = (changes: readonly Change[]): Bump =>
  changes.reduce<Bump>((largest, { bump }) => largerOf(largest, bump), "none");

/** The same change met in several places, told once. The largest come first, else the order is kept. */
export function gathered(changes: readonly Change[]): Change[] {
  const groups = Map.groupBy(changes, ({ bump, place, words }) => JSON.stringify([bump, place, words]));
  const merged = [...groups.values()].flatMap(([first, ...others]) =>
    first ? [{ ...first, met: [...new Set([first, ...others].flatMap(({ met }) => met))] }] : [],
  );
  return merged.sort((one, other) => bumps.indexOf(other.bump) - bumps.indexOf(one.bump));
}

/** One line: `major  DestinationGroup.name: … (received from createDestinationGroup)`. */
export function lineOf({ bump, place, words, met }: Change): string {
  const shown = met.length > 3 ? [...met.slice(0, 2), `${met.length - 2} more`] : met;
  return `${bump.padEnd(5)}  ${place}: ${words}${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`;
}
