// Finding results of a request whose outcome is unknown (§8.3).
import type { OutcomeWindow, Reconciliation, ReconciliationReason } from "../errors/details.ts";
import type { FindCandidates } from "../options/options.ts";
import { parseProblem } from "../send/response.ts";
import { isText, messageOf } from "../utils/guards.ts";
import type { PagePromise } from "./pagination.ts";

/** An item of the list, as far as it is compared. Items may have fields that the specification does not show. */
interface Listed {
  readonly id: string;
  readonly direction?: unknown;
  readonly toNumber?: unknown;
}

/** Reads the pages of a list whose items may be the result of the request. */
export async function findInList<List extends object, Item extends Listed>(
  list: PagePromise<List, Item>,
  { from }: OutcomeWindow,
  { body, maxCalls = 1000 }: Parameters<FindCandidates>[2],
): Promise<Reconciliation<Item>> {
  const found = new Map<string, Item>();
  const totals = new Set<number | undefined>();
  let read = 0;
  let hasMoved = false;
  let failure: readonly [ReconciliationReason, string] | undefined;
  try {
    for await (const page of list.pages()) {
      const total = (page as { meta?: { total?: number } }).meta?.total;
      totals.add(total);
      for (const item of list.itemsOf(page)) {
        hasMoved ||= found.has(item.id);
        found.set(item.id, item);
        read++;
      }
      if (read < maxCalls || found.size === total) continue;
      failure = ["limit_reached", `Only the first ${read} calls since ${from} were read: see maxCalls.`];
      break;
    }
  } catch (error) {
    failure = ["list_unreadable", `The list could not be read to its end: ${messageOf(error)}`];
  }
  const wanted = parseProblem(isText(body) ? body : undefined)?.toNumber;
  const candidates = [...found.values()].filter(
    ({ direction, toNumber }) => direction !== "inbound" && !areOtherNumbers(toNumber, wanted),
  );
  const complete = !failure && !hasMoved && totals.size === 1 && totals.has(found.size);
  const [reason, explanation] = failure ?? explainCount(candidates.length, complete, from);
  return { candidates, complete, reason, explanation };
}

/** Whether two values are different phone numbers. Any other form than E.164 proves nothing. */
const areOtherNumbers = (one: unknown, other: unknown): boolean =>
  one !== other && [one, other].every((value) => isText(value, /^\+\d+$/));

function explainCount(count: number, complete: boolean, from: string): [ReconciliationReason, string] {
  if (!complete) return ["list_changed", `The list since ${from} changed while it was read. Read it again.`];
  const found = `${count} listed since ${from}. Any of them may be this request's: items carry nothing to match on.`;
  if (count > 0) return ["candidates_found", found];
  const nothing = `Nothing is listed since ${from}. That is no proof: a list may lag behind, and queued calls may not be listed.`;
  return ["nothing_listed", nothing];
}

/** Explains why there is nothing to find. The text may hold `{until}`: `overlapHours` after the start of the window. */
export async function explain(text: string, overlapHours: number, { from }: OutcomeWindow): Promise<Reconciliation> {
  const until = new Date(Date.parse(from) + overlapHours * 3_600_000).toISOString();
  return { candidates: [], complete: false, reason: "no_list", explanation: text.replace("{until}", until) };
}
