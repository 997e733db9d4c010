// The fields of requests that refer to records, with records of the foreign account for them.
import { type OperationId, operations } from "@call-transfer/spec";
import { type Field, fieldsOf } from "../document/fields.ts";
import { destinations, foreignMembers, members, telephony, uuid } from "../world/names.ts";
import { type Input, validInput } from "./client.ts";
import { inputWith } from "./field-values.ts";

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
