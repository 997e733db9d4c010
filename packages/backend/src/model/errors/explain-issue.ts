import type * as z from "zod";
import { sandboxNameAdvice, sandboxNamePattern, sandboxNameRule } from "../values/sandbox-name.ts";
import { suggestion } from "../values/spelling.ts";

/** Says in a few words what a field must be, for the issues of a schema that have no text of their own. */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type")
    return issue.input === undefined
      ? "is missing"
      : `must be ${nameOfType(issue.expected)}, not ${shown(issue.input)}`;
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
function shown(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function allowedValues(values: readonly string[], input: unknown): string {
  if (input === undefined) return "is missing";
  if (values.length === 1) return `must be ${values[0]}, not ${shown(input)}`;
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
