// What goes over the wire: the shape of answers, and what of a request is refused in which words (§2.6, §7).
import { inFile, type RuleMutant } from "./mutant.ts";

const answers = inFile("http/dispatch.ts", /^(errors|roles):/);
const problems = inFile("model/problem.ts", /^(errors|calls|codes on demand):/);
const faults = inFile("faults/faults.ts", /^codes on demand:/);
const validation = inFile("http/validate.ts", /^(invalid input|errors):/);
const ids = inFile("model/uuid.ts", /^(invalid input|errors):/);

/** What every answer and every error carries (§2.6, §7.1). */
export const shapes: readonly RuleMutant[] = [
  answers("§2.6", "the methods of a path are not named", "headers = match && {", "headers = undefined && {"),
  answers("§2.6", "error bodies name no request", "{ ...answer.problem, requestId }", "{ ...answer.problem }"),
  answers("§2.6", "answers name no request", '"X-Request-Id": requestId, Date:', "Date:"),
  answers(
    "§1",
    "errors are of another content type",
    "const text = JSON.stringify({ ...answer.problem, requestId });",
    'headers["Content-Type"] = "application/problem+json";\n  const text = JSON.stringify({ ...answer.problem, requestId });',
  ),
  inFile("backend.ts", /^errors:/)(
    "§2.6",
    "all requests have one id",
    "const requestId = requestIds.uuid();",
    'const requestId = "request";',
  ),
  answers(
    "§2.6",
    "the body mirrors another status",
    "{ ...answer.problem, requestId }",
    "{ ...answer.problem, status: 400, requestId }",
  ),
  problems("§2.6", "errors have no title", "      title,\n", ""),
  problems("§2.6", "errors have an empty detail", "detail: options.detail ?? meaning", 'detail: ""'),
  problems("§2.6", "failing fields are not named", "...(options.errors && { errors: [...options.errors] }),", ""),
  problems("§8.1", "no error says how long to wait", "...(options.meta && { meta: options.meta }),", ""),
  faults(
    "§2.6",
    "the quota's reset is not told",
    "{ resetsAt: new Date(now + 3_600_000).toISOString() }",
    '{ resetsAt: "soon" }',
  ),
];

/** How bodies, ids and queries are read, and how a failing field is named (§7.3, A-20). */
export const input: readonly RuleMutant[] = [
  validation("§1", "any content type is read as JSON", String.raw`/^application\/json\s*(;|$)/i.test(`, "/^/.test("),
  validation("A-18", "bodies of any size are read", "const maxBodyBytes = 2 ** 20;", "const maxBodyBytes = 2 ** 30;"),
  validation("§7.2", "broken JSON is a validation error", 'problem("invalid_json")', 'problem("validation_failed")'),
  validation(
    "§7.1",
    "only the first failing field is named",
    "return [...found.values()];",
    "return [...found.values()].slice(0, 1);",
  ),
  validation("A-20", "places in lists follow a dot", "text}[", "text}.["),
  validation(
    "A-20",
    "fields are named by their last step only",
    "(text, part) => {",
    '(_text, part) => {\nconst text = "";',
  ),
  validation(
    "A-20",
    "a missing field is of a wrong format",
    'if (value === undefined) return { code: "required"',
    'if (value === undefined) return { code: "invalid_format"',
  ),
  validation(
    "A-20",
    "null is of a wrong format",
    'if (value === null) return { code: "required"',
    'if (value === null) return { code: "invalid_format"',
  ),
  validation("A-20", "too short is out of range", 'code: "too_short"', 'code: "out_of_range"'),
  validation("A-20", "too long is out of range", 'code: "too_long"', 'code: "out_of_range"'),
  validation("A-20", "too small a number is out of range", 'code: "below_minimum"', 'code: "out_of_range"'),
  validation("A-20", "too large a number is out of range", 'code: "above_maximum"', 'code: "out_of_range"'),
  validation(
    "A-20",
    "a wrong type is out of range",
    '"invalid_type") return { code: "invalid_format"',
    '"invalid_type") return { code: "out_of_range"',
  ),
  validation(
    "A-20",
    "a value that is not listed is out of range",
    'if (issue.code === "invalid_value")\n    return { code: "invalid_format"',
    'if (issue.code === "invalid_value")\n    return { code: "out_of_range"',
  ),
  validation(
    "§7.3",
    "a malformed phone number is of a wrong format",
    "return { code: pattern,",
    'return { code: "invalid_format",',
  ),
  validation(
    "§4.2",
    "null does not stand for the default",
    "filled[name] ??= field.def.defaultValue",
    "if (!(name in filled)) filled[name] = field.def.defaultValue",
  ),
  ids("§7.2", "any text is an id", "return uuidForm.test(text);", "return true;"),
  ids("§7.2", "an id may be longer than a UUID", "{12}$/i;", "{12}/i;"),
  validation(
    "§4.6",
    "an empty text is the number 0",
    String.raw`if (type === "integer") return /^-?\d+$/.test(text) ? Number(text) : text;`,
    'if (type === "integer") return Number(text);',
  ),
];

const recipient = "toNumber: z.string()";
const phone = (name: string, change: string): RuleMutant => ({
  name,
  rule: "A-21",
  file: "spec/src/schemas.gen.ts",
  from: recipient,
  to: `${recipient}.overwrite((text) => ${change})`,
  first: /^calls: a recipient/,
});

/** Each takes the number for another one, so that the pattern and its field code stay. */
export const phoneNumbers: readonly RuleMutant[] = [
  phone("a phone number may begin with 0", String.raw`text.replace(/^\+0/, "+1")`),
  phone("a phone number may have 16 digits", "text.length === 17 ? text.slice(0, -1) : text"),
  phone("a phone number may have 1 digit", String.raw`text.replace(/^(\+[1-9])$/, "$10")`),
  phone("a phone number may not have 15 digits", 'text.length === 16 ? text.concat("00") : text'),
  phone("a phone number may not have 2 digits", "text.length === 3 ? text.slice(0, 2) : text"),
  phone("a phone number needs no plus sign", String.raw`text.replace(/^(?=\d)/, "+")`),
  phone("a phone number may have spaces", 'text.replaceAll(" ", "")'),
  phone("a phone number may end in a line break", "text.trimEnd()"),
  phone("a phone number may have digits of any script", String.raw`text.replaceAll(/\p{Nd}/gu, "1")`),
];
