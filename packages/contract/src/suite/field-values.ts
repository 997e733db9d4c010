import type { Field } from "../document/fields.ts";
import { isObject, valueAt } from "../document/json.ts";
import { absent } from "../document/probes.ts";
import { distinct } from "../world/names.ts";
import type { Input } from "./client.ts";

/** A copy of a JSON value with the value at a path replaced or removed. */
function withValue(node: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value === absent ? undefined : value;
  if (Array.isArray(node)) return node.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  const { [step]: part, ...others } = (node ?? {}) as Record<string, unknown>;
  return rest.length === 0 && value === absent ? others : { ...others, [step]: withValue(part, rest, value) };
}

/** The input with another value for a field, or without the field for {@link absent}. */
export const inputWith = (input: Input, field: Field, value: unknown): Input => ({
  ...input,
  [field.where]: withValue(input[field.where], field.steps, value),
});

const plainValues: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, array: [], object: {} };

/** The example request's value of a field, or a value that the schema allows. */
export function exampleValue(input: Input, { where, steps, schema }: Field): unknown {
  return valueAt(input[where], steps) ?? schema.default ?? schema.minimum ?? plainValues[String(schema.type)] ?? "text";
}

/** Creates lists of any length: copies of the first item, with distinct values where the world has enough of them. */
export const itemsFrom =
  (base: unknown) =>
  (count: number): unknown[] => {
    const item: unknown = Array.isArray(base) ? base[0] : undefined;
    return Array.from({ length: count }, (_, index) => {
      if (!isObject(item)) return item;
      const own = Object.keys(item).map((name) => [name, distinct[name]?.[index] ?? item[name]]);
      return Object.fromEntries(own);
    });
  };
