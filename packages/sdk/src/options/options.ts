import type { Attempt } from "../errors/errors.ts";
import type { Logger } from "../send/logger.ts";
import type { Middleware } from "../send/middleware.ts";

/** The same with optional parts that may also be written as undefined. */
export type OrUndefined<T> = { [Name in keyof T]: undefined extends T[Name] ? T[Name] | undefined : T[Name] };

/** The same with lists that may be read-only. */
type WithReadonlyLists<T> = T extends readonly (infer Item)[]
  ? readonly WithReadonlyLists<Item>[]
  : T extends object
    ? { [Name in keyof T]: WithReadonlyLists<T[Name]> }
    : T;

/** The fields of an object that are named one by one. */
type NamedFields<T> = {
  [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};

/**
 * A body as it may be given: its lists may be read-only, and where fields besides the named ones are accepted it may
 * also be an interface, which has no index signature.
 */
export type RequestBody<T> = WithReadonlyLists<string extends keyof T ? NamedFields<T> | T : T>;

/** Options of one request; they override the client's. */
export interface RequestOptions {
  /** Aborts the request, its body and any wait before a retry. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take, its body included: 1 to 2³¹−1; 60,000 by default (§8). */
  timeoutMs?: number | undefined;
  /** Milliseconds that all attempts, waits and bodies may take together; no limit by default. */
  totalTimeoutMs?: number | undefined;
  /** Retries after the first attempt, a whole number from 0; 2 by default (§8). */
  maxRetries?: number | undefined;
  /** Further headers. Credentials and the account are options of their own. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The account that the request is for (§5.2). */
  accountId?: string | undefined;
  /** Runs around every attempt; the client's middleware runs around the request's. */
  middleware?: readonly Middleware[] | undefined;
}

/** A retry that is about to be waited for. */
export interface RetryEvent {
  readonly operationId: string;
  /** How the attempt before it ended; `delayMs` is the wait. */
  readonly attempt: Readonly<Attempt>;
  /** Which sending comes next, from 2. */
  readonly nextAttemptNumber: number;
}

/** How operations are retried beyond what their class says. */
export interface RetryOptions {
  /**
   * What happens when nobody can tell whether an operation that must not be repeated blindly was carried out. `never`
   * (the default) throws `OutcomeUnknownError`; `check` looks at the list first and sends again when nothing is
   * listed, which a lagging list, an unlisted queued call or another worker's calls can make wrong; `always` sends
   * again at the price of a second call.
   */
  unsafe?: "never" | "check" | "always" | undefined;
  /** Whether a budget bounds the retries of all requests together; true by default. */
  budget?: boolean | undefined;
}

/**
 * Looks at the body of a success. What it throws becomes the cause of an `InvalidResponseError`.
 */
export type ResponseValidator = (operationId: string, body: unknown) => void;

/** Gives an access token for each attempt. */
export type AccessTokenFunction = (request: { forceRefresh: boolean }) => Promise<string> | string;

/** Time as the client sees it; replaced in tests. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any moment, which no correction of the clock changes; `now()` by default. */
  elapsed?(): number;
  setTimeout(callback: () => void, delayMs: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Options of a client. */
export interface ClientOptions extends Omit<RequestOptions, "signal"> {
  /** Address of the API without `/api/v1`, e.g. `https://api.example.com`; may carry a path prefix. */
  baseUrl: string;
  /** An API key (§5.1). Either this or `accessToken`. */
  apiKey?: string | undefined;
  /** A JWT access token, or a function that gives one (§5.1). */
  accessToken?: string | AccessTokenFunction | undefined;
  /** Permits plain http to hosts other than this machine, e.g. between containers. */
  allowInsecureHttp?: boolean | undefined;
  /** Permits an API key in a browser, where everybody can read it; a short-lived access token is safer. */
  allowApiKeyInBrowser?: boolean | undefined;
  /** Sends the requests; the global `fetch`, looked up at each call, by default. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The longest wait in seconds that a server may ask for before a retry; 60 by default. */
  maxRetryAfterSecs?: number | undefined;
  /** How operations are retried beyond what their class says. */
  retry?: RetryOptions | undefined;
  /** Told of every retry before its wait. */
  onRetry?: ((event: RetryEvent) => unknown) | undefined;
  /** Told of every attempt (debug), retry and deprecation (warn). */
  logger?: Logger | undefined;
  /** Looks at the body of every success, e.g. `validateResponses()` of `@call-transfer/spec/validate`. */
  validate?: ResponseValidator | undefined;
  /** The time that timeouts and waits are measured by; the machine's own by default. */
  clock?: Clock | undefined;
  /** Randomness of the backoff, from 0 to below 1; `Math.random` by default. */
  random?: (() => number) | undefined;
}
