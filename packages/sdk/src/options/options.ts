// The types of options, and of what they are called with.
import type {
  Attempt,
  OutcomeWindow,
  ReconcileOptions,
  Reconciliation,
  RequestContext,
  RequestOutcome,
  RetrySkippedReason,
} from "../errors/details.ts";

/** Options of one request. They override the client's. */
export interface RequestOptions {
  /** Aborts the request, its body and any wait before a retry. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take, its body included: above 0, up to 2³¹−1; 60,000 by default (§8). */
  timeoutMs?: number | undefined;
  /** Milliseconds that all attempts and waits may take together: above 0, up to 2³¹−1; no limit by default. */
  totalTimeoutMs?: number | undefined;
  /** Retries after the first attempt: an integer from 0; 2 by default (§8). */
  maxRetries?: number | undefined;
  /** Which failures are retried, and after which wait (§8). Each field overrides the client's. */
  retry?: RequestRetryOptions | undefined;
  /** Additional headers. Credentials and the account have options of their own. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Account that the request is for (§5.2). */
  accountId?: string | undefined;
  /** Runs around every attempt, inside the client's middleware. */
  middleware?: readonly Middleware[] | undefined;
  /** Options of `fetch` beside the SDK's own, e.g. a proxy. A request's are added to the client's. */
  fetchOptions?: FetchOptions | undefined;
  /** Body fields that this SDK version does not have. Fields of the body itself win over them. */
  extraBody?: Readonly<Record<string, unknown>> | undefined;
  /** Query parameters that this SDK version does not have. Parameters of the query itself win over them. */
  extraQuery?: Readonly<Record<string, unknown>> | undefined;
  /** Custom data, e.g. `{ jobId }`, for errors, `onRetry`, middleware and instrumentation. Never sent. */
  context?: RequestContext | undefined;
}

/**
 * Options of `fetch`, such as `cache`, or those of a runtime: `dispatcher` (Node with undici), `proxy` (Bun), `client` (Deno),
 * `cf` (Cloudflare Workers).
 */
export interface FetchOptions {
  /** Not allowed: the operation sets the method. */
  readonly method?: never;
  /** Not allowed: set headers by the option `headers` of the client or the request. */
  readonly headers?: never;
  /** Not allowed: the operation sets the body. */
  readonly body?: never;
  /** Not allowed: pass the option `signal` of the request. */
  readonly signal?: never;
  /** Not allowed: redirects are not followed. */
  readonly redirect?: never;
  readonly [option: string]: unknown;
}

/** Minimum log level. */
export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/** An upcoming retry, reported before its wait. */
export interface RetryEvent {
  /** The operation, e.g. `createCall`. */
  readonly operationId: string;
  /** The attempt that failed. `delayMs` is the upcoming wait. */
  readonly attempt: Attempt;
  /** Number of the next attempt, from 2. */
  readonly nextAttemptNumber: number;
  /** The request's option `context`. */
  readonly context: RequestContext | undefined;
}

/** Retry policy of one request. */
export interface RequestRetryOptions {
  /**
   * Longest wait, in milliseconds, that a server may request before a retry: 0 to 2³¹−1; 60,000 by default. If it asks for
   * more, the request fails at once.
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * How to handle a lost response to a non-idempotent operation (§8.3).
   *
   * - `retry` may place a call twice: it sends the request again without looking.
   * - `check` reads the list first and sends the request again if it is empty. It may still place a call twice: a list may lag
   *   behind, and queued calls may not be listed.
   * - `throw` (the default) throws `OutcomeUnknownError`.
   */
  onUnknownOutcome?: "throw" | "check" | "retry" | undefined;
}

/** Retry policy of a client. A request can override the fields of `RequestRetryOptions`. */
export interface RetryOptions extends RequestRetryOptions {
  /**
   * Whether to trust that a 503 with the code `no_bots_available`, `region_saturated` or `service_unavailable` had no effect,
   * so that a call placement is retried after it; false by default. The specification does not say so: it is assumption A-28
   * in docs/assumptions.md. If it is wrong, a number is dialled twice.
   */
  trust503Codes?: boolean | undefined;
  /**
   * Whether all requests of the client for the same account share a budget of retries, which limits load in an outage; true by
   * default. A full budget covers 100 failed retries. A successful retry returns 1, another success 0.2, an hour 10. A retry
   * after a 429 that says how long to wait costs nothing.
   */
  budget?: boolean | undefined;
}

