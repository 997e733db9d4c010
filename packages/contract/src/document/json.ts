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

/** What an alternative beside listed values may be: any text where the list is open, and null. */
const isBeside = (alternative: unknown): boolean =>
  isObject(alternative) &&
  Object.keys(alternative).join() === "type" &&
  ["string", "null"].includes(String(alternative.type));

/**
 * A copy of a document in which listed values are one enum. The published document writes any text and null as alternatives,
 * since other generators read it so; whoever compares values reads the list, its mark `x-open-enum` and the type.
 */
export function withPlainEnums<Node>(node: Node): Node {
  if (Array.isArray(node)) return node.map((one: unknown) => withPlainEnums(one)) as Node;
  if (!isObject(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, child]) => [key, withPlainEnums(child)]));
  const { anyOf, ...beside } = copy;
  const [listed, ...others] = Array.isArray(anyOf) ? (anyOf as unknown[]) : [];
  if (!isObject(listed) || !Array.isArray(listed.enum) || !others.every(isBeside)) return copy as Node;
  const types = others.map((other) => (other as { type: string }).type);
  if (types.includes("string") && beside["x-open-enum"] !== true) return copy as Node;
  const nullable = types.includes("null") ? { type: ["string", "null"], enum: [...listed.enum, null] } : {};
  return { ...listed, ...nullable, ...beside } as Node;
}
