// Prints what a run counted, and what it found.
import { compareEffects } from "./compare-effects.ts";
import { describe } from "./history.ts";
import { causes } from "./judge.ts";
import type { RunResult } from "./run.ts";

const longestList = 5;

/** What is counted, by name. */
export function countsOf({ history, verdict, effects, acts, seconds }: RunResult): Map<string, string> {
  const { deliveries, entries, events } = history;
  const attempts = deliveries.flatMap((delivery) => delivery.attempts);
  const answered = deliveries.filter(({ answer }) => answer !== undefined);
  const responses = entries.filter(({ action }) => action === "respond");
  const handlings = entries.filter(({ action }) => action === "start");
  const number = (count: number) => Math.round(count).toLocaleString("en");
  const compared = effects && compareEffects(effects, events, deliveries, () => {});
  return new Map([
    ["Deliveries", number(deliveries.length)],
    ["Events", number(events.length)],
    ["Attempts", number(attempts.length)],
    ["Attempts without a response", number(attempts.filter(({ status }) => status === undefined).length)],
    ["Final answers", number(answered.length)],
    ["Answers from the store", number(answered.filter(({ answer }) => !answer?.handledHere).length)],
    ["503 to waiting copies", number(responses.filter(({ result }) => result === "503, still busy").length)],
    ["503 because the store failed", number(responses.filter(({ result }) => result === "503, store failed").length)],
    ["SIGKILL", number(history.lives.filter(({ killedMs }) => killedMs !== undefined).length)],
    ["SIGSTOP", number(history.lives.flatMap(({ stops }) => stops).length)],
    ["Restarts of the store", number(acts["restart-store"])],
    ["Handlings", number(handlings.length)],
    ["Events started more than once", number(verdict.eventsStartedAgain)],
    // With an inbox, why does not matter: a handling that was interrupted has left nothing.
    ...causes.flatMap((cause) => {
      const count = verdict.startedAgain.get(cause);
      return count === undefined ? [] : [[`- because ${cause}`, number(count)] as const];
    }),
    ...(compared
      ? ([
          ["Rows of the app", number(compared.rows)],
          ["Events with more rows, failing ones aside", number(compared.eventsWithMore)],
          ["Events whose answer contradicts the first row", number(compared.eventsThatContradict)],
        ] as const)
      : []),
    ["Answers that the failing store could not keep", number(verdict.answersNotKept)],
    ["Deliveries a second", number(deliveries.length / seconds)],
  ]);
}

/** Prints the broken promises, with the history of some events. */
export function printFindings({ history, verdict }: RunResult): void {
  const { findings } = verdict;
  const found = [...new Set(findings.map(({ event }) => event))];
  for (const id of found.slice(0, longestList)) {
    console.log(`\n${id}`);
    for (const { event, message } of findings) if (event === id) console.log(`  ${message}`);
    const ofEvent = history.entries.filter(({ event }) => event === id);
    for (const line of describe(ofEvent, history.lives)) console.log(`    ${line}`);
    for (const { event, when, attempts, answer } of history.deliveries) {
      if (event !== id) continue;
      const tried = attempts.map(({ receiver, status }) => `${status ?? "no response"} from ${receiver}`).join(", ");
      console.log(`    copy (${when}): ${tried}; ${answer?.body.slice(0, 80) ?? "no final answer"}`);
    }
  }
  if (found.length > longestList) console.log(`\n… and ${found.length - longestList} more events.`);
}
