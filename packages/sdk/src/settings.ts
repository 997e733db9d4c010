import { Auth } from "./auth.ts";
import { ConfigurationError } from "./errors.ts";
import { defaultMaxRetries, defaultTimeoutMs } from "./generated/operations.gen.ts";
import type { Logger } from "./logger.ts";
import type { Middleware } from "./middleware.ts";
import type {
  AccessTokenFunction,
  ClientOptions,
  Clock,
  RequestOptions,
  RetryEvent,
  RetryOptions,
  Validate,
} from "./options.ts";
import { RetryBudget } from "./retry.ts";

/** The longest delay that a timer takes, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Options of a client after checks, with their defaults. */
export interface Settings {
  readonly baseUrl: string;
  readonly auth: Auth;
  readonly budget: RetryBudget | undefined;
  readonly unsafe: "never" | "check" | "always";
  readonly middleware: readonly Middleware[];
  readonly onRetry: ((event: RetryEvent) => unknown) | undefined;
  readonly logger: Logger | undefined;
  readonly validate: Validate | undefined;
  /** Operations whose deprecation was told. */
  readonly noticed: Set<string>;
  readonly accountId: string | undefined;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
  readonly maxRetries: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly maxRetryAfterSecs: number;
  readonly clock: Required<Clock>;
  readonly random: () => number;
}

/** Who the client is. */
export type Credential =
  | { readonly kind: "apiKey"; readonly token: string }
  | { readonly kind: "accessToken"; readonly token: string | AccessTokenFunction };

const requestOptionNames: Record<keyof RequestOptions, true> = {
  signal: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  maxRetries: true,
  headers: true,
  accountId: true,
  middleware: true,
};

const { signal: _perRequest, ...sharedOptionNames } = requestOptionNames;

const clientOptionNames: Record<keyof ClientOptions, true> = {
  ...sharedOptionNames,
  baseUrl: true,
  apiKey: true,
  accessToken: true,
  allowInsecureHttp: true,
  allowApiKeyInBrowser: true,
  retry: true,
  onRetry: true,
  logger: true,
  validate: true,
  fetch: true,
  maxRetryAfterSecs: true,
  clock: true,
  random: true,
};

const retryOptionNames: Record<keyof RetryOptions, true> = { unsafe: true, budget: true };

const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Credentials of RFC 6750: nothing that could end a header or hide in one. */
const bearerToken = /^[A-Za-z0-9._~+/-]+=*$/;
const visibleText = /^[\x21-\x7e]+$/;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const ownHeaders = ["authorization", "x-account-id"];

function check(condition: boolean, option: string, mend: string): asserts condition {
  if (!condition) throw new ConfigurationError(option, mend);
}

function checkNames(options: object, known: object): void {
  for (const name of Object.keys(options)) {
    check(Object.hasOwn(known, name), name, `is not an option; known are ${Object.keys(known).join(", ")}`);
  }
}

const isTimer = (value: unknown): boolean => typeof value === "number" && value > 0 && value <= longestTimer;

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** Whether an object has every method. */
function hasMethods(value: unknown, ...names: string[]): boolean {
  return isObject(value) && names.every((name) => typeof (value as Record<string, unknown>)[name] === "function");
}

/** The options that openapi-fetch's verbs take as well; a signal may be null there. */
type TimingOptions = Pick<RequestOptions, "timeoutMs" | "totalTimeoutMs" | "maxRetries" | "accountId"> & {
  signal?: AbortSignal | null | undefined;
};

/**
 * Checks the options that openapi-fetch's verbs take as well.
 *
 * @throws {ConfigurationError} names the option and the mend.
 */
export function checkTiming({ signal, timeoutMs, totalTimeoutMs, maxRetries, accountId }: TimingOptions): void {
  const milliseconds = `must be a number of milliseconds above 0 and at most ${longestTimer}`;
  check(timeoutMs === undefined || isTimer(timeoutMs), "timeoutMs", milliseconds);
  check(totalTimeoutMs === undefined || isTimer(totalTimeoutMs), "totalTimeoutMs", milliseconds);
  const retries = maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0);
  check(retries, "maxRetries", "must be a whole number from 0");
  const watchable = signal === undefined || signal === null || hasMethods(signal, "addEventListener");
  check(watchable, "signal", "must be an AbortSignal: pass controller.signal");
  checkAccountId(accountId);
}

/** Checks the options that clients and requests share. */
function checkShared(options: RequestOptions): void {
  checkTiming(options);
  const { headers = {}, middleware = [] } = options;
  const functions = Array.isArray(middleware) && middleware.every((one) => typeof one === "function");
  check(functions, "middleware", "must be a list of functions (request, next, context)");
  const plain = isObject(headers) && !Array.isArray(headers) && !(headers instanceof Headers);
  check(plain, "headers", "must be an object of names and values");
  for (const [name, value] of Object.entries(headers)) {
    const mend = `must not carry ${name}: use apiKey or accessToken, and accountId`;
    check(!ownHeaders.includes(name.toLowerCase()), "headers", mend);
    check(headerName.test(name), "headers", "has a name that no header may have");
    const valid = typeof value === "string" && headerValue.test(value);
    check(valid, "headers", `must give ${name} as text without line breaks`);
  }
}

function checkAccountId(accountId: unknown): void {
  const valid = accountId === undefined || (typeof accountId === "string" && visibleText.test(accountId));
  check(valid, "accountId", "must be a non-empty string of visible ASCII characters without spaces");
}

