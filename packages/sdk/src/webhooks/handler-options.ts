// The options of receivers, and their checks.
import { presentable } from "../utils/guards.ts";
import type { WebhookErrorCode } from "./codes.ts";
import type { EventInbox } from "./event-inbox.ts";
import type { EventStore } from "./event-store.ts";
import { memoryEventStore } from "./memory-event-store.ts";
import type { OnceSettings } from "./once.ts";
import type { SecretSource, WebhookSecrets } from "./secrets.ts";
import { refuseOldNames, type VerifyOptions, type WebhookEvent } from "./signature.ts";

/** Options of `createWebhookHandler`. */
export interface WebhookHandlerOptions<Tx = undefined> extends Omit<VerifyOptions, "secret"> {
  /**
   * The destination's signing secret. During a rotation, the new and the previous one: either may match. A function is
   * called for each webhook, so that secrets can change without a restart. If it fails or takes longer than 2 seconds, the
   * secrets that it returned last remain in use and `onError` receives the error.
   */
  secret: WebhookSecrets | SecretSource;
  /**
   * Handles a verified event. If it returns nothing, the response is 204; a `Response` is sent as it is. If it throws, or
   * returns anything else, the response is 500 without details. With `inbox`, `tx` is the transaction that also stores the
   * answer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return a Response only sometimes
  onEvent(event: WebhookEvent, tx: NoInfer<Tx>): Promise<Response | undefined | void> | Response | undefined | void;
  /**
   * Remembers which events were handled, so that every copy of an event gets the first answer, also a copy with a new
   * signature. `memoryEventStore()` by default; several processes need a store that they share.
   */
  store?: EventStore;
  /**
   * Takes the place of `store` where what `onEvent` does is in a PostgreSQL database: its changes and the answer are
   * committed together. `/webhooks/postgres` makes one. Then `store`, `onStoreError`, `leaseMs` and `storeTimeoutMs` are
   * errors.
   */
  inbox?: EventInbox<Tx>;
  /**
   * Separates receivers that share a store: 1 to 100 letters, digits, dots, dashes or underscores; `default` by default.
   * Receivers with different secrets need different scopes.
   */
  scope?: string;
  /**
   * What a copy of an event gets. `answer`, the default: the first answer, for which it waits while the event is being
   * handled. `refuse`: 409, which declines an offer.
   */
  duplicates?: "answer" | "refuse";
  /**
   * What happens when the store fails before an event is handled. `handle`, the default: it is handled without the store, so no
   * offer is lost, but another process may handle a copy too. `refuse`: the answer is 503, so nothing is handled while the store
   * fails, and offers are declined.
   */
  onStoreError?: "handle" | "refuse";
  /**
   * How long an event stays with a process that has crashed, in milliseconds: 100 to 60,000; 2,000 by default. It is extended
   * while `onEvent` runs, for at most 60 s.
   */
  leaseMs?: number;
  /**
   * How long a copy waits for the first answer, in milliseconds: 0 to 60,000; 8,000 by default, since the platform gives a
   * delivery up after 10 s. Then the answer is 503 with `Retry-After`.
   */
  waitMs?: number;
  /**
   * How long an answer is kept for later copies, in milliseconds; 86,400,000 (one day) by default. At least twice `toleranceMs`:
   * that long the same bytes are accepted.
   */
  keepMs?: number;
  /**
   * How long one step of the store may take, in milliseconds: 1 to 60,000; 1,000 by default. Then it counts as failed. The time in
   * which it waits for its turn does not count, which is at most `waitMs`.
   */
  storeTimeoutMs?: number;
  /**
   * Receives the error of a webhook that was refused or could not be handled, and its code. The sender gets no details. By
   * default `console.error` prints each cause at most once a minute, in one line.
   */
  onError?: (error: unknown, code: WebhookErrorCode) => void;
  /**
   * Counts what happens, such as `openTelemetry()` of `@call-transfer/sdk/otel`: `handled`, `repeated` for a copy that got the
   * answer of another one, or a code of `onError`. One webhook may have several.
   */
  instrumentation?: { webhook(result: "handled" | "repeated" | WebhookErrorCode): void };
}

/** A check of an option, and the rest of the error message after the option's name. */
type Rule = readonly [accepts: (value: unknown) => boolean, problem: string];

const checkedElsewhere: Rule = [() => true, ""];

const either = (one: string, other: string): Rule => [
  (value) => value === one || value === other,
  `must be "${one}" or "${other}"`,
];

const integer = (least: number, most: number): Rule => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  `must be an integer from ${least} to ${Math.floor(most)}`,
];

// A function, so that bundlers leave it out where only verifyWebhook is used.
const rules = (): Readonly<Record<keyof WebhookHandlerOptions, Rule>> => ({
  ...{ secret: checkedElsewhere, toleranceMs: checkedElsewhere, clock: checkedElsewhere },
  ...{ onEvent: checkedElsewhere, onError: checkedElsewhere, store: checkedElsewhere, inbox: checkedElsewhere },
  instrumentation: checkedElsewhere,
  scope: [
    (value) => typeof value === "string" && /^[\w.-]{1,100}$/.test(value),
    "must be 1 to 100 letters, digits, dots, dashes or underscores",
  ],
  duplicates: either("answer", "refuse"),
  onStoreError: either("handle", "refuse"),
  leaseMs: integer(100, 60_000),
  waitMs: integer(0, 60_000),
  keepMs: integer(1, Number.MAX_SAFE_INTEGER),
  storeTimeoutMs: integer(1, 60_000),
});

/** Options of a handler by default. */
export const defaults = {
  ...{ scope: "default", duplicates: "answer", onStoreError: "handle" },
  ...{ leaseMs: 2000, waitMs: 8000, keepMs: 86_400_000, storeTimeoutMs: 1000 },
} as const;

export function checkNames<Tx>(options: WebhookHandlerOptions<Tx>): void {
  refuseOldNames(options);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules(), name));
  if (unknown === "replayStore")
    throw new TypeError(
      'replayStore is no longer an option. Use store, and duplicates: "refuse" if replays must be refused.',
    );
  if (unknown !== undefined) throw new TypeError(`${presentable(unknown)} is not an option. Check its spelling.`);
}

/** Returns the checked settings. */
export function checkOnce<Tx>(
  options: WebhookHandlerOptions<Tx>,
  toleranceMs: number,
): OnceSettings & { readonly scope: string } {
  // A Date that a test replaces later counts, too.
  const clock = options.clock ?? { now: () => Date.now() };
  const { store = memoryEventStore({ clock }) } = options;
  for (const name of ["claim", "complete", "release"] as const)
    if (typeof store?.[name] !== "function") throw new TypeError(`store must be an event store, which has ${name}()`);
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  const settings: Readonly<Record<string, unknown>> = { ...defaults, ...Object.fromEntries(given), store, clock };
  for (const [name, [accepts, problem]] of Object.entries(rules()))
    if (!accepts(settings[name])) throw new TypeError(`${name} ${problem}`);
  if (Number(settings.keepMs) < 2 * toleranceMs)
    throw new TypeError(
      `keepMs must be at least ${2 * toleranceMs}, which is twice toleranceMs: that long the same bytes are accepted, and a copy ` +
        "would be handled again",
    );
  // Each field has its type by now.
  return settings as unknown as OnceSettings & { readonly scope: string };
}
