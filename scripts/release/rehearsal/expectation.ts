// What must hold after a release, and what is different.
import { isEqual } from "../json.ts";
import type { Published } from "./registry.ts";

type Versions = Readonly<Record<string, string>>;

/** What must hold after a release. */
export interface Expectation {
  /** The jobs of the workflow, in their order. */
  readonly jobs?: { readonly ran: readonly string[]; readonly must: readonly string[] };
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

/** What differs at the registry. */
export function registryDifferences(
  { jobs, latest, tags = {} }: Expectation,
  published: ReadonlyMap<string, Published>,
): string[] {
  const found = jobs ? difference("jobs of the workflow", jobs.ran, jobs.must) : [];
  for (const [name, { tags: is }] of published) {
    const must = { latest: latest[name], ...tags[name] };
    found.push(...difference(`dist-tags of ${name}`, is, must));
  }
  return found;
}
