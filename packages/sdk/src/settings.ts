import { Auth } from "./auth.ts";
import { ConfigurationError } from "./errors.ts";
import { defaultMaxRetries, defaultTimeoutMs } from "./generated/operations.gen.ts";
import type { Logger } from "./logger.ts";
import type { Middleware } from "./middleware.ts";
import type { AccessTokenFunction, ClientOptions, Clock, RequestOptions, RetryEvent, Validate } from "./options.ts";
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
  readonly onRetry: ((event: RetryEvent) => void) | undefined;
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
  readonly clock: Clock;
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

const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** Credentials of RFC 6750: nothing that could end a header or hide in one. */
const bearerToken = /^[A-Za-z0-9._~+/-]+=*$/;
const visibleText = /^[\x21-\x7e]+$/;
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

/** Checks the options that clients and requests share. */
function checkShared({ timeoutMs, totalTimeoutMs, maxRetries, headers, accountId, middleware }: RequestOptions): void {
  const milliseconds = `must be a number of milliseconds above 0 and at most ${longestTimer}`;
  check(timeoutMs === undefined || isTimer(timeoutMs), "timeoutMs", milliseconds);
  check(totalTimeoutMs === undefined || isTimer(totalTimeoutMs), "totalTimeoutMs", milliseconds);
  const retries = maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0);
  check(retries, "maxRetries", "must be a whole number from 0");
  checkAccountId(accountId);
  const functions = middleware === undefined || middleware.every((one) => typeof one === "function");
  check(functions, "middleware", "must be a list of functions (request, next, context)");
  for (const name of Object.keys(headers ?? {})) {
    const mend = `must not carry ${name}: use apiKey or accessToken, and accountId`;
    check(!ownHeaders.includes(name.toLowerCase()), "headers", mend);
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

/** Whether everybody who opens the page could read a key. */
const inBrowser = (): boolean => "window" in globalThis && "document" in globalThis && "navigator" in globalThis;

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
  const { retry = {}, clock = systemClock, random = Math.random, maxRetryAfterSecs = 60 } = options;
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
  return {
    baseUrl: baseUrlOf(options),
    auth: new Auth(credentialOf(options)),
    budget: budget ? (parent?.budget ?? new RetryBudget()) : undefined,
    unsafe,
    middleware: options.middleware ?? [],
    onRetry: options.onRetry,
    logger: options.logger,
    validate: options.validate,
    noticed: parent?.noticed ?? new Set(),
    accountId: options.accountId,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    headers: options.headers ?? {},
    fetch: options.fetch,
    maxRetryAfterSecs,
    clock,
    random,
  };
}

/**
 * Checks the options of one request.
 *
 * @throws {ConfigurationError} names the option and the mend.
 */
export function checkRequestOptions(options: RequestOptions): void {
  checkNames(options, requestOptionNames);
  checkShared(options);
}
