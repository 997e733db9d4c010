import { ConfigurationError } from "../errors/base.ts";
import type { ReconcileOptions } from "../errors/details.ts";
import { isFunction, isObject, isText, orElse, presentable } from "../utils/guards.ts";
import type { ClientOptions, Logger, LogLevel, RequestOptions, RequestRetryOptions, RetryOptions } from "./options.ts";

/** Longest delay of a timer, in milliseconds: 2³¹−1. */
export const maxTimerMs = 2_147_483_647;

/** A check of an option, and the rest of the error message after the option's name. */
type Rule = readonly [accepts: (value: unknown) => boolean, problem: string];

const anything: Rule = [() => true, ""];
const aFunction: Rule = [isFunction, "must be a function"];
const anObject: Rule = [isObject, "must be an object"];

const fields: Rule = [
  (value) => isObject(value) && !(Symbol.iterator in value) && !isFunction(value.toJSON),
  "must be an object of names and values",
];

const objectWith = (...methods: string[]): Rule => [
  (value) => isObject(value) && methods.every((name) => isFunction(value[name])),
  `must be an object with ${methods.join(", ")}`,
];

const integerFrom = (min: number): Rule => [
  (value) => Number.isInteger(value) && (value as number) >= min,
  `must be an integer from ${min}`,
];

const oneOf = (...values: readonly unknown[]): Rule => [
  (value) => values.includes(value),
  `must be one of ${values.join(", ")}`,
];

const clock: Rule = [
  (value) =>
    isObject(value) &&
    isFunction(value.now) &&
    (value.wait === undefined || isFunction(value.wait)) &&
    isFunction(value.setTimeout) === isFunction(value.clearTimeout),
  "must be an object with now(), and either both setTimeout() and clearTimeout() or none",
];

const milliseconds = (orZero = false): Rule => [
  (value) => typeof value === "number" && (value > 0 || (orZero && value === 0)) && value <= maxTimerMs,
  `must be a number ${orZero ? "from" : "above"} 0, at most ${maxTimerMs}`,
];

const token: Rule = [
  // Rejects anything that could end the header or hide in it (RFC 6750).
  (value) => isText(value, /^[A-Za-z0-9._~+/-]+=*$/),
  'must be letters, digits and ._~+/- only. Check for quotes, spaces and "Bearer".',
];

/** Header names without those that have an option of their own, and those that fetch sets itself. */
const headerName =
  /^(?!(?:authorization|x-account-id|connection|content-length|expect|host|keep-alive|transfer-encoding|upgrade)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Rules of the options that a client and a request share. */
const sharedRules = {
  timeoutMs: milliseconds(),
  totalTimeoutMs: milliseconds(),
  maxRetries: integerFrom(0),
  retry: anObject,
  headers: [
    (value) =>
      isObject(value) &&
      !(Symbol.iterator in value) &&
      Object.entries(value).every(([name, text]) => headerName.test(name) && isText(text, headerValue)),
    "must be an object of names and text, without headers that other options set",
  ],
  accountId: [(value) => isText(value, /^[\x21-\x7e]+$/), "must be visible ASCII characters without spaces"],
  middleware: [(value) => Array.isArray(value) && value.every(isFunction), "must be a list of functions"],
  fetchOptions: [
    (value) =>
      isObject(value) &&
      !["method", "headers", "body", "signal", "redirect"].some((name) => name in value) &&
      // What fetch refuses only when it is called would look like a lost connection.
      (!value.dispatcher || isFunction(Object(value.dispatcher).dispatch)) &&
      (!globalThis.Request || orElse(() => new Request("http://localhost", value), undefined) !== undefined),
    "must be an object that fetch accepts, without method, headers, body, signal and redirect",
  ],
} satisfies Partial<Record<keyof RequestOptions, Rule>>;

/** Rules of the options of a request, in the order in which a message lists them. */
export const requestRules: Record<keyof RequestOptions, Rule> = {
  signal: objectWith("addEventListener", "removeEventListener"),
  ...sharedRules,
  extraBody: fields,
  extraQuery: fields,
  context: fields,
};

export const reconcileRules: Record<keyof ReconcileOptions, Rule> = {
  signal: requestRules.signal,
  maxItems: integerFrom(1),
};

/** In order of severity. */
export const loggedLevels: readonly (keyof Logger)[] = ["debug", "info", "warn", "error"];
export const logLevels: readonly LogLevel[] = [...loggedLevels, "off"];

export const clientRules: Record<keyof ClientOptions, Rule> = {
  ...sharedRules,
  baseUrl: anything,
  apiKey: token,
  accessToken: [(value) => isFunction(value) || token[0](value), token[1]],
  allowInsecureHttp: anything,
  dangerouslyAllowBrowser: anything,
  onRetry: aFunction,
  logger: objectWith(...loggedLevels),
  logLevel: oneOf(...logLevels),
  showPhoneNumbers: anything,
  responseValidator: aFunction,
  fetch: aFunction,
  instrumentation: objectWith("startRequest"),
  clock,
  random: aFunction,
};

export const requestRetryRules: Record<keyof RequestRetryOptions, Rule> = {
  maxRetryAfterMs: milliseconds(true),
  onUnknownOutcome: oneOf("throw", "check", "retry"),
};

export const retryRules: Record<keyof RetryOptions, Rule> = {
  ...requestRetryRules,
  trust503Codes: anything,
  budget: anything,
};

/** @throws {ConfigurationError} The condition is false. */
export function check(condition: boolean, option: string, problem: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, problem);
}

/** Options without those that are undefined. */
export type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** Length of the longest piece that two texts share. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  for (let start = 0; start + length < one.length; ) {
    if (other.includes(one.slice(start, start + length + 1))) length += 1;
    else start += 1;
  }
  return length;
}

/** Asks for the option that an unknown name shares most with, or lists all but `random`, which is internal. */
function suggest(name: string, known: readonly string[], prefix: string): string {
  if (prefix && /^max(?:Retries)?$/.test(name)) return ". Did you mean maxRetries?";
  const plain = (text: string) => text.toLowerCase().replaceAll("_", "");
  const wrong = plain(name);
  const listed = known.filter((option) => option !== "random");
  const shared = listed.map((option) => sharedLength(wrong, plain(option)));
  const most = Math.max(...shared);
  const nearest = listed[shared.indexOf(most)];
  const isNear = most > 2 && 2 * most >= wrong.length;
  return isNear ? `. Did you mean ${prefix}${nearest}?` : `; known are ${listed.join(", ")}`;
}

/** Checks options, and returns those that have a value. An error names the option, and never holds a secret. */
export function checkOptions<T extends object>(options: T, rules: Record<string, Rule>, prefix = ""): Given<T> {
  check(isObject(options), "options", anObject[1]);
  const given: Record<string, unknown> = {};
  const known = Object.keys(rules);
  // Not with filter(): a stack trace shows ten frames, and the caller's must be among them.
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name))
      throw new ConfigurationError(prefix + presentable(name), `is not an option${suggest(name, known, prefix)}`);
    const [accepts, problem] = rules[name] as Rule;
    if (value === undefined) continue;
    check(accepts(value), prefix + name, problem);
    given[name] = value;
  }
  return given as Given<T>;
}

/** Checks the result of a token function before it goes into a header. The error never holds it. */
export const checkToken = (value: unknown): void => check(token[0](value), "accessToken", token[1]);
