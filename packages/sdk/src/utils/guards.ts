/** Whether a value is neither a primitive nor a function. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Whether a value is text, and matches the form if there is one. */
export const isText = (value: unknown, form?: RegExp): value is string =>
  typeof value === "string" && (form === undefined || form.test(value));

export const isFunction = (value: unknown): boolean => typeof value === "function";

/** Whether a value is of a class. Asking this of a revoked proxy throws. */
export function isInstance<T>(value: unknown, type: abstract new (...input: never[]) => T): value is T {
  try {
    return value instanceof type;
  } catch {
    return false;
  }
}

/** The name of an unknown option for a message. A secret that was put in its place is long, or has digits. */
export const presentable = (name: string): string =>
  isText(name, /^[A-Za-z_]{1,40}$/) ? name : "(a name that may be a secret)";

/** Whether a value is an error, also one of another realm, such as those of a test runner: by its shape. */
export const isError = (value: unknown): value is Error =>
  isInstance(value, Error) || (isObject(value) && isText(value.name) && isText(value.message));

/** The message of a thrown value. Some values cannot be converted to text. */
export function messageOf(error: unknown): string {
  try {
    return String(isError(error) ? error.message : error);
  } catch {
    return "an unprintable value";
  }
}

/** What stands in place of a text that may hold a secret. */
export const leftOut = "[left out: it could not be searched for secrets]";

/** What some work returns; if it throws, less. For whatever prepares an error: its own errors may quote what it works on. */
export function orElse<T>(work: () => T, less: T): T {
  try {
    return work();
  } catch {
    return less;
  }
}
