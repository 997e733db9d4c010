// The options of webhook handlers, and their checks.
import { presentable } from "../utils/guards.ts";
import type { EventInbox } from "./deduplicator.ts";
import type { WebhookErrorCode } from "./errors.ts";
import type { EventStore } from "./event-store.ts";
import { secretsOf, toleranceOf, type VerifyOptions, type WebhookEvent } from "./signature.ts";
import { withTimeout } from "./timeout.ts";

/** The destination's signing secret. During a rotation, the new and the previous one. */
export type WebhookSecrets = VerifyOptions["secret"];

/** Reads the secrets of a webhook handler. Called for each webhook, so cache slow lookups. */
export type SecretSource = () => WebhookSecrets | Promise<WebhookSecrets>;

/** Options of `createWebhookHandler`. */
export interface WebhookHandlerOptions<Tx = undefined> extends Omit<VerifyOptions, "secret"> {
  /**
   * The destination's signing secret. During a rotation, the new and the previous one: either may match. A function is called
   * for each webhook. If it fails or takes longer than 2 seconds, the secrets that it returned last remain in use and `onError`
   * receives the error.
   */
  secret: WebhookSecrets | SecretSource;
  /**
   * Handles a verified event. The response is 204 if it returns nothing, its `Response`, or 500 if it throws or returns anything
   * else. With `inbox`, `tx` is the transaction that also stores the response.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return a Response only sometimes
  onEvent(event: WebhookEvent, tx: NoInfer<Tx>): Promise<Response | undefined | void> | Response | undefined | void;
  /** Store that several processes share, so that every duplicate gets the first response. One process needs none. */
  store?: EventStore;
  /**
   * Takes the place of `store` where `onEvent` writes to PostgreSQL: its changes and the response are committed together.
   * `postgresInbox` makes one. Then `store`, `onStoreError`, `leaseDurationMs` and `storeTimeoutMs` are errors.
   */
  inbox?: EventInbox<Tx>;
  /**
   * Reaction to a store that fails before an event is handled. `handle`, the default: it is handled without the store, so no
   * offer is lost, but another process may handle a duplicate too. `reject`: the response is 503, which declines offers.
   */
  onStoreError?: "handle" | "reject";
  /**
   * Time until another process may take over after a crash, in milliseconds: 100 to 60,000; 2,000 by default. Extended while
   * `onEvent` runs, for at most 60 s.
   */
  leaseDurationMs?: number;
  /**
   * Milliseconds for which a duplicate waits for the first response: 0 to 60,000; 8,000 by default, since the platform gives a
   * delivery up after 10 s. Then the response is 503 with `Retry-After`.
   */
  duplicateWaitMs?: number;
  /**
   * Timeout of one step of the store, in milliseconds: 1 to 60,000; 1,000 by default. Excludes queueing, which is limited by
   * `duplicateWaitMs`.
   */
  storeTimeoutMs?: number;
  /**
   * Number of latest responses that this process remembers for duplicates, at least: 1 to 1,000,000; 10,000 by default. It may
   * remember twice as many, and fewer where they have more than 8 million characters.
   */
  maxAnswers?: number;
  /**
   * Receives the error of a webhook that was rejected or could not be handled, and its code. The sender gets no details. By
   * default `console.error` prints each cause at most once a minute, in one line.
   */
  onError?: (error: unknown, code: WebhookErrorCode) => void;
  /**
   * Counts webhooks by result, such as `openTelemetry()` of `@call-transfer/sdk/otel`: `handled`, `deduplicated` for a duplicate
   * that got the response of another delivery, or a code of `onError`. One webhook may have several.
   */
  instrumentation?: { recordWebhook(result: "handled" | "deduplicated" | WebhookErrorCode): void };
}

/** A check of an option, and the rest of the error message after the option's name. */
type Rule = readonly [accepts: (value: unknown) => boolean, problem: string];

const integer = (least: number, most: number): Rule => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  `must be an integer from ${least} to ${most}`,
];

const hasMethods = (value: unknown, names: readonly string[]): boolean =>
  names.every((name) => typeof Object(value)[name] === "function");

