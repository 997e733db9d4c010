/** Whether a value is an object or a list. */
export const isObject = (value: unknown): value is Readonly<Record<string | number, unknown>> =>
  typeof value === "object" && value !== null;

/** A member of a JSON value; undefined without one. */
export const memberOf = (value: unknown, name: string | number): unknown =>
  isObject(value) ? Reflect.get(value, name) : undefined;

/** The value at a path of a JSON value; undefined without one. */
export const valueAt = (value: unknown, steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>(memberOf, value);

/** Whether a value nests deeper than so many levels. What walks through more of them may exceed the stack. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

/** The JSON body of a response; undefined for any other. */
export const jsonOf = (response: Response): Promise<unknown> => response.json().catch(() => undefined);

/** An object without its undefined members. */
export function omitUndefined<Members extends object>(members: Members) {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
