// Hooks for tracing and metrics. What they throw never reaches the request.
import type { Attempt, RequestContext, RequestOutcome, RetrySkippedReason } from "../errors/details.ts";

/** Follows the requests of a client, e.g. `openTelemetry()` of `@call-transfer/sdk/otel`. */
export interface Instrumentation {
  /** Called before the first attempt of a request. Returns what follows it, or undefined. */
  startRequest(request: InstrumentedRequest): RequestInstrumentation | undefined;
}

/**
 * A request as instrumentation sees it: without header, query, path parameter or body. Where this SDK version does not know the
 * operation, the path is as the caller of `raw()` or `request()` wrote it, without its query.
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
   * Runs around `fetch`, e.g. to set a tracing context. The URL is complete, with ids and query. Calls `send` before it returns; its promise resolves when the response was
   * read or the connection failed. Headers that it passes are added,
   * unless the request has them. Not called if nothing is sent, e.g. where middleware answers.
   */
  exchange(url: string, send: (headers?: Readonly<Record<string, string>>) => Promise<void>): unknown;
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
