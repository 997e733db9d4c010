// What a check finds, and the two comparisons that most checks are made of.
import { isDeepStrictEqual } from "node:util";
import { isThere, type Write } from "../history.ts";

/** What the state says about a write of unknown outcome. */
export interface Decision {
  readonly isThere: boolean;
  /** What its answer would have said. */
  readonly answer?: object;
}

export interface Verdict {
  /** Broken promises, as sentences. */
  readonly findings: string[];
  readonly decided: Map<Write, Decision>;
}

export const newVerdict = (): Verdict => ({ findings: [], decided: new Map() });

/** Compares a write with whether its effect was found. `name` is a noun phrase for it. */
export function compare(write: Write, name: string, isFound: boolean, { findings, decided }: Verdict): void {
  const expected = isThere(write);
  if (write.outcome === undefined) findings.push(`${name} is still under way.`);
  else if (expected === undefined) decided.set(write, { isThere: isFound });
  else if (expected && !isFound) findings.push(`${name} is lost. ${outcomeOf(write)}`);
  else if (!expected && isFound) findings.push(`${name} is there, but must not be. ${outcomeOf(write)}`);
}

function outcomeOf({ outcome, isThere }: Write): string {
  const earlier = isThere === undefined ? "" : ` An earlier check ${isThere ? "found it" : "did not find it"}.`;
  return `Its outcome was "${outcome}".${earlier}`;
}

/** Compares a value with what a sequence of writes left: that of the last write which is there, or of one that may be there. */
export function compareValue<Value>(
  name: string,
  first: Value,
  writes: readonly (readonly [write: Write, value: Value])[],
  stored: Value,
  { findings, decided }: Verdict,
): void {
  const last = writes.findLast(([write]) => isThere(write) === true);
  const expected = last === undefined ? first : last[1];
  const open = writes.filter(([write]) => isThere(write) === undefined);
  const match = open.findLast(([, value]) => isDeepStrictEqual(value, stored));
  if (match === undefined && !isDeepStrictEqual(stored, expected))
    findings.push(`${name} is ${JSON.stringify(stored)} instead of ${JSON.stringify(expected)}.`);
  for (const entry of open) decided.set(entry[0], { isThere: entry === match });
}
