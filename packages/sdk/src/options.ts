import { ConfigurationError } from "./errors.ts";
import { defaultMaxRetries, defaultTimeoutMs } from "./generated/operations.gen.ts";

/** The longest delay that a timer takes, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Options of one request; they override the client's. */
export interface RequestOptions {
  /** Aborts the request, its body and any wait before a retry. */
  signal?: AbortSignal;
  /** Milliseconds that one attempt may take, its body included: 1 to 2³¹−1; 60,000 by default (§8). */
  timeoutMs?: number;
  /** Milliseconds that all attempts, waits and bodies may take together; no limit by default. */
  totalTimeoutMs?: number;
  /** Retries after the first attempt, a whole number from 0; 2 by default (§8). */
  maxRetries?: number;
  /** Further headers. Credentials and the account are options of their own. */
  headers?: Readonly<Record<string, string>>;
  /** The account that the request is for (§5.2). */
  accountId?: string;
}

/** Gives an access token for each attempt. */
export type AccessTokenFunction = (request: { forceRefresh: boolean }) => Promise<string> | string;

/** Time as the client sees it; replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Options of a client. */
export interface ClientOptions extends Omit<RequestOptions, "signal"> {
  /** Address of the API without `/api/v1`, e.g. `https://api.example.com`; may carry a path prefix. */
  baseUrl: string;
  /** An API key (§5.1). Either this or `accessToken`. */
  apiKey?: string;
  /** A JWT access token, or a function that gives one (§5.1). */
  accessToken?: string | AccessTokenFunction;
  /** Permits plain http to hosts other than this machine, e.g. between containers. */
  allowInsecureHttp?: boolean;
  /** Sends the requests; the global `fetch`, looked up at each call, by default. */
  fetch?: typeof globalThis.fetch;
  /** The longest wait in seconds that a server may ask for before a retry; 60 by default. */
  maxRetryAfterSecs?: number;
  /** The time that timeouts and waits are measured by; the machine's own by default. */
  clock?: Clock;
  /** Randomness of the backoff, from 0 to below 1; `Math.random` by default. */
  random?: () => number;
}

/** Options of a client after checks, with their defaults. */
export interface Settings {
  readonly baseUrl: string;
  readonly credential: Credential;
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
};

const { signal: _perRequest, ...sharedOptionNames } = requestOptionNames;

const clientOptionNames: Record<keyof ClientOptions, true> = {
  ...sharedOptionNames,
  baseUrl: true,
  apiKey: true,
  accessToken: true,
  allowInsecureHttp: true,
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
function checkShared({ timeoutMs, totalTimeoutMs, maxRetries, headers, accountId }: RequestOptions): void {
  const milliseconds = `must be a number of milliseconds above 0 and at most ${longestTimer}`;
  check(timeoutMs === undefined || isTimer(timeoutMs), "timeoutMs", milliseconds);
  check(totalTimeoutMs === undefined || isTimer(totalTimeoutMs), "totalTimeoutMs", milliseconds);
  const retries = maxRetries === undefined || (Number.isInteger(maxRetries) && maxRetries >= 0);
  check(retries, "maxRetries", "must be a whole number from 0");
  checkAccountId(accountId);
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

function credentialOf({ apiKey, accessToken }: ClientOptions): Credential {
  check(apiKey === undefined || accessToken === undefined, "accessToken", "and apiKey exclude each other: give one");
  if (apiKey !== undefined) {
    checkToken(apiKey, "apiKey");
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
 * @throws {ConfigurationError} names the option and the mend, never a secret's value.
 */
export function settingsOf(options: ClientOptions): Settings {
  check(typeof options === "object" && options !== null, "options", "must be an object with baseUrl and a credential");
  checkNames(options, clientOptionNames);
  checkShared(options);
  const { fetch, clock = systemClock, random = Math.random, maxRetryAfterSecs = 60 } = options;
  check(fetch === undefined || typeof fetch === "function", "fetch", "must be a function");
  const longestHint = typeof maxRetryAfterSecs === "number" && maxRetryAfterSecs >= 0;
  check(
    longestHint && maxRetryAfterSecs * 1000 <= longestTimer,
    "maxRetryAfterSecs",
    "must be seconds from 0 to 2147483",
  );
  return {
    baseUrl: baseUrlOf(options),
    credential: credentialOf(options),
    accountId: options.accountId,
    timeoutMs: options.timeoutMs ?? defaultTimeoutMs,
    totalTimeoutMs: options.totalTimeoutMs,
    maxRetries: options.maxRetries ?? defaultMaxRetries,
    headers: options.headers ?? {},
    fetch,
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
