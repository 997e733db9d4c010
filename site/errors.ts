// Writes a page for each error code and field code, with a fault that causes it, and the list of them.
import { createBackend } from "@call-transfer/backend";
import { type ErrorCode, errorCodes, type FieldErrorCode, type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../build/markdown.ts";
import { faultProblem } from "../packages/backend/src/faults/apply-fault.ts";
import { type CodeRow, type FieldCodeRow, readCodeTable } from "../scripts/generate/read/document.ts";
import { errorClassOf, retrySection } from "./error-retries.ts";
import { curl, sampleOf, sdkCall, serverUrl, source } from "./samples.ts";

/** A code of the table, in the order of the table. */
interface Entry {
  readonly code: string;
  readonly group: string;
  readonly meaning: string;
  /** Statuses of error codes; undefined for a field code. */
  readonly status?: number | undefined;
  readonly text: string;
}

const fieldGroup = "Field codes";
const examples: Readonly<Record<string, { readonly value: unknown }>> = document.components.examples;

/** A sentence with the names in it as code. */
const withCode = (text: string): string =>
  text.replaceAll(/(?<!["\w])(?:meta\.\w+|[a-z]+[A-Z]\w+|X-Account-Id)\b/g, "`$&`");

const withArticle = (name: string): string => `${/^[AEIOU]/.test(name) ? "an" : "a"} \`${name}\``;

/** The anchor of a heading. */
const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

const sourceOf = (stated: boolean | undefined): string =>
  stated
    ? "The [specification](../specification.md#s7-2) states this meaning."
    : "This meaning is our reading, since the specification only names the code ([A-3](../assumptions.md#a-3)).";

const noStatus =
  "The specification states no status: this one is the mock server's, and the class follows from it ([A-27](../assumptions.md#a-27)).";

const ids = Object.keys(operations) as OperationId[];

/** The operations that document a code. */
const operationsOf = (code: ErrorCode): OperationId[] =>
  ids.filter((id) => (operations[id].errorCodes as readonly string[]).includes(code));

function whenSection(code: ErrorCode): string {
  const found = operationsOf(code);
  const links = found.map((id) => `- [${operations[id].summary}](../reference/api/${id}.md)\n`).join("");
  if (links !== "" && errorCodes[code].faultOnly)
    return `Operations document it, but nothing in the reference backend causes it: the mock server answers it through a fault only
([A-29](../assumptions.md#a-29)).\n\n${links}`;
  if (found.length === ids.length) return `Every operation answers it:\n\n${links}`;
  if (links !== "") return `These operations answer it:\n\n${links}`;
  if (code === "not_found")
    return "No operation documents it. The mock server answers it for a path that is not one of the API.\n";
  if (/^offer_(?:taken|taken_self|expired)$/.test(code))
    return "No operation documents it. The mock server refuses an answer to a transfer with it that comes second or too late: see [`transfer answer`](../mock-server-cli.md#ring-someone).\n";
  return `No operation of this API documents it. The platform uses it elsewhere, or may use it later. The SDK has it in its types, and the
mock server answers it through a fault ([A-29](../assumptions.md#a-29)).\n`;
}

/**
 * A program and a command that get an error by a fault, and what the program prints.
 *
 * @param fault The fault as TypeScript.
 * @param command Adds the fault to a running server.
 * @param report The statements that print the error.
 */
function provocation(
  operation: OperationId,
  code: ErrorCode,
  fault: string,
  command: string,
  report: string,
  output: string,
) {
  const sample = sampleOf(operation);
  const call = sdkCall(operation, sample, "  ");
  return `The next \`${operation}\` is answered with it:

\`\`\`ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, isApiError } from "@call-transfer/sdk";

const backend = createBackend();
backend.faults.add(${fault});
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
  maxRetries: 0,
});
try {
  await ${call};
} catch (error) {
  if (!isApiError(error, "${code}")) throw error;
  ${report}
}
\`\`\`

It prints

\`\`\`text
${output}
\`\`\`

With a running server (\`npx @call-transfer/mock-server\`):

\`\`\`sh
${command}
${curl(operation, sample)}
\`\`\`
`;
}

/** The body that a fault answers. */
const answerOf = (action: Parameters<typeof faultProblem>[0]) =>
  faultProblem(action, createBackend().clock.now()).problem;

/** How to get the code, by a fault on an operation that documents it, or on a read. */
function byFault(code: ErrorCode): string {
  const documented = operationsOf(code);
  // Where the server failed, the error of an operation that is not idempotent is an OutcomeUnknownError.
  const operation = documented.includes("listRoles") ? "listRoles" : (documented[0] ?? "listRoles");
  const text = `${operation} ${code}`;
  const { status, detail, errors, meta: carried } = answerOf({ code });
  const meta = carried ?? {};
  const report = [
    "console.log(error.status, error.code, error.detail);",
    ...(errors ? ["for (const { field, code } of error.errors) console.log(field, code);"] : []),
    ...Object.keys(meta).map((name) => `console.log("${name}", error.meta?.${name});`),
  ];
  const output = [
    `${status} ${code} ${detail}`,
    ...(errors ?? []).map((one) => `${one.field} ${one.code}`),
    ...Object.entries(meta).map(([name, value]) => `${name} ${value}`),
  ];
  const command = `npx @call-transfer/mock-server fault add "${text}"`;
  return provocation(operation, code, `"${text}"`, command, report.join("\n  "), output.join("\n"));
}

/** The error code that comes with a field code. */
const codeOfFields = "validation_failed" as const satisfies ErrorCode;

/** How to get a field code. A line of text cannot name a field, so this fault is JSON. */
function fieldByFault(fieldCode: FieldErrorCode): string {
  const operation = "createDestinationGroup";
  const action = { code: codeOfFields, errors: [{ field: "name", code: fieldCode }] };
  const fault = { match: { operationId: operation }, do: action };
  const report = "for (const { field, code, message } of error.errors)\n    console.log(field, code, message);";
  const output = `name ${fieldCode} ${answerOf(action).errors?.[0]?.message}`;
  const command = `curl ${serverUrl}/_control/v1/faults \\
  -H "Content-Type: application/json" \\
  -d '${JSON.stringify(fault)}'`;
  return provocation(operation, codeOfFields, source(fault, "", 0), command, report, output);
}

function errorEntry(code: ErrorCode, group: string, row: CodeRow): Entry {
  const { status, mockStatus, meaning, hasFieldErrors } = errorCodes[code];
  const meta = Object.keys((row.example?.meta as object | undefined) ?? {}).map((name) => `\`meta.${name}\``);
  const carried = [...(hasFieldErrors ? ["`errors`, a list of fields"] : []), ...meta].join(" and ");
  const narrowed = [
    status === null ? "`status` to a number" : `\`status\` to ${status}`,
    `\`errors\` to ${hasFieldErrors ? "a list" : "a list or undefined"}`,
  ].join(" and ");
  const text = `# ${code}

${meaning}

The API answers it with status ${mockStatus}. In the SDK it is ${withArticle(errorClassOf(code))}${carried && `, with ${carried}`}. It
belongs to the group [${group}](index.md#${anchorOf(group)}).

${sourceOf(row.stated)}${status === null ? ` ${noStatus}` : ""}

## What to do

${withCode(row.advice ?? "")}

## Does the SDK retry it

${retrySection(code)}

## Cause it yourself

${byFault(code)}
\`isApiError(error, "${code}")\` narrows ${narrowed}. After \`isApiError(error)\`, so does
\`error.code === "${code}"\`. The ids of [\`demo\`](../testing.md) cause many codes without a fault.

## When it comes

${whenSection(code)}
## The response

\`\`\`json
${JSON.stringify(examples[code]?.value, undefined, 2)}
\`\`\`
`;
  return { code, group, meaning, status: mockStatus, text };
}

const withFieldErrors = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].hasFieldErrors);

function fieldEntry(code: FieldErrorCode, row: FieldCodeRow): Entry {
  const text = `# ${code}

${row.meaning}

${sourceOf(row.stated)} It is one of the [field codes](index.md#${anchorOf(fieldGroup)}), and comes in \`errors\` of
${withFieldErrors.map((one) => `[${one}](${one}.md)`).join(" or ")}.

## What to do

${withCode(row.advice ?? "")}

## When it comes

It is the \`code\` of one failing field, beside \`field\` and \`message\`.

## Does the SDK retry it

No. The same request would be refused again: see [${codeOfFields}](${codeOfFields}.md#does-the-sdk-retry-it).

## Cause it yourself

${fieldByFault(code)}`;
  return { code, group: fieldGroup, meaning: row.meaning, text };
}

/** Other codes of the same group, and of the same status in it first. */
function related(entry: Entry, all: readonly Entry[]): string {
  const others = all.filter(({ group, code }) => group === entry.group && code !== entry.code);
  const nearest = others.toSorted((a, b) => Number(b.status === entry.status) - Number(a.status === entry.status));
  const links = nearest.slice(0, 8).map(({ code }) => `[${code}](${code}.md)`);
  return `\n## Related\n\n${[...links, "[all codes](index.md)"].join(", ")}\n`;
}

const table = (entries: readonly Entry[]): string =>
  `| Code | Status | Meaning |\n|---|---|---|\n${entries
    .map(({ code, status = "", meaning }) => `| [${code}](${code}.md) | ${status} | ${meaning} |\n`)
    .join("")}`;

function indexText(entries: readonly Entry[]): string {
  const groups = Map.groupBy(entries, ({ group }) => group);
  const statuses = Map.groupBy(
    entries.filter(({ status }) => status !== undefined),
    ({ status }) => status,
  );
  const byStatus = [...statuses]
    .sort(([a = 0], [b = 0]) => a - b)
    .map(([status, list]) => `| ${status} | ${list.map(({ code }) => `[${code}](${code}.md)`).join(", ")} |\n`);
  return `# Error codes

Every code that the API may answer, with what to do about it and how to cause it. The [guide to errors](../errors.md) says how the
SDK shows them.

${[...groups].map(([group, list]) => `## ${group}\n\n${table(list)}`).join("\n")}
## By status

| Status | Codes |
|---|---|
${byStatus.join("")}`;
}

/** A page for each error code and field code, and the list of them. */
export function errorPages(): Page[] {
  const { groups, fieldCodes } = readCodeTable();
  const entries = [
    ...groups.flatMap(({ title, codes }) =>
      Object.entries(codes).map(([code, row]) => errorEntry(code as ErrorCode, title, row)),
    ),
    ...Object.entries(fieldCodes).map(([code, row]) => fieldEntry(code as FieldErrorCode, row)),
  ];
  const pages = entries.map((entry) => ({
    path: `errors/${entry.code}.md`,
    text: `---\nprev: false\nnext: false\n---\n\n${entry.text}${related(entry, entries)}`,
  }));
  return [{ path: "errors/index.md", text: indexText(entries) }, ...pages];
}
