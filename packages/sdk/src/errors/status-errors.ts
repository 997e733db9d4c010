import type { ServerErrorStatus } from "../generated/error-codes.gen.ts";
import { ApiError, type ErrorCodeOf, type StatusError } from "./api-error.ts";
import { kind } from "./base.ts";
import type { ApiErrorDetails } from "./details.ts";

/** 400: the request is malformed or breaks a rule. */
export class BadRequestError extends ApiError<ErrorCodeOf<400> | undefined, 400> {
  /** @internal */
  static override readonly [kind]: string = "BadRequestError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<400>;
}

/** 401: the credential is missing, expired or invalid (§5). */
export class AuthenticationError extends ApiError<ErrorCodeOf<401> | undefined, 401> {
  /** @internal */
  static override readonly [kind]: string = "AuthenticationError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<401>;
}

/** 402: the account must pay or upgrade first. */
export class PaymentRequiredError extends ApiError<ErrorCodeOf<402> | undefined, 402> {
  /** @internal */
  static override readonly [kind]: string = "PaymentRequiredError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<402>;
}

/** 403: the caller may not do this (§5). */
export class PermissionDeniedError extends ApiError<ErrorCodeOf<403> | undefined, 403> {
  /** @internal */
  static override readonly [kind]: string = "PermissionDeniedError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<403>;
}

/** 404: the resource does not exist in the account. */
export class NotFoundError extends ApiError<ErrorCodeOf<404> | undefined, 404> {
  /** @internal */
  static override readonly [kind]: string = "NotFoundError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<404>;
}

/** 409: the request conflicts with what exists. */
export class ConflictError extends ApiError<ErrorCodeOf<409> | undefined, 409> {
  /** @internal */
  static override readonly [kind]: string = "ConflictError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<409>;
}

/** 410: the resource has expired. */
export class GoneError extends ApiError<ErrorCodeOf<410> | undefined, 410> {
  /** @internal */
  static override readonly [kind]: string = "GoneError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<410>;
}

/** 422: a business rule forbids the request. */
export class UnprocessableEntityError extends ApiError<ErrorCodeOf<422> | undefined, 422> {
  /** @internal */
  static override readonly [kind]: string = "UnprocessableEntityError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<422>;
}

/** 429: a rate limit, a full queue or an exhausted quota; see `meta`. */
export class RateLimitError extends ApiError<ErrorCodeOf<429> | undefined, 429> {
  /** @internal */
  static override readonly [kind]: string = "RateLimitError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<429>;
}

/** 5xx: the platform, or something in front of it, failed. */
export class ServerError extends ApiError<ErrorCodeOf<ServerErrorStatus> | undefined> {
  /** @internal */
  static override readonly [kind]: string = "ServerError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is StatusError<ServerErrorStatus, number>;
}

const errorsByStatus: Readonly<Record<number, new (details: ApiErrorDetails) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

/** Creates the `ApiError` subclass for the status. */
export function createApiError(details: ApiErrorDetails): ApiError {
  const ErrorClass = errorsByStatus[details.status] ?? (details.status >= 500 ? ServerError : ApiError);
  return new ErrorClass(details);
}
