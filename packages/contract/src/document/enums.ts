import { isObject } from "./json.ts";

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
