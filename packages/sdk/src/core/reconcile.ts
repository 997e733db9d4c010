// Finding results of a request whose outcome is unknown (§8.3).
import type { OutcomeWindow, Reconciliation } from "../errors/details.ts";
import { isOtherStart } from "../options/clock.ts";
import type { FindCandidates } from "../options/options.ts";
import { messageOf } from "../utils/guards.ts";
import { candidatesAmong, explainCount, type Listed, type Reading, whyIncomplete } from "./candidates.ts";
import type { PagePromise } from "./pagination.ts";

/** Reads the pages of a list whose items may be the result of the request, from the start of its window on. */
export async function findInList<List extends object, Item extends Listed>(
  listSince: (from: string) => PagePromise<List, Item>,
  window: OutcomeWindow,
  sought: Parameters<FindCandidates>[2],
): Promise<Reconciliation<Item>> {
  const { body, maxCalls, currentWindow } = sought;
  let { from } = window;
  // The first answer may show that the server's clock is another one.
  const isElsewhere = () => isOtherStart(from, currentWindow());
  let reading = await readList(listSince(from), from, maxCalls, isElsewhere);
  if (isElsewhere()) {
    ({ from } = currentWindow());
    reading = await readList(listSince(from), from, maxCalls);
  }
  const read = { ...currentWindow(), from };
  const candidates = candidatesAmong(reading.items.values(), body);
  const problem = whyIncomplete(reading, read);
  const [reason, explanation] = problem ?? explainCount(candidates.length, read);
  return { candidates, complete: problem === undefined, reason, explanation, window: read };
}

/** Reads a list up to its end or a number of items, or until it is of no use. */
async function readList<List extends object, Item extends Listed>(
  list: PagePromise<List, Item>,
  from: string,
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
      failure = ["limit_reached", `Only the first ${read} calls since ${from} were read: see maxCalls.`];
      break;
    }
  } catch (error) {
    failure = ["list_unreadable", `The list could not be read to its end: ${messageOf(error)}`];
  }
  return { items, totals, hasMoved, failure };
}

/**
 * Explains why there is nothing to find. The text may hold `{until}`: `overlapHours` after the start of the window, or after the
 * request if the server's time is unknown.
 */
export async function explain(text: string, overlapHours: number, window: OutcomeWindow): Promise<Reconciliation> {
  const until = window.byServerClock
    ? new Date(Date.parse(window.from) + overlapHours * 3_600_000).toISOString()
    : `${overlapHours} hours after the request`;
  return { candidates: [], complete: false, reason: "no_list", explanation: text.replace("{until}", until), window };
}
