import { type ApiError, isApiError, OutcomeUnknownError } from "@call-transfer/sdk";
import { type ErrorCode, errorCodes } from "@call-transfer/spec";

/** A promise of the contract that the target broke. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** What an answer turned out to be where the specification leaves it open. */
export interface Finding {
  /** Row of docs/assumptions.md. */
  readonly assumption: string;
  readonly subject: string;
  readonly observed: string;
  /** Whether it is what the row says. */
  readonly holds: boolean;
}

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
    : value;

const shown = (value: unknown): string => JSON.stringify(value, sorted) ?? String(value);

/** The assertions of a case. Each throws a {@link Violation} that says what was expected. */
export class Check {
  readonly findings: Finding[] = [];

  isTrue(condition: boolean, what: string): void {
    if (!condition) throw new Violation(what);
  }

  /** Compares JSON values; the order of an object's members does not count. */
  equal(actual: unknown, expected: unknown, what: string): void {
    this.isTrue(shown(actual) === shown(expected), `${what}: expected ${shown(expected)}, met ${shown(actual)}`);
  }

  /** Expects a refusal with exactly this code, its status and its body (§7). */
  async rejected(call: PromiseLike<unknown>, code: ErrorCode): Promise<ApiError> {
    const error = await this.failed(call, code);
    this.equal(error.code, code, "code");
    const { status } = errorCodes[code];
    if (status !== null) this.equal(error.status, status, `status of ${code}`);
    return error;
  }

  /**
   * Expects a refusal of which the specification shows the status only: the code may be any of that status, and the
   * report says which one it was.
   */
  async rejectedWithStatusOf(
    call: PromiseLike<unknown>,
    code: ErrorCode,
    assumption: string,
    what: string,
  ): Promise<ApiError> {
    const error = await this.failed(call, code);
    this.equal(error.status, errorCodes[code].status, `status when ${what}`);
    this.observe(assumption, what, String(error.code), error.code === code);
    return error;
  }

  /** Notes what was met where the specification is silent, and whether it is what our row of assumptions says. */
  observe(assumption: string, what: string, met: string, holds: boolean): void {
    this.findings.push({ assumption, subject: what, observed: met, holds });
  }

  /** Expects an answer with an error status, whatever its body. */
  async fails(call: PromiseLike<unknown>): Promise<void> {
    await this.failed(call, "an error");
  }

  private async failed(call: PromiseLike<unknown>, expected: string): Promise<ApiError> {
    try {
      const value = await call;
      throw new Violation(`Expected ${expected}, but the call succeeded with ${shown(value)}`);
    } catch (error) {
      // An operation that must not be repeated blindly wraps an answer that leaves open what was done.
      const answer = error instanceof OutcomeUnknownError ? error.cause : error;
      if (isApiError(answer)) return answer;
      throw error;
    }
  }
}
