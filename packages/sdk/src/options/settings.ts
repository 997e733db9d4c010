import { ConfigurationError } from "../errors/errors.ts";
import { defaultMaxRetries, defaultTimeoutMs } from "../generated/operations.gen.ts";
import type { Logger } from "../send/logger.ts";
import { RetryBudget } from "../send/retry.ts";
import { isFunction, isObject, isText } from "../utils/guards.ts";
import { type Auth, authOf } from "./auth.ts";
import type { ClientOptions, Clock, RequestOptions, RetryOptions } from "./options.ts";

/** The longest delay that a timer takes, in milliseconds: 2³¹−1. */
const longestTimer = 2_147_483_647;

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

const defaults = {
  timeoutMs: defaultTimeoutMs,
  maxRetries: defaultMaxRetries,
  maxRetryAfterSecs: 60,
  middleware: [],
  headers: {},
  clock: systemClock,
  random: () => Math.random(),
} satisfies Partial<ClientOptions>;

type Defaulted = keyof typeof defaults;

/** Options of a client after checks, with their defaults. */
export interface Settings
  extends Readonly<Omit<ClientOptions, Defaulted | "apiKey" | "accessToken" | "logger" | "retry">>,
    Readonly<{ [Name in Defaulted]: NonNullable<ClientOptions[Name]> }> {
  readonly auth: Auth;
  readonly budget: RetryBudget | undefined;
  readonly unsafe: "never" | "check" | "always";
  /** Tells the caller's logger, if there is one; what fails in it breaks no request. */
  readonly log: (level: keyof Logger, words: () => string) => void;
  /** Operations whose deprecation was told. */
  readonly noticed: Set<string>;
  /** Milliseconds since any moment, which no correction of the clock changes. */
  readonly elapsed: () => number;
}

/** What an option must be, and how its refusal goes on after its name. */
type Rule = readonly [accepts: (value: unknown) => boolean, mend: string];

const anything: Rule = [() => true, ""];
const aFunction: Rule = [isFunction, "must be a function"];
const anObject: Rule = [isObject, "must be an object"];

const having = (...methods: string[]): Rule => [
  (value) => isObject(value) && methods.every((name) => isFunction(value[name])),
  `must be an object with ${methods.join(", ")}`,
];

const milliseconds: Rule = [
  (value) => typeof value === "number" && value > 0 && value <= longestTimer,
  `must be milliseconds above 0, at most ${longestTimer}`,
];

const token: Rule = [
  // Nothing may end the header or hide in it (RFC 6750).
  (value) => isText(value, /^[A-Za-z0-9._~+/-]+=*$/),
  "must be letters, digits and ._~+/- only: is there a stray space or line break?",
];

/** What may stand in a header; the credential and the account are options of their own. */
const headerName = /^(?!(?:authorization|x-account-id)$)[!#$%&'*+.^_`|~0-9a-z-]+$/i;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const requestRules: Record<keyof RequestOptions, Rule> = {
  signal: having("addEventListener"),
  timeoutMs: milliseconds,
  totalTimeoutMs: milliseconds,
  maxRetries: [(value) => Number.isInteger(value) && (value as number) >= 0, "must be a whole number from 0"],
  headers: [
    (value) =>
      isObject(value) &&
      !(Symbol.iterator in value) &&
      Object.entries(value).every(([name, text]) => headerName.test(name) && isText(text, headerValue)),
    "must be an object of header names and texts, without those of apiKey, accessToken and accountId",
  ],
  accountId: [(value) => isText(value, /^[\x21-\x7e]+$/), "must be visible ASCII characters without spaces"],
  middleware: [(value) => Array.isArray(value) && value.every(isFunction), "must be a list of functions"],
};

const { signal: _perRequest, ...sharedRules } = requestRules;

const clientRules: Record<keyof ClientOptions, Rule> = {
  ...sharedRules,
  baseUrl: anything,
  apiKey: token,
  accessToken: [(value) => isFunction(value) || token[0](value), token[1]],
  allowInsecureHttp: anything,
  allowApiKeyInBrowser: anything,
  retry: anObject,
  onRetry: aFunction,
  logger: having("debug", "info", "warn", "error"),
  validate: aFunction,
  fetch: aFunction,
  maxRetryAfterSecs: [
    (value) => value === 0 || milliseconds[0](Number(value) * 1000),
    "must be seconds from 0 to 2147483",
  ],
  clock: having("now", "setTimeout", "clearTimeout"),
  random: aFunction,
};

