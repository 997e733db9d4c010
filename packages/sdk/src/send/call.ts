// A request and its attempts: the records that the functions of this folder hand down.
import type {
  ApiErrorDetails,
  Attempt,
  RequestErrorDetails,
  RequestOutcome,
  RetrySkippedReason,
} from "../errors/details.ts";
import type { Failure } from "../errors/request-error.ts";
import type { OperationFacts } from "../generated/operations.gen.ts";
import type { Credential } from "../options/auth.ts";
import type { DatedAnswer, Moment } from "../options/clock.ts";
import type { AttemptInstrumentation, FindCandidates, RequestOptions } from "../options/options.ts";
import type { Settings } from "../options/settings.ts";
import type { BodyState, ReadResponse } from "./body.ts";
import type { Watch } from "./watch.ts";

/** What is sent, possibly several times. */
export interface Outgoing {
  url: string;
  /** The client's headers and, over them, the request's own. The credential is added to a copy. */
  headers: Headers;
  body?: unknown;
}

/** One logical request: its settings, and what is known of it over all its attempts. */
export interface Call
  extends Pick<OperationFacts, "operationId" | "idempotency">,
    RequestErrorDetails,
    Outgoing,
    Pick<Settings, "timeoutMs" | "maxRetries" | "retryPolicy" | "accountId" | "fetchOptions" | "middleware"> {
  /** Settings of the client. What a request can override stands beside them. */
  readonly settings: Settings;
  readonly success: OperationFacts["success"];
  readonly result: OperationFacts["result"];
  readonly method: string;
  readonly route: string;
  /** Whether a success of an unknown operation may be something else than JSON. */
  readonly anyBody?: boolean | undefined;
  readonly signal: AbortSignal | undefined;
  /** When its first attempt began. */
  begun?: Moment;
  /** End of the whole request, by `elapsed()`; known with `begun`. */
  deadline?: number;
  /** The newest dated answer of the server from before the request. */
  readonly answerBefore: DatedAnswer | undefined;
  readonly totalTimeoutMs: number | undefined;
  readonly findCandidates: FindCandidates | undefined;
  /** Options for `findCandidates`, so that it asks as the same caller. */
  readonly findOptions: RequestOptions;
  /** Every token that was sent, to keep them out of messages and errors. */
  readonly tokens: Set<string>;
  /** Cleans text of the tokens. Like `clean`, it leaves out a text that it fails on. */
  readonly withoutTokens: (text: string) => string;
  /** Cleans text for messages and errors: without tokens, and with phone numbers masked unless the client shows them. */
  readonly clean: (text: string) => string;
  readonly attempts: OpenAttempt[];
  outcome: RequestOutcome;
  retrySkippedReason?: RetrySkippedReason | undefined;
  durationMs?: number | undefined;
  renewed?: boolean;
  /** What the last retry cost of the retry budget. */
  retryCost: number;
}

/** An attempt that is being recorded. */
export type OpenAttempt = { -readonly [Name in keyof Attempt]: Attempt[Name] };

export interface AttemptState extends BodyState {
  readonly call: Call;
  /** From 1; 0 for work between attempts. */
  readonly number: number;
  /** Effect on the server, whatever middleware does with the response. */
  outcome: RequestOutcome;
  attempt?: OpenAttempt | undefined;
  /** When it was sent, by `elapsed()`. */
  sentAt?: number;
  readonly renewed?: Credential | undefined;
  credential?: Credential | undefined;
  readonly instrumentation?: AttemptInstrumentation | undefined;
  /** Seconds that the server asked to wait. */
  hintSecs?: number | undefined;
  /** The error of the exchange itself, as opposed to one of middleware. */
  failed?: { readonly error: unknown };
  /** The caller's own code that was called last and has not returned. */
  waitingFor?: string | undefined;
  watch?: Watch;
  returned?: boolean;
  inFlight?: boolean;
  /** Whether the attempt has ended, so that nothing may be sent any more. */
  over?: boolean;
}

/** The status, code or failure that an attempt ended with. */
export interface AttemptEnd {
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly outcome: RequestOutcome;
  /** Whether the connection was lost or timed out, as opposed to a complete response. */
  readonly interrupted?: boolean;
}

/** Result of one attempt: its state at the end. Without an `attempt`, nothing was sent. */
export interface AttemptResult
  extends AttemptEnd,
    Partial<Readonly<Pick<AttemptState, "attempt" | "credential" | "hintSecs">>>,
    Partial<ReadResponse> {
  readonly failure?: Failure;
  /** Whether the caller's own code ended it, so that no retry may follow. */
  readonly final?: boolean;
  readonly data?: unknown;
  /** Body of a success as far as it arrived, or all of one that is unusable. */
  readonly partialBody?: string | undefined;
  readonly problem?: ApiErrorDetails["body"];
  /** Body of an error without a `problem`. */
  readonly bodyText?: string | undefined;
}
