// What must hold after a release, and what is different.
import { isEqual } from "../json.ts";
import type { Published } from "./registry.ts";

/** Versions by package, or by dist-tag. */
export type Versions = Readonly<Record<string, string>>;

/** What must hold after a release. */
export interface Expectation {
  /** What the release itself must have done: what it is, what it was, what it must be. */
  readonly facts?: readonly (readonly [what: string, is: unknown, must: unknown])[];
  /** The version with the tag `latest` of every package. */
  readonly latest: Versions;
  /** Versions of other tags: package, tag, version. */
  readonly tags?: Readonly<Record<string, Versions>>;
  /** What a customer has after an update. */
  readonly customer: Versions;
}

/** A thing that is not what it must be. */
export const difference = (what: string, is: unknown, must: unknown): string[] =>
  isEqual(is, must) ? [] : [`${what}: ${JSON.stringify(is)} instead of ${JSON.stringify(must)}`];

/** What differs in the release and at the registry. */
export function releaseDifferences(
  { facts = [], latest, tags = {} }: Expectation,
  published: ReadonlyMap<string, Published>,
): string[] {
  const found = facts.flatMap((fact) => difference(...fact));
  for (const [name, { tags: is }] of published)
    found.push(...difference(`dist-tags of ${name}`, is, { latest: latest[name], ...tags[name] }));
  return found;
}
