// Finding results of a request whose outcome is unknown, and what a list says of it (§8.3).
import type { OutcomeWindow, Reconciliation, ReconciliationReason } from "../errors/details.ts";
import { isOtherStart } from "../options/clock.ts";
import type { FindCandidates } from "../options/options.ts";
import { parseObject } from "../send/result.ts";
import { isText, messageOf } from "../utils/guards.ts";
import type { PagePromise } from "./pagination.ts";

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
function whyIncomplete<Item extends Listed>(
  { items, totals, hasMoved, failure }: Reading<Item>,
  { start, byServerClock }: OutcomeWindow,
): Explanation | undefined {
  if (failure) return failure;
  if (hasMoved || totals.size !== 1 || !totals.has(items.size))
    return ["list_changed", `The list since ${start} changed while it was read. Read it again.`];
  if (byServerClock) return undefined;
  const unknown = "No response had a Date header, so this machine's clock was used.";
  return ["server_time_unknown", `The list was read since ${start}. ${unknown}`];
}

/** What a complete reading means. */
function explainCount(count: number, { start }: OutcomeWindow): Explanation {
  const found = `${count} listed since ${start}. Any of them may be the result: items have no matching key.`;
  if (count > 0) return ["candidates_found", found];
  const nothing = `Nothing is listed since ${start}. This does not prove that no call was created: the list may lag or omit queued calls.`;
  return ["none_found", nothing];
}

/** Reads the pages of a list whose items may be the result of the request, from the start of its window on. */
export async function findInList<List extends object, Item extends Listed>(
  listSince: (start: string) => PagePromise<List, Item>,
  window: OutcomeWindow,
  sought: Parameters<FindCandidates>[2],
): Promise<Reconciliation<Item>> {
  const { body, maxItems, currentWindow } = sought;
  let { start } = window;
  // The first answer may show that the server's clock is another one.
  const isElsewhere = () => isOtherStart(start, currentWindow());
  let reading = await readList(listSince(start), start, maxItems, isElsewhere);
  if (isElsewhere()) {
    ({ start } = currentWindow());
    reading = await readList(listSince(start), start, maxItems);
  }
  const read = { ...currentWindow(), start };
  const candidates = candidatesAmong(reading.items.values(), body);
  const problem = whyIncomplete(reading, read);
  const [reason, explanation] = problem ?? explainCount(candidates.length, read);
  return { candidates, complete: problem === undefined, reason, explanation, window: read };
}

/** Reads a list up to its end or a number of items, or until it is of no use. */
async function readList<List extends object, Item extends Listed>(
  list: PagePromise<List, Item>,
  start: string,
  maxItems = 1000,
  isUseless: () => boolean = () => false,
): Promise<Reading<Item>> {
  const items = new Map<string, Item>();
  const totals = new Set<number | undefined>();
  let [read, hasMoved] = [0, false];
  let failure: Reading<Item>["failure"];
  try {
    for await (const page of list.pages()) {
      if (isUseless()) break;
      const total = (page as { meta?: { total?: number } }).meta?.total;
      totals.add(total);
      for (const item of list.itemsOf(page)) {
        hasMoved ||= items.has(item.id);
        items.set(item.id, item);
        read++;
      }
      if (read < maxItems || items.size === total) continue;
      failure = ["limit_reached", `Only the first ${read} calls since ${start} were read: see maxItems.`];
      break;
    }
  } catch (error) {
    failure = ["list_incomplete", `The list could not be read to its end: ${messageOf(error)}`];
  }
  return { items, totals, hasMoved, failure };
}

/**
 * Explains why there is nothing to find. The text may hold `{until}`: `overlapHours` after the start of the window, or after the
 * request if the server's time is unknown.
 */
export async function explain(text: string, overlapHours: number, window: OutcomeWindow): Promise<Reconciliation> {
  const until = window.byServerClock
    ? new Date(Date.parse(window.start) + overlapHours * 3_600_000).toISOString()
    : `${overlapHours} hours after the request`;
  return {
    candidates: [],
    complete: false,
    reason: "not_supported",
    explanation: text.replace("{until}", until),
    window,
  };
}
