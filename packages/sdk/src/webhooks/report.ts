// What a receiver without `onError` prints.
import { messageOf } from "../utils/guards.ts";
import { onceAMinute, type PrintedCauses } from "../utils/once-a-minute.ts";
import { excerpt, maskNumbers } from "../utils/redact.ts";

/** What failed, and what to do where the error does not say it. */
const failures = {
  request: ["refused a request", ""],
  secrets: ["the function for secret failed", "Fix it. Until then, offers get a 500."],
  newSecrets: ["the function for secret failed", "Fix it. Until then, its last secrets remain in use."],
  signature: ["refused a webhook", "If the platform sent it, its event was not handled."],
  event: ["onEvent failed", "The sender gets no details. Fix onEvent: a copy of the event is handled again."],
  store: ["the event store failed", "Check the store. Until it works, onStoreError decides what happens to events."],
  inbox: ["the inbox reported an error", "After a failure of the database, a copy is handled again."],
  warning: ["warning", ""],
  response: ["the response could not be sent", "The event was handled. Check the server and its timeouts."],
} as const;

/** The part of a receiver that failed. */
export type Step = keyof typeof failures;

/** What failed, why, and what to do, in one line. */
export function describeFailure(step: Step, error: unknown): string {
  const [what, advice] = failures[step];
  const { cause } = Object(error) as { cause?: unknown };
  const reason = cause === undefined ? "" : ` (${messageOf(cause)})`;
  const line = excerpt(maskNumbers(`${messageOf(error)}${reason}`), 500).replace(/\w$/, "$&.");
  return `${what}: ${line} ${advice}`.trim();
}

/** Prints a failure on the console in one line: once a cause and a minute. */
export function printFailure(printed: PrintedCauses, step: Step, error: unknown): void {
  const line = describeFailure(step, error);
  // The age of a signature differs each time.
  const repeats = onceAMinute(printed, `${step} ${line.replace(/\d+/g, "0")}`, Date.now());
  // biome-ignore lint/suspicious/noConsole: the default of onError
  if (repeats !== undefined) console.error(`call-transfer: ${line}${repeats}`);
}
