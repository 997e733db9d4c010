import { InputError, under } from "./errors/input-error.ts";
import { isTimeZone } from "./time/time-zone.ts";

/** Settings for behaviour that the specification does not define. Plain values, read at each use. */
export interface Policies {
  /** The number of requests that one credential may send within a window of `windowSecs` seconds. */
  rateLimit: { requests: number; windowSecs: number };
  /** Whether answers that carry `meta.retryAfterSecs` also carry a `Retry-After` header. */
  retryAfterHeader: boolean;
  /** Whether the caller's address is the first entry of `X-Forwarded-For`. */
  trustForwardedFor: boolean;
  /** The default lifetime of an access token, in seconds. */
  tokenLifetimeSecs: number;
  /** The number of calls of one account that may be in progress at once. */
  concurrentCallLimit: number;
  /** The number of calls of one account that may wait in the queue. */
  callQueueLimit: number;
  /** The number of calls that one account may place between two midnights UTC. */
  dailyCallLimit: number;
  /**
   * The IANA time zone of recipients when neither the contact nor the account has one; `unknown` skips the check of callable
   * hours for them.
   */
  recipientTimeZone: string;
  /** Whether the rules for a call apply again when it leaves the queue, and end it if one refuses it. */
  queuedCallsRechecked: boolean;
  /** The duration of a call, in seconds. */
  callDurationSecs: number;
  /** Seconds until a new call appears in the list. */
  callListLagSecs: number;
  /** Whether queued calls are listed. */
  queuedCallsListed: boolean;
  /** The number of offers missed in a row after which a member becomes away; 0 for never. */
  missedCallLimit: number;
  /** Seconds for which a member stays away after missed calls. */
  missedCallsAwaySecs: number;
  /** Whether disabled destinations ring. */
  disabledDestinationsRing: boolean;
  /**
   * What a rotation does while the previous secret still signs: `void` ends the previous secret at once, `refuse` answers
   * 409 `conflict`.
   */
  rotationDuringOverlap: "void" | "refuse";
  /** Seconds until a delivery times out: real time, or the backend's clock for the built-in inbox. */
  deliveryTimeoutSecs: number;
}

/** The value of `recipientTimeZone` for no time zone. */
export const unknownTimeZone = "unknown";

/** Seconds beyond this overflow a timer. */
const longestSecs = 2_147_483;

/** The values that a policy with named values may have. */
export const policyChoices: ReadonlyMap<string, readonly string[]> = new Map([
  ["rotationDuringOverlap", ["void", "refuse"]],
]);

/** The default policies. */
export function defaultPolicies(): Policies {
  return {
    rateLimit: { requests: 10_000, windowSecs: 60 },
    retryAfterHeader: false,
    trustForwardedFor: false,
    tokenLifetimeSecs: 3600,
    concurrentCallLimit: 10,
    callQueueLimit: 100,
    dailyCallLimit: 10_000,
    recipientTimeZone: unknownTimeZone,
    queuedCallsRechecked: true,
    callDurationSecs: 60,
    callListLagSecs: 0,
    queuedCallsListed: true,
    missedCallLimit: 3,
    missedCallsAwaySecs: 900,
    disabledDestinationsRing: false,
    rotationDuringOverlap: "void",
    deliveryTimeoutSecs: 10,
  };
}

/** Checks changes to policies. Throws InputError for an unknown policy or a value that does not fit. */
export function checkPolicies(changes: unknown, model: object = defaultPolicies()): void {
  if (typeof changes !== "object" || changes === null || Array.isArray(changes))
    throw new InputError("", "must be an object");
  const known = new Map<string, unknown>(Object.entries(model));
  for (const [name, value] of Object.entries(changes)) {
    const expected = known.get(name);
    if (expected === undefined)
      throw new InputError(name, `is not a policy. Policies: ${[...known.keys()].join(", ")}`);
    if (typeof expected === "number") {
      const isSecs = name.endsWith("Secs");
      const largest = isSecs ? longestSecs : Number.MAX_SAFE_INTEGER;
      const fits = typeof value === "number" && value >= 0 && value <= largest && (isSecs || Number.isInteger(value));
      if (!fits)
        throw new InputError(
          name,
          isSecs ? `must be seconds from 0 to ${longestSecs}` : "must be a whole number from 0",
        );
    } else if (typeof expected === "object" && expected !== null) {
      under(name, () => checkPolicies(value, expected));
      for (const part of Object.keys(expected))
        if (!(part in Object(value))) throw new InputError(`${name}.${part}`, "is missing");
    } else if (policyChoices.has(name)) {
      const words = policyChoices.get(name) ?? [];
      if (typeof value !== "string" || !words.includes(value))
        throw new InputError(name, `must be one of ${words.join(", ")}`);
    } else if (typeof value !== typeof expected) throw new InputError(name, `must be a ${typeof expected}`);
    else if (name.endsWith("TimeZone") && value !== unknownTimeZone && !isTimeZone(String(value)))
      throw new InputError(name, `must be an IANA time zone, such as Europe/Berlin, or ${unknownTimeZone}`);
  }
}
