import { isInstance, messageOf } from "../utils/guards.ts";
import { CallTransferError, kind } from "./base.ts";

/** An argument is missing or invalid, such as an empty ID. The message says what to pass. Nothing was sent. */
export class InvalidArgumentError extends CallTransferError {
  /** @internal */
  static override readonly [kind]: string = "InvalidArgumentError";
  /** The argument to change, e.g. `memberId` or `body`. */
  readonly argument: string;

  constructor(argument: string, problem: string, cause?: unknown) {
    super(`${argument} ${problem}`, cause);
    this.argument = argument;
  }
}

/** What reading an argument threw: the SDK's own error, or that of a getter or `toJSON` as a cause. */
export function argumentError(argument: string, thrown: unknown): CallTransferError {
  if (isInstance(thrown, CallTransferError)) return thrown;
  return new InvalidArgumentError(argument, `cannot be read: ${messageOf(thrown)}`, thrown);
}

/** Reads an argument, which may have code of its own. */
export function readArguments<T>(argument: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw argumentError(argument, error);
  }
}
