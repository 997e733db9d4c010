export { CallTransfer } from "./client.ts";
export { ApiPromise, type ApiResponse, type ApiResult } from "./core/api-promise.ts";
export { CallTransferCore } from "./core/core.ts";
export { PagePromise, type PageSource } from "./core/pagination.ts";
export type { RequestInput } from "./core/prepare.ts";
export { type AnyApiError, ApiError, type ApiErrorOf, isApiError } from "./errors/api-error.ts";
export { CallTransferError, ConfigurationError } from "./errors/base.ts";
export type {
  ApiErrorDetails,
  Attempt,
  OutcomeUnknownErrorDetails,
  OutcomeWindow,
  Problem,
  ReconcileOptions,
  Reconciliation,
  RequestErrorDetails,
  RequestOutcome,
} from "./errors/details.ts";
export { OutcomeUnknownError } from "./errors/outcome-unknown-error.ts";
export {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  RequestError,
  TimeoutError,
} from "./errors/request-error.ts";
export {
  type AnyBadRequestError,
  type AnyServerError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  GoneError,
  NotFoundError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from "./errors/status-errors.ts";
export { VERSION } from "./generated/version.gen.ts";
export type {
  AttemptInstrumentation,
  AttemptSummary,
  Instrumentation,
  InstrumentedRequest,
  RequestInstrumentation,
  RequestSummary,
} from "./options/instrumentation.ts";
export type { Middleware, MiddlewareContext, OutgoingRequest } from "./options/middleware.ts";
export type {
  AccessTokenFunction,
  AccessTokenOptions,
  ApiKeyOptions,
  ClientOptions,
  Clock,
  FetchOptions,
  FindCandidates,
  Logger,
  LogLevel,
  RequestOptions,
  ResponseValidator,
  RetryEvent,
  RetryOptions,
  SharedClientOptions,
} from "./options/options.ts";
export * from "./resources/index.gen.ts";
