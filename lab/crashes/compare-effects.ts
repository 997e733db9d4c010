// Compares the rows that handlings left in the app's table with the answers.
import type { Effect } from "./effects.ts";
import type { EventPlan } from "./plan.ts";
import type { Answer, Delivery } from "./sender.ts";

/** How the rows fit the answers. */
export interface EffectCounts {
  readonly rows: number;
  /** Events with several rows, although none of their handlings fails by plan. */
  readonly eventsWithMore: number;
  /** Events whose answer is of another handling than their first row, or without a row. */
  readonly eventsThatContradict: number;
}

const handlingOf = ({ body }: Answer): string => {
  const answer: unknown = JSON.parse(body);
  return String(Object(answer).handling);
};

/** Compares the app's table with the answers. Calls `find` for each event that breaks what an inbox promises. */
export function compareEffects(
  effects: readonly Effect[],
  events: readonly EventPlan[],
  deliveries: readonly Delivery[],
  find: (event: string, message: string) => void,
): EffectCounts {
  const rowsByEvent = Map.groupBy(effects, ({ event }) => event);
  const deliveriesByEvent = Map.groupBy(deliveries, ({ event }) => event);
  let [eventsWithMore, eventsThatContradict] = [0, 0];
  for (const { body } of events) {
    const rows = rowsByEvent.get(body.id) ?? [];
    const answers = (deliveriesByEvent.get(body.id) ?? []).flatMap(({ answer }) => answer ?? []);
    if (rows.length !== 1) find(body.id, `It left ${rows.length} rows in the app's table.`);
    if (rows.length > 1 && body.failureRate === 0) eventsWithMore += 1;
    const isOther = answers.some((answer) => handlingOf(answer) !== rows[0]?.handling);
    if (!isOther) continue;
    find(body.id, `Its answer is of another handling than its row, which is of ${rows[0]?.handling ?? "none"}.`);
    if (body.failureRate === 0) eventsThatContradict += 1;
  }
  return { rows: effects.length, eventsWithMore, eventsThatContradict };
}
