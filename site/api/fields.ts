// What an OpenAPI document says of an operation, and a JSON Schema of the fields of a value, as rows of a table.

/** The parts of a JSON Schema that the pages show. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly additionalProperties?: boolean | Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Schemas by the name that `$ref` ends with. */
export type Schemas = Readonly<Record<string, Schema>>;

/** A parameter of an operation. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** A request or response. */
export interface Content {
  readonly description?: string;
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema?: Schema; readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> }
    >
  >;
}

/** The parts of an operation that the pages show. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  /** Those of its path, too. */
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
  readonly "x-assumption"?: string;
  readonly "x-max-body-mib"?: number;
  readonly "x-reconcile"?: { readonly list: string };
}

/** The parts of an OpenAPI document that the pages show. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
}

/** An operation with its place. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Every operation of a document. */
export function operationsIn({ paths, components }: OpenApi): Placed[] {
  const followed = (one: Parameter & { readonly $ref?: string }): Parameter =>
    components.parameters?.[one.$ref?.split("/").at(-1) ?? ""] ?? one;
  return Object.entries(paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods).map(([method, described]) => {
      const own = described as Operation;
      const parameters = [...(shared as readonly Parameter[]), ...(own.parameters ?? [])].map(followed);
      return { method: method.toUpperCase(), path, operation: { ...own, parameters } };
    }),
  );
}

/** A table of parameters; empty without any. */
export const parameterTable = (parameters: readonly Parameter[], schemas: Schemas): string =>
  fieldTable(
    parameters.map(({ name, in: place, required = false, description = "", schema }) => ({
      path: name,
      type: `${typeOf(schema, schemas)} in the ${place}`,
      required,
      limits: limitsOf(resolved(schema, schemas)),
      description,
    })),
  );

/** A field of a value. */
export interface Field {
  /** Its place, such as `members[].ringTimeoutSecs`. */
  readonly path: string;
  readonly type: string;
  readonly required: boolean;
  /** The limits of the schema, such as `5 to 60`; empty if there are none. */
  readonly limits: string;
  readonly description: string;
}

/** A schema with what it refers to. Texts of its own come first. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, allOf, ...own } = schema;
  const named = $ref === undefined ? [] : [schemas[$ref.split("/").at(-1) ?? ""] ?? {}];
  const parts = [...[...named, ...(allOf ?? [])].map((part) => resolved(part, schemas)), own];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  const required = parts.flatMap((part) => part.required ?? []);
  return Object.assign({}, ...parts, {
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  });
}

/** The fields of an object, each followed by those inside it, so many levels down. */
export function fieldsOf(schema: Schema, schemas: Schemas, levels = 3, path = ""): Field[] {
  const whole = resolved(schema, schemas);
  const variants = [...(whole.oneOf ?? []), ...(whole.anyOf ?? [])];
  const own = Object.entries(whole.properties ?? {}).flatMap(([name, part]) => {
    const field = resolved(part, schemas);
    const place = path === "" ? name : `${path}.${name}`;
    const row = rowOf(place, field, whole.required?.includes(name) ?? false, schemas);
    return levels > 0 ? [row, ...inside(field, place, levels - 1, schemas)] : [row];
  });
  const found = new Map<string, Field>();
  // A field that only some variants have, or demand, is not required.
  const ofVariants = variants.map((variant) => fieldsOf(variant, schemas, levels, path));
  for (const field of ofVariants.flat()) {
    const isEverywhere = ofVariants.every((fields) => fields.some((one) => one.path === field.path && one.required));
    if (!found.has(field.path)) found.set(field.path, { ...field, required: field.required && isEverywhere });
  }
  const named = new Set(own.map((field) => field.path));
  return [...own, ...[...found.values()].filter((field) => !named.has(field.path))];
}

function inside(field: Schema, place: string, levels: number, schemas: Schemas): Field[] {
  if (field.items) return fieldsOf(field.items, schemas, levels, `${place}[]`);
  return fieldsOf(field, schemas, levels, place);
}

const rowOf = (path: string, field: Schema, required: boolean, schemas: Schemas): Field => ({
  path,
  type: typeOf(field, schemas),
  required,
  limits: limitsOf(field),
  description: field.description ?? "",
});

/** The name of a schema's type, such as `integer or null`. */
export function typeOf(schema: Schema, schemas: Schemas): string {
  const { type, items, const: value, enum: values, oneOf, anyOf } = resolved(schema, schemas);
  if (value !== undefined) return typeof value;
  if (type === "array") return items ? `array of ${plural(typeOf(items, schemas))}` : "array";
  if (type !== undefined) return [type].flat().join(" or ");
  const variants = [...(oneOf ?? []), ...(anyOf ?? [])].map((variant) => typeOf(variant, schemas));
  if (variants.length > 0) return [...new Set(variants)].join(" or ");
  return values ? [...new Set(values.map((one) => (one === null ? "null" : typeof one)))].join(" or ") : "any";
}

const plural = (type: string): string => (/^\w+$/.test(type) && type !== "any" ? `${type}s` : "values");

/** The limits of the schema for a value. */
export function limitsOf(schema: Schema): string {
  const { enum: values, const: value, default: preset, format, pattern } = schema;
  const words = values ?? (schema.oneOf ?? []).flatMap((one) => (one.const === undefined ? [] : [one.const]));
  const shown = (one: unknown): string => `\`${typeof one === "string" ? one : JSON.stringify(one)}\``;
  return [
    ...(value === undefined ? [] : [shown(value)]),
    ...(words.length > 0 ? [words.map(shown).join(", ")] : []),
    range(schema.minimum ?? schema.exclusiveMinimum, schema.maximum, "", schema.exclusiveMinimum !== undefined),
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    ...(format === undefined ? [] : [format === "date-time" ? "ISO 8601" : format]),
    ...(pattern === undefined ? [] : [shown(pattern)]),
    ...(preset === undefined ? [] : [`default ${shown(preset)}`]),
  ]
    .filter(Boolean)
    .join("; ");
}

function range(from: number | undefined, to: number | undefined, unit: string, isOpen = false): string {
  const isOne = to === 1 || (to === undefined && from === 1);
  const end = unit && ` ${isOne ? unit.slice(0, -1) : unit}`;
  if (from !== undefined && to !== undefined) return `${isOpen ? "above " : ""}${from} to ${to}${end}`;
  if (from !== undefined) return isOpen ? `above ${from}${end}` : `at least ${from}${end}`;
  return to === undefined ? "" : `at most ${to}${end}`;
}

/** A text for a cell of a table. */
export const inCell = (text: string): string => text.replaceAll("|", "\\|").replace(/\s+/g, " ").trim();

/** A table of fields; empty without any. */
export function fieldTable(fields: readonly Field[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map(
    ({ path, type, required, limits, description }) =>
      `| \`${path}\` | ${type} | ${required ? "yes" : "no"} | ${inCell(limits)} | ${inCell(description)} |`,
  );
  return `| Field | Type | Required | Limits | Description |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
}
