import {
  type ErrorCode,
  type ErrorResponse,
  type ErrorResponseMeta,
  errorCodes,
  type FieldError,
} from "@call-transfer/spec";

/** An error answer, without its request id. */
export interface Problem {
  readonly problem: ErrorResponse & { readonly code: ErrorCode };
  readonly headers?: Readonly<Record<string, string>>;
}

/** A success answer: a body that is a text is sent as it is, and own headers take the place of the usual ones. */
export type Success = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Problem["headers"];
  readonly problem?: undefined;
};

export type Answer = Success | Problem;
/** What a check found, or the problem. */
export type Checked<Found> = (Found & { readonly problem?: undefined }) | Problem;

export interface ProblemOptions {
  /** What went wrong in this case; the meaning of the code by default. */
  readonly detail?: string;
  readonly errors?: readonly FieldError[];
  readonly meta?: ErrorResponseMeta;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Builds an error body (§2.6) from the table of codes. */
export function problem(code: ErrorCode, options: ProblemOptions = {}): Problem {
  const { mockStatus, title, meaning } = errorCodes[code];
  return {
    problem: {
      code,
      status: mockStatus,
      title,
      detail: options.detail ?? meaning,
      ...(options.errors && { errors: [...options.errors] }),
      ...(options.meta && { meta: options.meta }),
    },
    ...(options.headers && { headers: options.headers }),
  };
}
