// What the specification states about the body of a response, and nothing that this project assumes.
import { type OperationId, operations } from "@call-transfer/spec";
import { type FieldFact, type ResourceFact, resources } from "../facts/resources.ts";
import { factsOf } from "./expected.ts";
import { isObject } from "./json.ts";

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
export function* statedViolations(operation: OperationId, status: number, body: unknown): Violations {
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