// A function, so that bundlers leave it out where only verifyWebhook is used.
const rules = (): Readonly<Record<keyof WebhookHandlerOptions, Rule | undefined>> => ({
  ...{ secret: undefined, toleranceMs: undefined, onError: undefined, instrumentation: undefined },
  onEvent: [(value) => typeof value === "function", "must be a function"],
  clock: [(value) => hasMethods(value, ["now"]), "must have now()"],
  store: [
    (value) => hasMethods(value, ["claim", "complete", "release"]),
    "must be an event store, which has claim(), complete() and release()",
  ],
  inbox: [(value) => hasMethods(value, ["coordinate", "check"]), "must be made by postgresInbox of /webhooks/postgres"],
  onStoreError: [(value) => value === "handle" || value === "reject", 'must be "handle" or "reject"'],
  leaseDurationMs: integer(100, 60_000),
  duplicateWaitMs: integer(0, 60_000),
  storeTimeoutMs: integer(1, 60_000),
  maxAnswers: integer(1, 1_000_000),
});

/** Options of a handler by default. */
export const defaults = {
  ...{ onStoreError: "handle", leaseDurationMs: 2000, duplicateWaitMs: 8000, storeTimeoutMs: 1000 },
  maxAnswers: 10_000,
} as const;

/** Options with their defaults. */
export type CheckedOptions<Tx> = WebhookHandlerOptions<Tx> &
  Required<Pick<WebhookHandlerOptions<Tx>, keyof typeof defaults | "clock" | "toleranceMs">>;

const withoutEffect = ["store", "onStoreError", "leaseDurationMs", "storeTimeoutMs"] as const;

/**
 * Returns the options with their defaults. A secret is not checked: a module may be loaded without it.
 *
 * @throws {TypeError} An option is invalid.
 */
export function checkOptions<Tx>(options: WebhookHandlerOptions<Tx>): CheckedOptions<Tx> {
  // A store of null is the mistake of a handler that several processes share.
  const given = Object.entries(options ?? {}).filter(
    ([name, value]) => value !== undefined && (value !== null || name === "store"),
  );
  const known = rules();
  for (const [name] of given)
    if (!Object.hasOwn(known, name)) throw new TypeError(`${presentable(name)} is not an option. Check its spelling.`);
  // A Date that a test replaces later counts, too.
  const all = { ...defaults, clock: { now: () => Date.now() }, ...Object.fromEntries(given) } as CheckedOptions<Tx>;
  for (const [name, rule] of Object.entries(known)) {
    const value: unknown = Reflect.get(all, name);
    const isRequired = name === "onEvent";
    if (rule && (isRequired || value !== undefined) && !rule[0](value)) throw new TypeError(`${name} ${rule[1]}`);
  }
  const { inbox, store } = all;
  const toleranceMs = toleranceOf(all);
  for (const name of inbox ? withoutEffect : [])
    if (given.some(([one]) => one === name)) throw new TypeError(`${name} has no effect with inbox. Remove it.`);
  const { retentionMs = Number.POSITIVE_INFINITY } = inbox ?? store ?? {};
  if (retentionMs < 2 * toleranceMs)
    throw new TypeError(
      `retentionMs must be at least twice toleranceMs (${2 * toleranceMs}), because a delivery stays valid that long`,
    );
  return { ...all, toleranceMs };
}

/** The platform gives a delivery up after 10 seconds. */
const maxLookupMs = 2000;

/** Reads the secrets for one webhook. With `ifNone`, only if there are none of last time. */
export type SecretsReader = (when?: "ifNone") => Promise<readonly string[]>;

/** Returns what reads the secrets. If the source fails, it reports the error and returns those of last time. */
export function secretsReader(secret: WebhookSecrets | SecretSource, report: (error: unknown) => void): SecretsReader {
  // Not before the first webhook: images are built, and modules loaded, without secrets.
  if (typeof secret !== "function") return async () => secretsOf(secret);
  let last: readonly string[] | undefined;
  return async (when) => {
    if (last && when === "ifNone") return last;
    try {
      const looked = withTimeout(async () => secret(), maxLookupMs, "The function for secret", "secret_lookup_failed");
      last = secretsOf(await looked);
      return last;
    } catch (error) {
      if (!last) throw error;
      // The last secrets remain valid for a while after a rotation.
      report(error);
      return last;
    }
  };
}
