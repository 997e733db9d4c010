import { isFunction, isInstance, isObject, isText, messageOf, orElse } from "../utils/guards.ts";
import { inspectKey, withoutSdkFrames } from "../utils/inspect.ts";
import { printError } from "./print.ts";

/** Shared by every copy of this major version, so that `instanceof` works across ESM and CommonJS copies. */
export const kind: unique symbol = Symbol.for("@call-transfer/sdk/1/error-kind");

/** Sets facts as own properties. Those with a value are enumerable, so that JSON, a copy and loggers have them. */
export const setFacts = (error: object, facts: object): void => {
  for (const [name, value] of Object.entries(facts))
    Object.defineProperty(error, name, { value, enumerable: value !== undefined, configurable: true, writable: true });
};

/** Base class of the errors that the methods of a client throw. */
export class CallTransferError extends Error {
  /** @internal */
  static readonly [kind]: string = "CallTransferError";

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A customer's own subclass has no kind of its own: there the prototype decides.
    if (!Object.getOwnPropertySymbols(this).includes(kind)) return super[Symbol.hasInstance](value);
    let candidate: unknown = isObject(value) && value.constructor;
    while (isFunction(candidate)) {
      if ((candidate as { [kind]?: unknown })[kind] === this[kind]) return true;
      candidate = Object.getPrototypeOf(candidate);
    }
    return false;
  }

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    // Written before the error had its name.
    const { stack } = this;
    if (isText(stack))
      this.stack = orElse(
        () => withoutSdkFrames(stack).replace(/^Error(?=:|\n|$)/, new.target[kind]),
        `${new.target[kind]}: ${message}`,
      );
    // Bundlers shorten class names, so the name is set explicitly.
    Object.defineProperty(this, "name", { value: new.target[kind], configurable: true });
    Object.defineProperty(this, inspectKey, {
      value: () => orElse(() => printError(this), String(this)),
      configurable: true,
    });
  }

  /** Returns the error as plain data for logs. */
  toJSON(): object {
    return { ...this, name: this.name, message: this.message };
  }
}

/** An option is missing or invalid. Nothing was sent. */
export class ConfigurationError extends CallTransferError {
  /** @internal */
  static override readonly [kind]: string = "ConfigurationError";
  /** The option to change. */
  readonly option: string;

  constructor(option: string, problem: string) {
    super(`${option} ${problem}`);
    this.option = option;
  }
}

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
