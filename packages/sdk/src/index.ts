export { CallTransfer } from "./client.ts";
export type { ApiPromise, ApiResponse, ApiResult, UnknownResult } from "./core/api-promise.ts";
export { CallTransferCore } from "./core/core.ts";
export type { ItemsField, ListInput, PageItem, PagePromise } from "./core/pagination.ts";
export type { RequestInput } from "./core/prepare.ts";
export { type AnyApiError, ApiError, type ApiErrorOf, isApiError, type WithCode } from "./errors/api-error.ts";
export { CallTransferError, ConfigurationError, InvalidArgumentError } from "./errors/base.ts";
export type * from "./errors/details.ts";
export { OutcomeUnknownError } from "./errors/outcome-unknown-error.ts";
export {
  AbortError,
  ConnectionError,
  InvalidResponseError,
  RequestError,
  TimeoutError,
} from "./errors/request-error.ts";
export {
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
} from "./errors/status-errors.gen.ts";
export type { ErrorCodeStatus } from "./generated/error-codes.gen.ts";
export { VERSION } from "./generated/version.gen.ts";
export type {
  AccessTokenFunction,
  AccessTokenOptions,
  ApiKeyOptions,
  AttemptInstrumentation,
  AttemptSummary,
  ClientOptions,
  Clock,
  FetchOptions,
  Instrumentation,
  InstrumentedRequest,
  Logger,
  LogLevel,
  Middleware,
  MiddlewareContext,
  OutgoingRequest,
  RequestInstrumentation,
  RequestOptions,
  RequestRetryOptions,
  RequestSummary,
  ResponseValidator,
  RetryEvent,
  RetryOptions,
  SharedClientOptions,
} from "./options/options.ts";
export * from "./resources/index.gen.ts";
