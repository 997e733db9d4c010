export { CallTransfer } from "./client.ts";
export { type Answer, ApiPromise, type Result } from "./core/api-promise.ts";
export { Core, type RequestInput } from "./core/core.ts";
export { PagePromise } from "./core/pagination.ts";
export type { RawClient } from "./core/raw.ts";
export type { LookUp, OutcomeWindow, Reconciliation } from "./core/reconcile.ts";
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
  type RequestFacts,
  ServerError,
  TimeoutError,
  UnprocessableEntityError,
} from "./errors/errors.ts";
export type {
  AccessTokenFunction,
  ClientOptions,
  Clock,
  RequestOptions,
  RetryEvent,
  RetryOptions,
  Validate,
} from "./options/options.ts";
export * from "./resources/index.gen.ts";
export type { Logger } from "./send/logger.ts";
export type { Middleware, MiddlewareContext, OutgoingRequest } from "./send/middleware.ts";
export type { Outcome } from "./send/retry.ts";
