import type { ServerErrorStatus } from "../generated/error-codes.gen.ts";
import { ApiError, type ByCode, type WithStatus } from "./api-error.ts";
import { kind } from "./base.ts";
import type { ApiErrorDetails } from "./details.ts";

/** 400: the request is malformed or breaks a rule. */
export class BadRequestError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "BadRequestError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyBadRequestError;
  declare readonly code: WithStatus<400>["code"];
  declare readonly status: 400;
}

/** Any `BadRequestError`, as a union that `switch (error.code)` narrows. */
export type AnyBadRequestError = ByCode<BadRequestError>;

/** 401: the credential is missing, expired or invalid (§5). */
export class AuthenticationError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "AuthenticationError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is AuthenticationError;
  declare readonly code: WithStatus<401>["code"];
  declare readonly status: 401;
}

/** 402: the account must pay or upgrade first. */
export class PaymentRequiredError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PaymentRequiredError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is PaymentRequiredError;
  declare readonly code: WithStatus<402>["code"];
  declare readonly status: 402;
}

/** 403: the caller may not do this (§5). */
export class PermissionDeniedError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "PermissionDeniedError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is PermissionDeniedError;
  declare readonly code: WithStatus<403>["code"];
  declare readonly status: 403;
}

/** 404: the resource does not exist in the account. */
export class NotFoundError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "NotFoundError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is NotFoundError;
  declare readonly code: WithStatus<404>["code"];
  declare readonly status: 404;
}

/** 409: the request conflicts with what exists. */
export class ConflictError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ConflictError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is ConflictError;
  declare readonly code: WithStatus<409>["code"];
  declare readonly status: 409;
}

/** 410: the resource has expired. */
export class GoneError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "GoneError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is GoneError;
  declare readonly code: WithStatus<410>["code"];
  declare readonly status: 410;
}

/** 422: a business rule forbids the request. */
export class UnprocessableEntityError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "UnprocessableEntityError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is UnprocessableEntityError;
  declare readonly code: WithStatus<422>["code"];
  declare readonly status: 422;
}

/** 429: a rate limit, a full queue or an exhausted quota; see `meta`. */
export class RateLimitError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "RateLimitError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is RateLimitError;
  declare readonly code: WithStatus<429>["code"];
  declare readonly status: 429;
}

/** 5xx: the platform, or something in front of it, failed. */
export class ServerError extends ApiError {
  /** @internal */
  static override readonly [kind]: string = "ServerError";
  declare static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyServerError;
  declare readonly code: WithStatus<ServerErrorStatus>["code"];
}

/** Any `ServerError`, as a union that `switch (error.code)` narrows. */
export type AnyServerError = ByCode<ServerError>;

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
