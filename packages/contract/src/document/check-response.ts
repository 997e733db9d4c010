import { type OperationId, operations } from "@call-transfer/spec";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { type FieldFact, type ResourceFact, resources } from "../facts/resources.ts";
import { at, bodyPointer, contract } from "./document.ts";
import { factsOf } from "./expected.ts";
import { isObject } from "./json.ts";

const root = "contract.json";

/** Every `x-` keyword of the document. They are not validation rules. */
function* extensionKeywords(node: unknown): Generator<string> {
  if (!isObject(node)) return;
  for (const [key, child] of Object.entries(node)) {
    if (key.startsWith("x-")) yield key;
    yield* extensionKeywords(child);
  }
}

/** Converts a part of the document into a schema. References to shared schemas point to `$defs`. */
const asSchema = (part: unknown): object =>
  JSON.parse(JSON.stringify(part).replaceAll('"#/components/schemas/', `"${root}#/$defs/`));

/** The assumption that the document names on a schema, or nearest above it. */
const assumptionAbove = new WeakMap<object, string>();

/** Notes the assumptions of a schema and of all within it. */
function noteAssumptions(node: unknown, above?: string): void {
  if (!isObject(node)) return;
  const named = node["x-assumption"];
  const assumption = typeof named === "string" ? named : above;
  if (assumption !== undefined) assumptionAbove.set(node, assumption);
  for (const child of Object.values(node)) noteAssumptions(child, assumption);
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, verbose: true });
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  for (const keyword of new Set(extensionKeywords(contract))) ajv.addKeyword(keyword);
  const $defs = asSchema(at("#/components/schemas"));
  noteAssumptions($defs);
  return ajv.addSchema({ $id: root, $defs });
}

const ajv = createAjv();
const compiled = new Map<string, ValidateFunction>();

function validatorAt(pointer: string): ValidateFunction {
  const known = compiled.get(pointer);
  if (known) return known;
  const validate = ajv.compile(asSchema(at(pointer)));
  compiled.set(pointer, validate);
  return validate;
}

/** The errors of a value against the schema at a pointer of the document. */
function schemaErrors(pointer: string, value: unknown): readonly ErrorObject[] {
  const validate = validatorAt(pointer);
  return validate(value) ? [] : (validate.errors ?? []);
}

/** An error as text: the place in the body, and the rule. */
const errorText = ({ instancePath, message, keyword }: ErrorObject): string =>
  `body${instancePath} ${message ?? keyword}`;

/** The violations of the schema at a pointer of the document. */
export const schemaViolations = (pointer: string, value: unknown): string[] =>
  schemaErrors(pointer, value).map(errorText);

/** The errors of a response body against the schema for its status; none if the document defines no body for it. */
function bodyErrors(operation: OperationId, status: number, body: unknown): readonly ErrorObject[] {
  const pointer = bodyPointer(operation, status);
  return pointer === undefined ? [] : schemaErrors(pointer, body);
}

/** The violations of a response body against the schema for its status. */
export const bodyViolations = (operation: OperationId, status: number, body: unknown): string[] =>
  bodyPointer(operation, status) === undefined
    ? [`the contract defines no body for status ${status}`]
    : bodyErrors(operation, status, body).map(errorText);

// What the specification states about the body of a response, and nothing that this project assumes.

/** A violation of what the specification states. */
export interface StatedViolation {
  /** The place in the body as a JSON pointer; empty for the body itself. */
  readonly at: string;
  /** What a section says, and what the response has. */
  readonly text: string;
}

type Violations = Generator<StatedViolation>;

const violation = (at: string, section: string, says: string, has: string): StatedViolation => ({
  at,
  text: `body${at}: ${section} says ${says}; the response has ${has}`,
});

/** A value of a response, in short. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

const isoTime =
  /^(\d{4})-?(\d{2})-?(\d{2})T(\d{2}):?(\d{2})(?::?(\d{2})(?:[.,](\d+))?)?(?:Z|([+-])(\d{2})(?::?(\d{2}))?)?$/;

/** The milliseconds since 1970 of an ISO 8601 timestamp (§1), in UTC unless it names an offset; undefined for others. */
export function timeOf(text: unknown): number | undefined {
  const parts = typeof text === "string" ? isoTime.exec(text) : null;
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const midnight = new Date(Date.UTC(year, month - 1, day));
  if (midnight.getUTCMonth() !== month - 1 || hours > 24 || minutes > 59 || seconds > 60) return undefined;
  const offset = (parts[8] === "-" ? -1 : 1) * (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0));
  const fraction = Number(`0.${parts[7] ?? 0}`);
  return midnight.getTime() + ((hours * 60 + minutes - offset) * 60 + seconds + fraction) * 1000;
}

const isRecord = (value: unknown): boolean => isObject(value) && !Array.isArray(value);

/** The types of facts, besides lists and resources. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  integer: Number.isInteger,
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  datetime: (value) => timeOf(value) !== undefined,
};

/** The size that the limits of a fact restrict: of a number, of a text in characters, of a list in items. */
function sizeOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "string") return [...value].length;
  return Array.isArray(value) ? value.length : undefined;
}

/** The limits, values and form that a value breaks. */
function* brokenRules(value: unknown, fact: FieldFact): Generator<string> {
  const { values, moreValues, form } = fact;
  if (values && !moreValues && !values.includes(String(value)))
    yield values.length > 10 ? "one of the listed values" : `one of ${values.join(", ")}`;
  const least = fact.minimum ?? fact.minLength ?? fact.minItems;
  const most = fact.maximum ?? fact.maxLength ?? fact.maxItems;
  const size = sizeOf(value) ?? Number.NaN;
  if (least !== undefined && size < least) yield `at least ${least}`;
  if (most !== undefined && size > most) yield `at most ${most}`;
  if (form && typeof value === "string" && !form.test(value)) yield `the form ${form.source}`;
}

