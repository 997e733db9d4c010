/** Anything but a primitive or a function. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

/** Text, of the given form where one is given. */
export const isText = (value: unknown, form = /(?:)/): value is string => typeof value === "string" && form.test(value);

export const isFunction = (value: unknown): boolean => typeof value === "function";

/** What a thrown value says, whatever it is: some cannot even be turned into text. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "a value that cannot be shown";
  }
}
