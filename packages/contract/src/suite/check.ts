import { type ApiError, isApiError, OutcomeUnknownError } from "@call-transfer/sdk";
import type { ErrorCode } from "@call-transfer/spec";
import { statusOf } from "../document/expected.ts";
import { isObject } from "../document/json.ts";

/** A violation of the contract by the target. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** An observation about something that the specification does not define. */
export interface Finding {
  /** The assumption's id in docs/assumptions.md, e.g. `A-16`. */
  readonly assumption: string;
  /** What was observed, e.g. an operation or a field. */
  readonly subject: string;
  /** What the target does. */
  readonly observed: string;
  /** Whether the observation agrees with the assumption. */
  readonly holds: boolean;
}

const sorted = (_key: string, value: unknown): unknown =>
  isObject(value) && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
    : value;

const shown = (value: unknown): string => JSON.stringify(value, sorted) ?? String(value);

/** The assertions of a case. Each throws a {@link Violation} that names the expected value. */
export class Check {
  readonly findings: Finding[] = [];

  isTrue(condition: boolean, what: string): void {
    if (!condition) throw new Violation(what);
  }

  /** Compares JSON values; the order of object members is ignored. */
  equal(actual: unknown, expected: unknown, what: string): void {
    this.isTrue(shown(actual) === shown(expected), `${what}: expected ${shown(expected)}, got ${shown(actual)}`);
  }

  /** Expects an API error with this code and its status (§7). */
  async rejected(call: PromiseLike<unknown>, code: ErrorCode): Promise<ApiError> {
    const error = await this.failed(call, code);
    this.equal(error.code, code, "code");
    const status = statusOf(code);
    if (status !== null) this.equal(error.status, status, `status of ${code}`);
    return error;
  }

  /**
   * Expects an API error with the status of this code. The specification does not define the code itself, so any code
   * passes and is recorded as a finding.
   */
  async rejectedWithStatus(
    call: PromiseLike<unknown>,
    code: ErrorCode,
    assumption: string,
    what: string,
  ): Promise<ApiError> {
    const error = await this.failed(call, code);
    this.equal(error.status, statusOf(code), `status when ${what}`);
    this.observe(assumption, what, String(error.code), error.code === code);
    return error;
  }

  /** Records a finding for an assumption. `holds` tells whether it agrees with the assumption. */
  observe(assumption: string, subject: string, observed: string, holds: boolean): void {
    this.findings.push({ assumption, subject, observed, holds });
  }

  /** Expects an error status, with any body. */
  async fails(call: PromiseLike<unknown>): Promise<void> {
    await this.failed(call, "an error");
  }

  private async failed(call: PromiseLike<unknown>, expected: string): Promise<ApiError> {
    try {
      const value = await call;
      throw new Violation(`Expected ${expected}, but the call succeeded with ${shown(value)}`);
    } catch (error) {
      // Operations of the class `non_idempotent` wrap errors that leave the outcome unknown.
      const apiError = error instanceof OutcomeUnknownError ? error.cause : error;
      if (isApiError(apiError)) return apiError;
      throw error;
    }
  }
}

/** Expects a validation error; returns the fields that it names, each with its code (§7.3): `name too_short`. */
export async function fieldsNamed(check: Check, call: PromiseLike<unknown>): Promise<string[] | undefined> {
  const { errors } = await check.rejected(call, "validation_failed");
  return errors?.map(({ field, code }) => `${field} ${code}`);
}

/** Expects that a member or destination is not found in the account, with any code of that status. */
export const rejectedAsUnknown = (check: Check, call: PromiseLike<unknown>): Promise<ApiError> =>
  check.rejectedWithStatus(call, "resource_not_found", "A-16", "the member or destination is not in the account");
