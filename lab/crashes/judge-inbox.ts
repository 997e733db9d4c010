// Decides whether a run with an inbox kept its promises: none lost, one answer an event, and one row, of the same handling.
import { compareEffects } from "./compare-effects.ts";
import type { Effect } from "./effects.ts";
import type { Finding, RunHistory, Verdict } from "./judge.ts";

/** Checks a run with an inbox, which has no leases: PostgreSQL itself says who has an event. */
export function judgeInbox(history: RunHistory, effects: readonly Effect[]): Verdict {
  const { events, deliveries, entries } = history;
  const findings: Finding[] = [];
  const find = (event: string, message: string) => void findings.push({ event, message });
  compareEffects(effects, events, deliveries, find);
  const deliveriesByEvent = Map.groupBy(deliveries, ({ event }) => event);
  for (const { body, copies } of events) {
    const own = deliveriesByEvent.get(body.id) ?? [];
    const answers = own.flatMap(({ answer }) => answer ?? []);
    if (answers.length !== copies.length)
      find(body.id, `${copies.length - answers.length} of ${copies.length} deliveries got no final answer.`);
    const texts = new Set(answers.map(({ status, contentType, body: text }) => `${status} ${contentType} ${text}`));
    if (texts.size > 1) find(body.id, `It got ${texts.size} answers.`);
    const expected = body.decision === "accept" ? 200 : 409;
    if (answers.some(({ status }) => status !== expected)) find(body.id, "Its answer is not of its handling.");
  }
  const starts = Map.groupBy(
    entries.filter(({ action }) => action === "start"),
    ({ event }) => event,
  );
  const eventsStartedAgain = [...starts.values()].filter(({ length }) => length > 1).length;
  return { findings, startedAgain: new Map(), eventsStartedAgain, answersNotKept: 0 };
}
