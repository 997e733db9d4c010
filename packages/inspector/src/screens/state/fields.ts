import type { Schema } from "@call-transfer/backend/control-client";
import seedSchema from "../../../../mock-server/seed.schema.json" with { type: "json" };

/** The collections of the state. */
export type CollectionName = Schema<"Collection">;

/** The parts of a JSON schema that a form needs. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
}

/**
 * How a field is edited. `group` is an object with fields, `list` a list of such objects, `lines` a list of texts, `hours` a
 * week, and `json` an object of any content.
 */
export type FieldKind =
  | "text"
  | "number"
  | "flag"
  | "choice"
  | "time"
  | "reference"
  | "lines"
  | "group"
  | "list"
  | "hours"
  | "json";

/** A field of a record, derived from the schema of seeds. */
export interface RecordField {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  readonly hint?: string | undefined;
  readonly default?: unknown;
  /** The values of a choice. */
  readonly options?: readonly string[] | undefined;
  /** The collection that a reference leads to. */
  readonly collection?: CollectionName | undefined;
  /** The fields of a group, or of each entry of a list. */
  readonly fields?: readonly RecordField[] | undefined;
}

const schemas: Readonly<Record<string, JsonSchema>> = seedSchema.properties;

/** The names of the collections, in the order of the schema. */
export const collectionNames = Object.keys(schemas).filter((name) => name !== "$schema") as CollectionName[];

/** The fields of the records in a collection. */
export const fieldsOf = (collection: CollectionName): readonly RecordField[] => fieldsByCollection[collection] ?? [];

/** The fields of an object's schema. */
export function fieldsOfSchema({ properties = {}, required = [] }: JsonSchema): readonly RecordField[] {
  return Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)));
}

function fieldOf(name: string, schema: JsonSchema, isRequired: boolean): RecordField {
  const meant = withoutNull(schema);
  const collection = collectionOf(name);
  const kind = collection === undefined ? kindOf(name, meant) : "reference";
  return {
    name,
    label: labelOf(collection === undefined ? name : name.slice(0, -"Id".length)),
    kind,
    isRequired,
    hint: meant.description ?? limitsOf(meant),
    default: schema.default,
    options: meant.enum,
    collection,
    fields:
      kind === "group"
        ? fieldsOfSchema(meant)
        : kind === "list" && meant.items !== undefined
          ? fieldsOfSchema(meant.items)
          : undefined,
  };
}

function kindOf(name: string, { type, enum: values, items, properties, anyOf }: JsonSchema): FieldKind {
  if (values !== undefined) return "choice";
  if (anyOf?.some(({ format }) => format === "date-time")) return "time";
  if (type === "boolean") return "flag";
  if (type === "integer" || type === "number") return "number";
  if (type === "array") return items?.properties === undefined ? "lines" : "list";
  if (type === "object") return properties !== undefined ? "group" : name === "hours" ? "hours" : "json";
  return "text";
}

/** A schema that may also be null, without null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const others = schema.anyOf?.filter(({ type }) => type !== "null");
  const [only] = others ?? [];
  if (others?.length === 1 && only !== undefined) return only;
  if (!Array.isArray(schema.type)) return schema;
  return { ...schema, type: String(schema.type.find((type) => type !== "null")) };
}

/** The collection that a field such as `accountId` refers to. */
function collectionOf(name: string): CollectionName | undefined {
  return name.endsWith("Id") ? collectionNames.find((collection) => collection === `${name.slice(0, -2)}s`) : undefined;
}

function limitsOf({ minimum, maximum, maxLength, minItems, maxItems }: JsonSchema): string | undefined {
  if (maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `${minimum ?? 0} to ${maximum}`;
  if (maxLength !== undefined) return `Up to ${maxLength} characters`;
  return maxItems === undefined ? undefined : `${minItems ?? 0} to ${maxItems} entries`;
}

/** A field's name in words: `totalTimeoutSecs` is `Total timeout (seconds)`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/Secs$/, " (seconds)")
    .replace(/Ips$/, " addresses")
    .replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/^id$/, "ID")
    .replace(/ {2}/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const fieldsByCollection: Readonly<Partial<Record<CollectionName, readonly RecordField[]>>> = Object.fromEntries(
  collectionNames.map((name) => [name, fieldsOfSchema(schemas[name]?.items ?? {})]),
);
