// What a list says of a request whose outcome is unknown (§8.3). Pure functions.
import type { OutcomeWindow, ReconciliationReason } from "../errors/details.ts";
import { parseObject } from "../send/attempt.ts";
import { isText } from "../utils/guards.ts";

/** What a reading means, as a code and as text for a person. */
export type Explanation = readonly [ReconciliationReason, string];

/** An item of the list, as far as it is compared. Items may have fields that the specification does not show. */
export interface Listed {
  readonly id: string;
  readonly direction?: unknown;
  readonly toNumber?: unknown;
}

/** What was read of a list. */
export interface Reading<Item extends Listed> {
  readonly items: ReadonlyMap<string, Item>;
  /** Every `meta.total` that its pages had. */
  readonly totals: ReadonlySet<number | undefined>;
  /** Whether an item was on several pages. */
  readonly hasMoved: boolean;
  /** Why the reading ended early. */
  readonly failure: Explanation | undefined;
}

/** The items that may be the result of a request: calls that are not inbound, and not to another number than its body names. */
export function candidatesAmong<Item extends Listed>(items: Iterable<Item>, body: unknown): Item[] {
  const wanted = parseObject(isText(body) ? body : "")?.toNumber;
  return [...items].filter(({ direction, toNumber }) => direction !== "inbound" && !areOtherNumbers(toNumber, wanted));
}

/** Whether two values are different phone numbers. Any other form than E.164 proves nothing. */
const areOtherNumbers = (one: unknown, other: unknown): boolean =>
  one !== other && [one, other].every((value) => isText(value, /^\+\d+$/));

/** Why a reading does not show every item of the window; undefined if it does. */
export function whyIncomplete<Item extends Listed>(
  { items, totals, hasMoved, failure }: Reading<Item>,
  { from, byServerClock }: OutcomeWindow,
): Explanation | undefined {
  if (failure) return failure;
  if (hasMoved || totals.size !== 1 || !totals.has(items.size))
    return ["list_changed", `The list since ${from} changed while it was read. Read it again.`];
  if (byServerClock) return undefined;
  const unknown = `The list was read since ${from} by this machine's clock, and no answer shows the server's.`;
  return ["server_time_unknown", `${unknown} Check that the clock is right.`];
}

/** What a complete reading means. */
export function explainCount(count: number, { from }: OutcomeWindow): Explanation {
  const found = `${count} listed since ${from}. Any of them may be this request's: items carry nothing to match on.`;
  if (count > 0) return ["candidates_found", found];
  const nothing = `Nothing is listed since ${from}. That is no proof: a list may lag behind, and queued calls may not be listed.`;
  return ["nothing_listed", nothing];
}