/** Checks the body of a successful response. What it throws becomes the `cause` of an `InvalidResponseError`. */
export type ResponseValidator = (operationId: string, body: unknown) => void;

/** Returns the access token for an attempt. `forceRefresh` is true after the API reported the last one as expired. */
export type AccessTokenFunction = (request: { forceRefresh: boolean }) => Promise<string> | string;

/** Finds what may be the result of a request, as the caller that sent it. */
export type FindCandidates = (
  window: OutcomeWindow,
  options: RequestOptions,
  sought: SoughtResult,
) => Promise<Reconciliation>;

/** The request whose result is sought, and how far. */
interface SoughtResult extends Pick<ReconcileOptions, "maxItems"> {
  /** The request's body as it was sent. */
  readonly body: unknown;
  /** Returns the window by all that is known of the server's clock by now. It may move when an answer arrives. */
  readonly currentWindow: () => OutcomeWindow;
}

/** Receives log messages; any `console`-shaped object. It never receives bodies or credentials. */
export interface Logger {
  /** Receives messages about attempts. */
  debug(message: string): void;
  /** Receives messages at the level `info`. */
  info(message: string): void;
  /** Receives messages about retries and deprecations. */
  warn(message: string): void;
  /** Receives messages about unknown outcomes, and about what the caller's own hooks threw. */
  error(message: string): void;
}

/** Source of time and timers, for tests, such as `backend.clock` of the mock server's package. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any fixed moment, unaffected by clock corrections; `now()` by default. */
  monotonicNow?(): number;
  /** Waits `delayMs` milliseconds before a retry; a timer by default. */
  wait?(delayMs: number): Promise<void>;
  /** Calls back once, after `delayMs` milliseconds. Returns what `clearTimeout` accepts. The runtime's by default. */
  setTimeout?(callback: () => void, delayMs: number): unknown;
  /** Cancels a timer. Needed beside `setTimeout`. */
  clearTimeout?(timer: unknown): void;
}

/** Options of a client without its credential. */
export interface SharedClientOptions
  extends Omit<RequestOptions, "signal" | "retry" | "extraBody" | "extraQuery" | "context"> {
  /**
   * Base URL of the API without `/api/v1`, e.g. `https://api.example.com`; may have a path prefix. The environment variable
   * `CALL_TRANSFER_BASE_URL` by default.
   */
  baseUrl?: string | undefined;
  /** Allows plain HTTP to other hosts than this machine, e.g. between containers. */
  allowInsecureHttp?: boolean | undefined;
  /** Allows an API key in a browser or in React Native, although every user can read it. A short-lived access token is safer. */
  dangerouslyAllowBrowser?: boolean | undefined;
  /** Sends the requests; by default the global `fetch`, looked up at each call. */
  fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** Which failures are retried, and after which wait (§8). */
  retry?: RetryOptions | undefined;
  /** Called before the wait of every retry. */
  onRetry?: ((event: RetryEvent) => unknown) | undefined;
  /**
   * Receives log messages: attempts at debug, retries and deprecations at warn, unknown outcomes at error. Without a logger,
   * `console` prints them, and each cause of a warning or an error at most once a minute.
   */
  logger?: Logger | undefined;
  /**
   * Minimum log level. The environment variable `CALL_TRANSFER_LOG` by default; without it, `debug` with a
   * `logger` and `warn` without one.
   */
  logLevel?: LogLevel | undefined;
  /** Shows phone numbers whole in errors and log messages; false by default: `+1415*****67`. */
  showPhoneNumbers?: boolean | undefined;
  /** Checks the body of every success, e.g. `validateResponses()` of `@call-transfer/spec/validate`. */
  responseValidator?: ResponseValidator | undefined;
  /** Follows requests and attempts, e.g. `openTelemetry()` of `@call-transfer/sdk/otel`. */
  instrumentation?: Instrumentation | undefined;
  /** Source of time and timers, for tests. */
  clock?: Clock | undefined;
  /**
   * Random numbers that spread the waits before retries, from 0 to below 1; `Math.random` by default.
   *
   * @internal
   */
  random?: (() => number) | undefined;
}

/** Options of a client with an API key. */
export interface ApiKeyOptions extends SharedClientOptions {
  /** API key (§5.1), for servers. The environment variable `CALL_TRANSFER_API_KEY` by default. */
  apiKey?: string | undefined;
  /** Not allowed beside `apiKey`. The type is what the compiler prints. */
  accessToken?: "Pass either apiKey or accessToken, not both" | undefined;
}