/**
 * Checks a token before it goes into a header.
 *
 * @throws {ConfigurationError} The message never holds the token.
 */
export function checkToken(token: unknown, option: "apiKey" | "accessToken"): asserts token is string {
  const mend =
    "must be a non-empty bearer token: letters, digits and . _ ~ + / - only (is there a stray space or line break?)";
  check(typeof token === "string" && bearerToken.test(token), option, mend);
}

/** A logger whose own failures break no request. */
function guarded(logger: Logger): Logger {
  const guard = (level: keyof Logger) => (message: string) => {
    try {
      logger[level](message);
    } catch {
      // There is nobody left to tell.
    }
  };
  return { debug: guard("debug"), info: guard("info"), warn: guard("warn"), error: guard("error") };
}

/** Whether everybody who opens the page could read a key. */
const inBrowser = (): boolean => ("window" in globalThis && "document" in globalThis) || "importScripts" in globalThis;

function credentialOf({ apiKey, accessToken, allowApiKeyInBrowser }: ClientOptions): Credential {
  check(apiKey === undefined || accessToken === undefined, "accessToken", "and apiKey exclude each other: give one");
  if (apiKey !== undefined) {
    checkToken(apiKey, "apiKey");
    const hidden = allowApiKeyInBrowser === true || !inBrowser();
    check(
      hidden,
      "apiKey",
      "can be read by everybody in a browser: use an accessToken, or set allowApiKeyInBrowser: true",
    );
    return { kind: "apiKey", token: apiKey };
  }
  check(accessToken !== undefined, "apiKey", "or accessToken is required");
  if (typeof accessToken !== "function") checkToken(accessToken, "accessToken");
  return { kind: "accessToken", token: accessToken };
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);

function baseUrlOf({ baseUrl, allowInsecureHttp = false }: ClientOptions): string {
  const example = "must be an address such as https://api.example.com";
  check(typeof baseUrl === "string" && URL.canParse(baseUrl), "baseUrl", example);
  const url = new URL(baseUrl);
  check(url.protocol === "https:" || url.protocol === "http:", "baseUrl", `${example} (https)`);
  check(url.username === "" && url.password === "", "baseUrl", "must not carry a user name or password: use apiKey");
  check(!/[?#]/.test(baseUrl), "baseUrl", "must not carry a query or fragment");
  const path = url.pathname.replace(/\/+$/, "");
  check(!path.endsWith("/api/v1"), "baseUrl", "must end before /api/v1: the operations' paths bring it along");
  const secure = url.protocol === "https:" || isLoopback(url.hostname) || allowInsecureHttp === true;
  check(secure, "baseUrl", "must use https; set allowInsecureHttp: true only where the network itself is private");
  return url.origin + path;
}

/**
 * Checks a client's options and fills in the defaults.
 *
 * @param parent The settings whose retry budget and notices are shared.
 * @throws {ConfigurationError} names the option and the mend, never a secret's value.
 */
export function settingsOf(options: ClientOptions, parent?: Settings): Settings {
  check(typeof options === "object" && options !== null, "options", "must be an object with baseUrl and a credential");
  checkNames(options, clientOptionNames);
  checkShared(options);
  const { retry = {}, clock = systemClock, random = Math.random, maxRetryAfterSecs = 60, logger } = options;
  check(isObject(retry), "retry", "must be an object with unsafe and budget");
  checkNames(retry, retryOptionNames);
  check(hasMethods(clock, "now", "setTimeout", "clearTimeout"), "clock", "must have now, setTimeout and clearTimeout");
  const console = logger === undefined || hasMethods(logger, "debug", "info", "warn", "error");
  check(console, "logger", "must have debug, info, warn and error");
  for (const name of ["fetch", "onRetry", "validate", "random"] as const) {
    check(options[name] === undefined || typeof options[name] === "function", name, "must be a function");
  }
  const longestHint = typeof maxRetryAfterSecs === "number" && maxRetryAfterSecs >= 0;
  check(
    longestHint && maxRetryAfterSecs * 1000 <= longestTimer,
    "maxRetryAfterSecs",
    "must be seconds from 0 to 2147483",
  );
  const { unsafe = "never", budget = true } = retry;
  check(["never", "check", "always"].includes(unsafe), "retry.unsafe", "must be never, check or always");
  const credential = credentialOf(options);
  return {
    baseUrl: baseUrlOf(options),
    auth: parent?.auth.isOf(credential) ? parent.auth : new Auth(credential),
    budget: budget ? (parent?.budget ?? new RetryBudget()) : undefined,
    unsafe,
    middleware: options.middleware ?? [],
    onRetry: options.onRetry,
    logger: logger && guarded(logger),
    validate: options.validate,
    noticed: parent?.noticed ?? new Set(),
    accountId: options.accountId,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    headers: options.headers ?? {},
    fetch: options.fetch,
    maxRetryAfterSecs,
    clock: {
      now: () => clock.now(),
      elapsed: () => (clock.elapsed ? clock.elapsed() : clock.now()),
      setTimeout: (callback, delayMs) => clock.setTimeout(callback, delayMs),
      clearTimeout: (timer) => clock.clearTimeout(timer),
    },
    random,
  };
}

/**
 * Checks the options of one request.
 *
 * @throws {ConfigurationError} names the option and the mend.
 */
export function checkRequestOptions(options: RequestOptions): void {
  check(isObject(options), "options", "must be an object");
  checkNames(options, requestOptionNames);
  checkShared(options);
}
