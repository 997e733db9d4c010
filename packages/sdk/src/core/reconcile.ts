// What is done when nobody can tell whether an operation was carried out (§8.3).

import type { RequestOptions } from "../options/options.ts";
import { messageOf } from "../utils/guards.ts";
import type { PagePromise } from "./pagination.ts";

/** The time in which the operation may have been carried out, by the server's clock; ISO 8601. */
export interface OutcomeWindow {
  readonly from: string;
  readonly to: string;
}

/** What a look at the server found. */
export interface Reconciliation<Candidate = unknown> {
  /** What may be the result of the request; list items carry nothing to match on. */
  readonly candidates: readonly Candidate[];
  /** Whether everything that is listed was seen. */
  readonly complete: boolean;
  /** What that means, in words for a person. */
  readonly explanation: string;
}

/** Looks whether an operation was carried out within a window, as the caller that sent it. */
export type FindCandidates = (window: OutcomeWindow, options: RequestOptions) => Promise<Reconciliation>;

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
  return { candidates, complete, explanation: failure ?? wordsFor(candidates.length, complete, from) };
}

function wordsFor(count: number, complete: boolean, from: string): string {
  if (!complete) return `The list since ${from} changed while it was read: look again.`;
  return count > 0
    ? `${count} listed since ${from}: any of them may be this request's, since items carry nothing to match on.`
    : `Nothing is listed since ${from}. That is no proof: a list may lag, and what is queued may not be listed.`;
}

/** Explains what cannot be looked up. `{until}` stands for the end of the overlap that would have begun in the window. */
export async function explain(
  text: string,
  overlapHours: number,
  { from }: OutcomeWindow,
): Promise<Reconciliation<never>> {
  const until = new Date(Date.parse(from) + overlapHours * 3_600_000).toISOString();
  return { candidates: [], complete: false, explanation: text.replace("{until}", until) };
}