/** Options of a client with an access token. */
export interface AccessTokenOptions extends SharedClientOptions {
  /** JWT access token, or a function that returns one (§5.1). */
  accessToken?: string | AccessTokenFunction | undefined;
  /** Not allowed beside `accessToken`. The type is what the compiler prints. */
  apiKey?: "Pass either apiKey or accessToken, not both" | undefined;
}

/** Options of a client. Either `apiKey` or `accessToken` is required, unless the environment has the key. */
export type ClientOptions = ApiKeyOptions | AccessTokenOptions;

/** A request as middleware sees it. The credential and the account are added after the last middleware. */
export interface OutgoingRequest {
  /** The HTTP method, in upper case. */
  readonly method: string;
  /** The complete URL, with the query. */
  readonly url: string;
  /** Can be changed before `next()`. */
  readonly headers: Headers;
  /** The body as text, if there is one. */
  readonly body: string | undefined;
}

/** The request and attempt that a middleware runs for. */
export interface MiddlewareContext {
  /** The operationId; for an operation that this SDK version does not know, its method and path. */
  readonly operationId: string;
  /** Path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly route: string;
  /** Number of the attempt, from 1. */
  readonly attemptNumber: number;
  /** The request's option `context`. */
  readonly context: RequestContext | undefined;
}

/**
 * Runs around every attempt. `next()` sends the request and may be called once. The response's body can be read any
 * number of times.
 */
export type Middleware = (
  request: OutgoingRequest,
  next: () => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>;

/** Follows the requests of a client, e.g. `openTelemetry()` of `@call-transfer/sdk/otel`. */
export interface Instrumentation {
  /** Called before the first attempt of a request. Returns what follows it, or undefined. */
  startRequest(request: InstrumentedRequest): RequestInstrumentation | undefined;
}

/**
 * A request as instrumentation sees it: without header, query, path parameter or body. Where this SDK version does not know the
 * operation, the path is as the caller of `createRawClient()` or `request()` wrote it, without its query.
 */
export interface InstrumentedRequest {
  /** The operationId; for an operation that this SDK version does not know, its method and path template. */
  readonly operationId: string;
  /** HTTP method in capitals. */
  readonly method: string;
  /** Path template, e.g. `/api/v1/transfers/members/{memberId}/hours`. */
  readonly route: string;
  /** Base URL of the API. */
  readonly baseUrl: string;
  /** The request's option `context`. */
  readonly context: RequestContext | undefined;
}

/** Follows one request over all its attempts. */
export interface RequestInstrumentation {
  /** Called before an attempt, from number 1. */
  startAttempt(number: number): AttemptInstrumentation | undefined;
  /** Called once, when the request has its result. */
  end(summary: RequestSummary): void;
}

/** Follows one attempt. */
export interface AttemptInstrumentation {
  /**
   * Runs around `fetch`, e.g. to set a tracing context. The URL is complete, with ids and query. Calls `send` before it
   * returns; its promise resolves when the response was read or the connection failed. Headers that it passes are added,
   * unless the request has them. Not called if nothing is sent, e.g. where middleware answers.
   */
  wrapSend(url: string, send: (headers?: Readonly<Record<string, string>>) => Promise<void>): unknown;
  /** Called once, when the attempt has ended, even if `fetch` never does. */
  end(summary: AttemptSummary): void;
}

/** How an attempt ended. */
export interface AttemptSummary {
  /** Effect of the attempt on the server. */
  readonly outcome: RequestOutcome;
  /** Facts of the attempt. Undefined if nothing was sent. */
  readonly attempt: Attempt | undefined;
  /** Why there is no usable response: a name such as `TimeoutError`, and a message without secrets. */
  readonly failure: { readonly name: string; readonly message: string } | undefined;
}

/** How a request ended. */
export interface RequestSummary {
  /** Effect of the request on the server, over all attempts. */
  readonly outcome: RequestOutcome;
  /** Every attempt that was sent. */
  readonly attempts: readonly Attempt[];
  /** Why the request was not retried although retries were left. */
  readonly retrySkippedReason: RetrySkippedReason | undefined;
  /** The error that the caller gets, one of the SDK's. */
  readonly error?: unknown;
}
