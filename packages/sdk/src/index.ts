export { type Answer, ApiPromise, type Result } from "./api-promise.ts";
export { CallTransfer } from "./client.ts";
export { Core, type RequestInput } from "./core.ts";
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
} from "./errors.ts";
export * from "./generated/index.gen.ts";
export type {
  AccessTokenFunction,
  ClientOptions,
  Clock,
  RequestOptions,
  RetryEvent,
  RetryOptions,
  Validate,
} from "./options/options.ts";
export { PagePromise } from "./pagination.ts";
export type { RawClient } from "./raw.ts";
export type { LookUp, OutcomeWindow, Reconciliation } from "./reconcile.ts";
export type { Logger } from "./send/logger.ts";
export type { Middleware, MiddlewareContext, OutgoingRequest } from "./send/middleware.ts";
export type { Outcome } from "./send/retry.ts";