const retryRules: Record<keyof RetryOptions, Rule> = {
  unsafe: [(value) => isText(value, /^(?:never|check|always)$/), "must be never, check or always"],
  budget: anything,
};

function check(condition: boolean, option: string, mend: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, mend);
}

/** Options without those that are undefined. */
type Given<T> = { [Name in keyof T]: Exclude<T[Name], undefined> };

/** The options that have a value, after their checks. */
function checked<T extends object>(options: T, rules: Readonly<Record<string, Rule>>, prefix = ""): Given<T> {
  check(isObject(options), "options", anObject[1]);
  const given = Object.entries(options).filter(([name, value]) => {
    check(Object.hasOwn(rules, name), name, `is not an option; known are ${Object.keys(rules).join(", ")}`);
    const [accepts, mend] = rules[name] as Rule;
    if (value === undefined) return false;
    check(accepts(value), prefix + name, mend);
    return true;
  });
  return Object.fromEntries(given) as Given<T>;
}

/**
 * Checks the options of one request, and leaves those out that have no value.
 *
 * @throws {ConfigurationError} names the option and the mend.
 */
export const checkedRequest = (options: RequestOptions): Given<RequestOptions> => checked(options, requestRules);

/**
 * Checks what a token function gave before it goes into a header.
 *
 * @throws {ConfigurationError} The message never holds the token.
 */
export const checkToken = (value: unknown): void => check(token[0](value), "accessToken", token[1]);

function authFrom({ apiKey, accessToken, allowApiKeyInBrowser }: ClientOptions, parent?: Auth): Auth {
  check(apiKey === undefined || accessToken === undefined, "accessToken", "and apiKey exclude each other: give one");
  if (accessToken !== undefined) return authOf("accessToken", accessToken, parent);
  check(apiKey !== undefined, "apiKey", "or accessToken is required");
  // A page's or a web worker's memory is open to everybody who opens the page.
  const inBrowser = "document" in globalThis || "importScripts" in globalThis;
  const mend = "is open to everybody in a browser: use accessToken, or set allowApiKeyInBrowser: true";
  check(allowApiKeyInBrowser === true || !inBrowser, "apiKey", mend);
  return authOf("apiKey", apiKey, parent);
}

const loopback = /^(?:(?:.+\.)?localhost|\[::1\]|127(?:\.\d{1,3}){3})$/;

function baseUrlOf({ baseUrl, allowInsecureHttp }: ClientOptions): string {
  const isWeb = isText(baseUrl, /^https?:/i) && URL.canParse(baseUrl);
  check(isWeb, "baseUrl", "must be an address such as https://api.example.com");
  const { protocol, hostname, origin, pathname, username, password } = new URL(baseUrl);
  check(!username && !password && !/[?#]/.test(baseUrl), "baseUrl", "must not carry a user name, query or fragment");
  const path = pathname.replace(/\/+$/, "");
  check(!path.endsWith("/api/v1"), "baseUrl", "must end before /api/v1");
  const secure = protocol === "https:" || loopback.test(hostname) || allowInsecureHttp === true;
  check(secure, "baseUrl", "must use https, or allowInsecureHttp: true in a private network");
  return origin + path;
}

/**
 * Checks a client's options and fills in the defaults.
 *
 * @param parent The settings whose retry budget and notices are shared.
 * @throws {ConfigurationError} names the option and the mend, never a secret's value.
 */
export function settingsOf(options: ClientOptions, parent?: Settings): Settings {
  const given = checked(options, clientRules);
  const { apiKey, accessToken, retry = {}, logger, ...rest } = given;
  const { unsafe = "never", budget = true } = checked(retry, retryRules, "retry.");
  const filled = { ...defaults, ...rest };
  const { clock } = filled;
  return {
    ...filled,
    auth: authFrom(given, parent?.auth),
    baseUrl: baseUrlOf(given),
    budget: budget ? (parent?.budget ?? new RetryBudget()) : undefined,
    unsafe,
    log(level, words) {
      try {
        logger?.[level](`call-transfer: ${words()}`);
      } catch {
        // There is nobody left to tell.
      }
    },
    noticed: parent?.noticed ?? new Set(),
    elapsed: () => (clock.elapsed ? clock.elapsed() : clock.now()),
  };
}
