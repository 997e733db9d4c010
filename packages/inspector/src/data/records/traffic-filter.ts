import type { TrafficEntry } from "./traffic-entry.ts";

/** What the filter of the traffic takes besides text, for hints. */
export const trafficWords: readonly (readonly [word: string, meaning: string])[] = [
  ["status:5xx", "a status, or a class of them"],
  ["op:createCall", "an operation"],
  ["code:queue_full", "an error code"],
  ["fault:fault-1", "what a fault changed"],
  ["caller:agent", "a role, key or none"],
  ["method:post", "a method"],
  ["is:webhook", "or request, error, fault, stub, unmatched, replay, changed"],
  ["-is:webhook", "a minus leaves out what matches"],
];

/** Whether a row is shown. */
export type TrafficFilter = (entry: TrafficEntry) => boolean;

/** Reads a filter: words that must all hold. Returns undefined for an empty one. */
export function parseTrafficFilter(text: string): TrafficFilter | undefined {
  const tests = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "" && word !== "-")
    .map(testOf);
  return tests.length === 0 ? undefined : (entry) => tests.every((test) => test(entry));
}

function testOf(word: string): TrafficFilter {
  const isNegated = word.startsWith("-");
  const plain = isNegated ? word.slice(1) : word;
  const [, name = "", value = ""] = /^(\w+):(.+)$/.exec(plain) ?? [];
  const test = byName[name]?.(value) ?? ((entry: TrafficEntry) => entry.text.includes(plain));
  return isNegated ? (entry) => !test(entry) : test;
}

const byName: Readonly<Record<string, (value: string) => TrafficFilter>> = {
  status: (value) => (entry) => statusMatches(String(entry.status ?? ""), value),
  op: (value) => (entry) => entry.kind === "request" && entry.name.toLowerCase().includes(value),
  code: (value) => (entry) => entry.code.includes(value),
  method: (value) => (entry) => entry.kind === "request" && entry.method.toLowerCase() === value,
  caller: (value) => (entry) =>
    entry.kind === "request" && (value === "none" ? entry.caller === "" : entry.caller.toLowerCase().includes(value)),
  fault: (value) => (entry) => entry.fault === value,
  is: (value) => (entry) => isA(entry, value),
};

/** `5xx` stands for 500 to 599, and `50` for 500 to 509. */
const statusMatches = (status: string, value: string): boolean => status.startsWith(value.replace(/x+$/, ""));

function isA(entry: TrafficEntry, value: string): boolean {
  if (value === "fault") return entry.fault !== undefined;
  if (value === "error") return entry.status === 0 || (entry.status ?? 0) >= 400;
  return entry.kind === value || entry.marks.some((mark) => mark === value);
}
