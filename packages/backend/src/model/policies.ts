import { InputError, under } from "./input-error.ts";
import { isTimeZone } from "./time-zone.ts";

/** What the specification leaves open and behaviour hangs on. Plain values, read when they are used. */
export interface Policies {
  /** Requests that one credential may make within a window of so many seconds. */
  rateLimit: { requests: number; windowSecs: number };
  /** Whether answers that carry `meta.retryAfterSecs` also carry a `Retry-After` header. */
  retryAfterHeader: boolean;
  /** Whether the caller's address is the first entry of `X-Forwarded-For`. */
  trustForwardedFor: boolean;
  /** How long an access token lives when its issuer says nothing, in seconds. */
  tokenLifetimeSecs: number;
  /** Calls of one account in progress at once. */
  concurrentCallLimit: number;
  /** Calls of one account that may wait in the queue. */
  callQueueLimit: number;
  /** Calls that one account may place between two midnights UTC. */
  dailyCallLimit: number;
  /**
   * Where recipients are for whom neither a contact nor the account has a time zone: an IANA time zone, or `unknown`, which
   * leaves them out of the check of callable hours.
   */
  recipientTimeZone: string;
  /** How long a call lasts, in seconds. */
  callDurationSecs: number;
  /** How many seconds a call takes to appear in the list. */
  callListLagSecs: number;
  /** Whether calls that wait in the queue are listed. */
  queuedCallsListed: boolean;
  /** After how many offers missed in a row a member turns away; 0 for never. */
  missedCallLimit: number;
  /** For how many seconds a member is away after missed calls. */
  missedCallsAwaySecs: number;
  /** Whether disabled destinations ring. */
  disabledDestinationsRing: boolean;
  /**
   * What a rotation does while the previous secret still signs: `void` makes the previous secret void at once, `refuse`
   * answers 409 `conflict`.
   */
  rotationDuringOverlap: "void" | "refuse";
  /** How long a webhook's receiver may take, in seconds of real time; the built-in one's are of the backend's clock. */
  deliveryTimeoutSecs: number;
}

/** The value of `recipientTimeZone` that stands for none. */
export const unknownTimeZone = "unknown";

/** Seconds beyond this overflow a timer. */
const longestSecs = 2_147_483;

/** The values of policies that are words. */
const choices: ReadonlyMap<string, readonly string[]> = new Map([["rotationDuringOverlap", ["void", "refuse"]]]);

/** The policies of a backend that was told nothing else. */
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

/** Throws InputError when `changes` names no policy or a value does not fit. */
export function checkPolicies(changes: unknown, model: object = defaultPolicies()): void {
  if (typeof changes !== "object" || changes === null || Array.isArray(changes))
    throw new InputError("", "must be an object");
  const known = new Map<string, unknown>(Object.entries(model));
  for (const [name, value] of Object.entries(changes)) {
    const expected = known.get(name);
    if (expected === undefined) throw new InputError(name, `no such policy; there are ${[...known.keys()].join(", ")}`);
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
    } else if (choices.has(name)) {
      const words = choices.get(name) ?? [];
      if (typeof value !== "string" || !words.includes(value))
        throw new InputError(name, `must be one of ${words.join(", ")}`);
    } else if (typeof value !== typeof expected) throw new InputError(name, `must be a ${typeof expected}`);
    else if (name.endsWith("TimeZone") && value !== unknownTimeZone && !isTimeZone(String(value)))
      throw new InputError(name, `must be an IANA time zone, such as Europe/Berlin, or ${unknownTimeZone}`);
  }
}
