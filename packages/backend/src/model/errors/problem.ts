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

/** A success answer. */
export interface Success {
  readonly status: number;
  readonly body?: unknown;
}

export type Answer = Success | Problem;

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

/** Whether a result is an error answer. */
export function isProblem(result: object): result is Problem {
  return "problem" in result;
}
