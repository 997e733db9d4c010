export { CallTransfer } from "./client.ts";
export { ApiPromise, type ApiResponse, type ApiResult } from "./core/api-promise.ts";
export { CallTransferCore, type RequestInput } from "./core/core.ts";
export { PagePromise } from "./core/pagination.ts";
export type { RawClient } from "./core/raw.ts";
export type { FindCandidates, OutcomeWindow, Reconciliation } from "./core/reconcile.ts";
export {
  AbortError,
  type AnyApiError,
  ApiError,
  type ApiErrorOf,
  type Attempt,
  AuthenticationError,
  BadRequestError,
  CallTransferError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  GoneError,
  InvalidResponseError,
  isApiError,
  NotFoundError,
  OutcomeUnknownError,
  PaymentRequiredError,
  PermissionDeniedError,
  type Problem,
  RateLimitError,
  RequestError,
  type RequestErrorDetails,
  ServerError,
  TimeoutError,
  UnprocessableEntityError,
} from "./errors/errors.ts";
export type {
  AccessTokenFunction,
  ClientOptions,
  Clock,
  RequestOptions,
  ResponseValidator,
  RetryEvent,
  RetryOptions,
} from "./options/options.ts";
export * from "./resources/index.gen.ts";
export type { Logger } from "./send/logger.ts";
export type { Middleware, MiddlewareContext, OutgoingRequest } from "./send/middleware.ts";
export type { RequestOutcome } from "./send/retry.ts";
