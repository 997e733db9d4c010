import { type OperationId, operations } from "@call-transfer/spec";
import { absent, type Field, fieldsOf } from "../document/fields.ts";
import { isObject, valueAt } from "../document/json.ts";
import { destinations, distinct, foreignMembers, members, telephony, uuid } from "../fixtures/names.ts";
import { type Input, validInput } from "./client.ts";

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

// The fields of requests that refer to records, with records of the foreign account for them.

/** An id that no record has. */
export const unknownId = uuid(999);

/** What a field can refer to: records of the foreign account, and a value of the same form that no record has. */
interface Referred {
  readonly foreign: readonly string[];
  readonly unknown: string;
}
const ids = (...foreign: string[]): Referred => ({ foreign, unknown: unknownId });

/** By the name of the field; `id` in a path by the segment before it. */
const referredBy: Readonly<Record<string, Referred>> = {
  destinations: ids(destinations.foreignApp, destinations.foreignPeople),
  destinationId: ids(destinations.foreignApp, destinations.foreignPeople),
  memberId: ids(members.foreign, ...Object.values(foreignMembers).map(({ id }) => id)),
  flowId: ids(telephony.foreignFlow),
  providerId: ids(telephony.foreignProvider),
  fromNumber: { foreign: [telephony.foreignNumber], unknown: "+15550109999" },
};

/** The name in {@link referredBy}. */
function nameOf({ operation, where, steps }: Field): string {
  const name = String(steps.at(-1));
  if (where !== "path" || name !== "id") return name;
  const segments = operations[operation].path.split("/");
  return segments[segments.indexOf("{id}") - 1] ?? name;
}

/** The fields of an operation's request that refer to a record. */
export const referencesOf = (operation: OperationId): Field[] =>
  fieldsOf(operation).filter(
    (field) => field.where === "path" || nameOf(field).endsWith("Id") || nameOf(field) in referredBy,
  );

/** What a field can refer to. Throws for a field that the foreign account has no record for. */
export function referred(field: Field): Referred {
  const found = referredBy[nameOf(field)];
  if (found === undefined)
    throw new Error(`Add records of the foreign account for ${nameOf(field)} to referredBy and to the world.`);
  return found;
}

/** A valid input of an operation in the foreign account, as far as a reference decides that. */
export const foreignInput = (operation: OperationId): Input =>
  referencesOf(operation).reduce(
    (input, field) => inputWith(input, field, referred(field).foreign[0]),
    validInput(operation),
  );
