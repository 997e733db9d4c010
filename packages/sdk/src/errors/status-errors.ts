import { ApiError } from "./api-error.ts";
import { kind } from "./base.ts";
import type { ApiErrorDetails } from "./details.ts";

/** 400: the request is malformed or breaks a rule. */
export class BadRequestError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "BadRequestError";
}

/** 401: the credential is missing, expired or invalid (§5). */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "AuthenticationError";
}

/** 402: the account must pay or upgrade first. */
export class PaymentRequiredError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PaymentRequiredError";
}

/** 403: the caller may not do this (§5). */
export class PermissionDeniedError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PermissionDeniedError";
}

/** 404: the resource does not exist in the account. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "NotFoundError";
}

/** 409: the request conflicts with what exists. */
export class ConflictError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ConflictError";
}

/** 410: the resource has expired. */
export class GoneError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "GoneError";
}

/** 422: a business rule forbids the request. */
export class UnprocessableEntityError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "UnprocessableEntityError";
}

/** 429: a rate limit, a full queue or an exhausted quota; see `meta`. */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "RateLimitError";
}

/** 5xx: the platform, or something in front of it, failed. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ServerError";
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
