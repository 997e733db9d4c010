// Finding results of a request whose outcome is unknown (§8.3).
import type { OutcomeWindow, Reconciliation } from "../errors/details.ts";
import { messageOf } from "../utils/guards.ts";
import type { PagePromise } from "./pagination.ts";

/** Reads every page of a list whose items may be the result of the request. */
export async function findInList<List extends object, Item extends { id: string }>(
  list: PagePromise<List, Item>,
  { from }: OutcomeWindow,
): Promise<Reconciliation<Item>> {
  const found = new Map<string, Item>();
  const totals = new Set<number | undefined>();
  let hasMoved = false;
  let failure: string | undefined;
  try {
    for await (const page of list.pages()) {
      totals.add((page as { meta?: { total?: number } }).meta?.total);
      for (const item of list.itemsOf(page)) {
        hasMoved ||= found.has(item.id);
        found.set(item.id, item);
      }
    }
  } catch (error) {
    failure = `The list could not be read to its end: ${messageOf(error)}`;
  }
  const candidates = [...found.values()];
  const complete = !failure && !hasMoved && totals.size === 1 && totals.has(candidates.length);
  return { candidates, complete, explanation: failure ?? explainCount(candidates.length, complete, from) };
}

function explainCount(count: number, complete: boolean, from: string): string {
  if (!complete) return `The list since ${from} changed while it was read. Read it again.`;
  return count > 0
    ? `${count} listed since ${from}. Any of them may be this request's: items carry nothing to match on.`
    : `Nothing is listed since ${from}. That is no proof: a list may lag behind, and queued calls may not be listed.`;
}

/**
 * Explains why there is nothing to find.
 *
 * @param text May hold `{until}`, the time `overlapHours` after the start of the window.
 */
export async function explain(
  text: string,
  overlapHours: number,
  { from }: OutcomeWindow,
): Promise<Reconciliation<never>> {
  const until = new Date(Date.parse(from) + overlapHours * 3_600_000).toISOString();
  return { candidates: [], complete: false, explanation: text.replace("{until}", until) };
}
