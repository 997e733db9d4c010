import * as z from "zod";
import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "./ids.ts";
import { suggestion } from "./text.ts";
import { isObject } from "./values.ts";

/** Says in a few words what a field must be, for the issues of a schema that have no text of their own. */
function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type")
    return issue.input === undefined
      ? "is missing"
      : `must be ${nameOfType(issue.expected)}, not ${shownValue(issue.input)}`;
  if (issue.code === "invalid_value") return allowedValues(issue.values.map(String), issue.input);
  if (issue.code === "too_small")
    return `must ${bound("at least", "above", issue.origin, issue.minimum, issue.inclusive)}`;
  if (issue.code === "too_big")
    return `must ${bound("at most", "below", issue.origin, issue.maximum, issue.inclusive)}`;
  if (issue.code === "invalid_format" && issue.pattern !== undefined)
    return patternRule(issue.pattern, String(issue.input));
  if (issue.code === "invalid_format") return `must be a valid ${issue.format}`;
  return issue.code === "invalid_union" ? "is not valid" : undefined;
}

const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  object: "an object",
  array: "a list",
  record: "an object",
  boolean: "true or false",
  string: "a text",
  null: "null",
};

function nameOfType(expected: string): string {
  return typeNames[expected] ?? `a ${expected}`;
}

/** A value in an error: whole if it is short. */
function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function allowedValues(values: readonly string[], input: unknown): string {
  if (input === undefined) return "is missing";
  if (values.length === 1) return `must be ${values[0]}, not ${shownValue(input)}`;
  return `must be one of ${values.join(", ")}.${suggestion(String(input), values)}`.replace(/\.$/, "");
}

function bound(
  inclusiveWord: string,
  exclusiveWord: string,
  origin: string,
  limit: number | bigint,
  isInclusive = true,
): string {
  const amount = `${isInclusive ? inclusiveWord : exclusiveWord} ${limit}`;
  if (origin === "string") return `have ${amount} characters`;
  return origin === "array" ? `have ${amount} entries` : `be ${amount}`;
}

function patternRule(pattern: string, input: string): string {
  const source = pattern.replace(/^\/(.*)\/\w*$/, "$1");
  return source === sandboxNamePattern.source
    ? `${sandboxNameRule}.${sandboxNameAdvice(input)}`
    : `must match the pattern ${source}`;
}

/** The names of the fields that an object at a path of a schema may have; of a union, those of all branches. */
export function knownFields(schema: unknown, path: readonly PropertyKey[]): readonly string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return knownFields(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((branch) => knownFields(branch, path));
  const [part, ...rest] = path;
  if (schema instanceof z.ZodArray) return typeof part === "number" ? knownFields(schema.element, rest) : [];
  if (!(schema instanceof z.ZodObject)) return [];
  return part === undefined ? Object.keys(schema.shape) : knownFields(schema.shape[String(part)], rest);
}

/** Shared by every copy of this major version: a project may have two, such as the mock server's and its own. */
const kind: unique symbol = Symbol.for("@call-transfer/backend/0/error-kind");
const inUse = "in use";

/** Invalid input to the backend itself: a seed, a fault, a policy, a key or a trigger. */
export class InputError extends Error {
  /** @internal */
  static readonly [kind]: string = "input";

  static override [Symbol.hasInstance](value: unknown): boolean {
    // A customer's own subclass has no kind of its own: there the prototype decides.
    if (!Object.hasOwn(this, kind)) return super[Symbol.hasInstance](value);
    const given = Object(Object(value).constructor)[kind];
    return given === this[kind] || (given === inUse && this[kind] === "input");
  }

  /** The name of the class. */
  override readonly name = "InputError";
  /** The path of the invalid field, such as `members[2].role`; empty if the input as a whole is invalid. */
  readonly field: string;
  /** What is wrong with it. */
  readonly explanation: string;

  constructor(field: string, explanation: string) {
    super(field === "" ? explanation : `${field}: ${explanation}`);
    this.field = field;
    this.explanation = explanation;
  }
}

/** A record cannot be changed or removed while something refers to it. */
export class InUseError extends InputError {
  /** @internal */
  static override readonly [kind]: string = inUse;
}

/** Runs a check of one part of the input. Fields named by its InputError get the prefix `root`. */
export function withPathPrefix<Checked>(root: string, check: () => Checked): Checked {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(joined(root, error.field), error.explanation);
  }
}

function joined(root: string, field: string): string {
  if (root === "" || field === "") return root + field;
  return field.startsWith("[") ? root + field : `${root}.${field}`;
}

/** Checks input against a schema. Throws InputError that names the first bad field. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: explainIssue });
  if (result.success) return result.data;
  const issue = deepest(result.error.issues);
  const unknown = issue.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  const path = unknown === undefined ? issue.path : [...issue.path, unknown];
  const field = path.reduce<string>(
    (text, part) => joined(text, typeof part === "number" ? `[${part}]` : String(part)),
    "",
  );
  if (unknown === undefined) throw new InputError(field, issue.message);
  const hint = suggestion(unknown, knownFields(schema, issue.path));
  throw new InputError(field, `is not a known field${hint && `.${hint}`}`);
}

/** The first issue. For a union, the issue of the branch that fits best. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const [issue = { code: "custom" as const, path: [], message: "is not valid", input: undefined }] = issues;
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  // The caller did not mean a branch of another type than the value's.
  const meant = issue.errors.filter((branch) => branch.some((one) => !isOtherType(one)));
  const [closest = []] = (meant.length > 0 ? meant : issue.errors).toSorted(
    (a, b) => mistaken(a) - mistaken(b) || a.length - b.length,
  );
  const inner = deepest(closest);
  const values = issue.errors
    .flat()
    .flatMap((one) => (one.code === "invalid_value" && one.path.length === 0 ? one.values : []));
  if (inner.code === "invalid_value" && values.length > 1)
    return { ...inner, path: issue.path, message: `must be one of ${values.map(String).join(", ")}` };
  return { ...inner, path: [...issue.path, ...inner.path] };
}

/** The number of missing or unknown parts of the value itself. Fewer make a branch fit better, whatever is wrong inside. */
function mistaken(branch: readonly z.core.$ZodIssue[]): number {
  return branch.filter(({ code, path }) => path.length === 0 || (path.length === 1 && code === "invalid_type")).length;
}

function isOtherType({ code, path }: z.core.$ZodIssue): boolean {
  return path.length === 0 && (code === "invalid_value" || code === "invalid_type");
}
