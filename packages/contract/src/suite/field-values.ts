import type { Input } from "./client.ts";
import type { Field } from "./fields.ts";
import { absent } from "./probes.ts";

/** A copy of a JSON value with the value at a path replaced or removed. */
function withValue(node: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value === absent ? undefined : value;
  if (Array.isArray(node)) return node.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  const { [step]: part, ...others } = (node ?? {}) as Record<string, unknown>;
  return rest.length === 0 && value === absent ? others : { ...others, [step]: withValue(part, rest, value) };
}

/** The value at a path of a JSON value; undefined without one. */
export const valueAt = (node: unknown, steps: readonly (string | number)[]): unknown =>
  steps.reduce<unknown>(
    (part, step) => (typeof part === "object" && part !== null ? Reflect.get(part, step) : undefined),
    node,
  );

/** The input with another value for a field, or without the field for {@link absent}. */
export const inputWith = (input: Input, field: Field, value: unknown): Input => ({
  ...input,
  [field.where]: withValue(input[field.where], field.steps, value),
});
