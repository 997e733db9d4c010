export { type Answer, ApiPromise, type Result } from "./api-promise.ts";
export { CallTransfer } from "./client.ts";
export { Core, type RawClient, type RequestInput } from "./core.ts";
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
export type { AccessTokenFunction, ClientOptions, Clock, RequestOptions } from "./options.ts";
export { PagePromise } from "./pagination.ts";
export type { Outcome } from "./retry.ts";
