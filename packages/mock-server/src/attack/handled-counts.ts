// Compares how often the app handled the events with how often it may.
import { setTimeout } from "@call-transfer/backend/unstable";
import type { Handling, Problem } from "./check.ts";
import type { Result } from "./report-of.ts";
import type { SentDelivery } from "./sender.ts";

/** How often the app handled each event, by the event's id. */
export type HandledCounts = Readonly<Record<string, number>> | ReadonlyMap<string, number>;

/** How often the app may handle an event, and the check that sent it. */
export interface Expectation {
  readonly check: string;
  readonly handling: Handling;
}

/** Adds a problem to each check whose events were not handled as often as they must be. */
export async function compareCounts(
  handled: () => HandledCounts | Promise<HandledCounts>,
  expected: ReadonlyMap<string, Expectation>,
  timeoutMs: number,
  { results, exchanges }: { results: readonly Result[]; exchanges: readonly SentDelivery[] },
): Promise<void> {
  const countOf = await settledCounts(handled, expected, timeoutMs);
  for (const { check, problems } of results) {
    const kinds = new Set(problems.map(({ kind }) => kind));
    for (const [id, expectation] of expected) {
      const problem = expectation.check === check.name ? countProblem(expectation.handling, countOf(id)) : undefined;
      // One problem of a kind says enough.
      if (problem === undefined || kinds.has(problem.kind)) continue;
      const replies = exchanges.filter(({ body }) => body.includes(id)).map(({ reply }) => reply);
      problems.push({ ...problem, replies });
      kinds.add(problem.kind);
    }
  }
}

export const remember =
  "Remember each event's id and answer for a day, where all processes see them. Give a copy the answer of the first.";

function countProblem(handling: Handling, count: number): Problem | undefined {
  if (handling === "never" && count > 0)
    return {
      kind: "accepted",
      problem: `The app handled it ${times(count)}. It must not reach the app.`,
      fix: verifyFirst,
    };
  if (count > 1) return { kind: "handled_twice", problem: `The app handled the event ${times(count)}.`, fix: remember };
  if (handling !== "once" || count === 1) return undefined;
  const fix = "Answer 2xx only after the app has handled the event. Check that handled() counts by the event's id.";
  return { kind: "other", problem: "The receiver accepted the event, but the app did not handle it.", fix };
}

const verifyFirst = "Give the app an event only after its whole body has arrived and is verified.";

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

const pollMs = 100;

/** Reads the counts, and waits for events that are handled late. */
async function settledCounts(
  handled: () => HandledCounts | Promise<HandledCounts>,
  expected: ReadonlyMap<string, Expectation>,
  timeoutMs: number,
): Promise<(id: string) => number> {
  for (let waited = 0; ; waited += pollMs) {
    const countOf = await readCounts(handled);
    const isMissing = [...expected].some(([id, { handling }]) => handling === "once" && countOf(id) === 0);
    if (!isMissing || waited >= timeoutMs) return countOf;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** Reads the counts. Throws TypeError if they are not counts. */
export async function readCounts(
  handled: () => HandledCounts | Promise<HandledCounts>,
): Promise<(id: string) => number> {
  const counts = await handled();
  if (typeof counts !== "object" || counts === null)
    throw new TypeError("handled must return how often each event was handled: a Map, or an object, by the event's id");
  const entries = new Map<string, number>(counts instanceof Map ? counts : Object.entries(counts));
  return (id) => entries.get(id) ?? 0;
}
