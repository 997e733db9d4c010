/** Anything but a primitive or a function. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Text, of the given form where one is given. */
export const isText = (value: unknown, form = /(?:)/): value is string => typeof value === "string" && form.test(value);

export const isFunction = (value: unknown): boolean => typeof value === "function";

/** What a thrown value says. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