function* fieldViolations(at: string, value: unknown, fact: FieldFact, section: string): Violations {
  if (value === undefined) {
    if (fact.required) yield violation(at, section, "that it is required", "none");
    return;
  }
  if (value === null) {
    if (fact.nullable === false) yield violation(at, section, "nothing of null", "null");
    return;
  }
  const { type = "" } = fact;
  const [, item] = /^list of (.+)$/.exec(type) ?? [];
  const resource = resources[type];
  const fits = item ? Array.isArray(value) : resource ? isRecord(value) : (types[type]?.(value) ?? true);
  if (!fits) return yield violation(at, section, item ? "a list" : resource ? "an object" : type, shown(value));
  for (const says of brokenRules(value, fact)) yield violation(at, section, says, shown(value));
  if (resource) return yield* resourceViolations(at, value, resource);
  if (!item || !Array.isArray(value)) return;
  const itemFact: FieldFact = { type: item, nullable: false, ...(fact.form && { form: fact.form }) };
  for (const [index, child] of value.entries()) yield* fieldViolations(`${at}/${index}`, child, itemFact, section);
}

function* resourceViolations(at: string, value: unknown, { section, fields }: ResourceFact): Violations {
  if (!isObject(value)) return;
  for (const [name, fact] of Object.entries(fields)) {
    if (!fact.anyName) yield* fieldViolations(`${at}/${name}`, value[name], fact, section);
    else if (!Object.values(value).some((one) => [...fieldViolations(at, one, fact, section)].length === 0))
      yield violation(at, section, `a ${name} of the type ${fact.type}`, "none");
  }
  for (const [name, says, has] of relations(value)) yield violation(`${at}/${name}`, section, says, has);
}

type Members = Readonly<Record<string, unknown>>;

/** What a section says about several fields of a resource together. */
function* relations(value: Members): Generator<readonly [field: string, says: string, has: string]> {
  const { kind, signingSecret, signingSecretHint, source, reason } = value;
  // TransferDestination (§2.1).
  if (typeof kind === "string" && kind !== "app")
    for (const name of ["signingSecret", "signingSecretHint", "previousSecretExpiresAt"])
      if ((value[name] ?? null) !== null) yield [name, "`app` destinations only", `it for the kind ${shown(kind)}`];
  if (typeof signingSecret === "string" && typeof signingSecretHint === "string")
    if (!signingSecret.slice(1).endsWith(signingSecretHint) || signingSecretHint === "")
      yield ["signingSecretHint", "the last characters of the signing secret", "something else"];
  // MemberAvailability (§2.4).
  if (reason === "missed_calls" && source !== undefined && source !== "auto")
    yield ["source", "auto with the reason missed_calls", shown(source)];
}

/** The violations of a response's body. The order of the fields is that of the facts. */
function* statedViolations(operation: OperationId, status: number, body: unknown): Violations {
  const facts = factsOf(operation);
  if (status >= 400) return yield* fieldViolations("", body, { type: "ErrorResponse", nullable: false }, "§7.1");
  if (!facts) return;
  const { section, successes } = facts;
  if (!(status in successes)) {
    const says = `the status ${Object.keys(successes).join(" or ")}`;
    return yield violation("", section, says, `${status} to ${operations[operation].method}`);
  }
  const resource = successes[status];
  if (resource) yield* fieldViolations("", body, { type: resource, required: true, nullable: false }, section);
}

/** A difference from an assumption, where the specification states nothing. */
export interface Difference {
  /** The assumption's id in docs/assumptions.md. */
  readonly assumption: string;
  readonly text: string;
}

/** What is wrong with a body, and what only differs from an assumption. */
export interface Judgement {
  readonly violations: readonly string[];
  readonly differences: readonly Difference[];
}

/** The place in the body that an error is about. */
const placeOf = ({ instancePath, keyword, params }: ErrorObject): string =>
  keyword === "required" ? `${instancePath}/${String(params.missingProperty)}` : instancePath;

/** The assumption for an error, if the document names one; the specification says ISO 8601, of which `format` is a part. */
const assumptionOf = ({ keyword, parentSchema }: ErrorObject): string | undefined =>
  keyword === "format" ? "A-11" : assumptionAbove.get(parentSchema ?? {});

const isWithin = (place: string, outer: string): boolean => place === outer || place.startsWith(`${outer}/`);

/**
 * Judges the body of a response by the specification. What breaks only the document differs, if the document names an
 * assumption there; everything else in the document is stated.
 */
export function judge(operation: OperationId, status: number, body: unknown): Judgement {
  const stated = [...statedViolations(operation, status, body)];
  const others = bodyErrors(operation, status, body)
    .map((error) => ({ at: placeOf(error), assumption: assumptionOf(error), text: errorText(error) }))
    .filter((error) => !stated.some((violation) => isWithin(error.at, violation.at)));
  const differences = others.flatMap(({ assumption, ...rest }) => (assumption ? [{ assumption, ...rest }] : []));
  const unmarked = others.filter(
    (error) => !error.assumption && ![...stated, ...differences].some((inner) => isWithin(inner.at, error.at)),
  );
  return { violations: [...stated, ...unmarked].map(({ text }) => text), differences };
}
