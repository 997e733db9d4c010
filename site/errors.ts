// Writes a page for each error code and field code, and the list of them.
import { type ErrorCode, errorCodes, type FieldErrorCode, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../build/markdown.ts";
import { type CodeRow, type FieldCodeRow, readCodeTable } from "../scripts/generate/read/document.ts";
import {
  byFault,
  byRule,
  codeOfFields,
  fieldByFault,
  operationsOf,
  type Provocation,
  recipes,
} from "./error-program.ts";
import { errorClassOf, retrySection } from "./error-retries.ts";

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

/** Returns whether the site has a page. */
type HasPage = (path: string) => boolean;

/** A list of the operations that document a code. */
function operationLinks(code: ErrorCode, hasPage: HasPage): string {
  const items = operationsOf(code).map((id) => {
    const page = `reference/api/${id}.md`;
    const { summary } = operations[id];
    return hasPage(page) ? `[${summary}](../${page})` : `${summary} (\`${id}\`)`;
  });
  return items.map((item) => `- ${item}\n`).join("");
}

function whenSection(code: ErrorCode, rule: Provocation | undefined, hasPage: HasPage): string {
  const links = operationLinks(code, hasPage);
  const elsewhere = recipes[code]?.elsewhere;
  if (links !== "" && errorCodes[code].faultOnly)
    return `Operations document it, but nothing in the reference backend causes it: the mock server answers it through a fault only
([A-29](../assumptions.md#a-29)).\n\n${links}`;
  if (operationsOf(code).length === Object.keys(operations).length) return `Every operation answers it:\n\n${links}`;
  if (links !== "") return `These operations answer it:\n\n${links}`;
  if (rule !== undefined) return "No operation documents it. The reference backend answers it in the case below.\n";
  if (elsewhere !== undefined) return `No operation documents it. ${elsewhere}\n`;
  return `No operation of this API documents it. The platform uses it elsewhere, or may use it later. The SDK has it in its types, and the
mock server answers it through a fault ([A-29](../assumptions.md#a-29)).\n`;
}

const ways = "With a running server (`npx @call-transfer/mock-server`):";

function provocation(title: string, { how, program, output, commands }: Provocation): string {
  return `### ${title}

${how}

\`\`\`ts
${program}\`\`\`

It prints

\`\`\`text
${output}
\`\`\`

${ways}

\`\`\`sh
${commands}\`\`\`
`;
}

/** The pages before and after, for the links at the bottom. */
const neighbours = (before: Entry | undefined, after: Entry | undefined): string =>
  [
    ["prev", before],
    ["next", after],
  ]
    .map(([name, entry]) =>
      typeof entry === "object"
        ? `${name}:\n  text: ${entry.code}\n  link: /errors/${entry.code}\n`
        : `${name}: false\n`,
    )
    .join("");

function errorEntry(code: ErrorCode, group: string, row: CodeRow, hasPage: HasPage): Entry {
  const { status, mockStatus, meaning, hasFieldErrors } = errorCodes[code];
  const rule = byRule(code);
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

The programs below run as they are. In TypeScript, \`isApiError(error, "${code}")\` narrows ${narrowed}.
After \`isApiError(error)\`, so does \`error.code === "${code}"\`.

${rule === undefined ? "" : `${provocation("By a request", rule)}\n`}${provocation("By a fault", byFault(code))}
## When it comes

${whenSection(code, rule, hasPage)}
## The response

\`\`\`json
${JSON.stringify(examples[code]?.value, undefined, 2)}
\`\`\`
`;
  return { code, group, meaning, status: mockStatus, text };
}

const withFieldErrors = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => errorCodes[code].hasFieldErrors);

function fieldEntry(code: FieldErrorCode, row: FieldCodeRow): Entry {
  const rule = byRule(codeOfFields, code);
  const text = `# ${code}

${row.meaning}

${sourceOf(row.stated)} It is one of the [field codes](index.md#${anchorOf(fieldGroup)}), and comes in \`errors\` of
${withFieldErrors.map((one) => `[${one}](${one}.md)`).join(" or ")}.

## What to do

${withCode(row.advice ?? "")}

## When it comes

It is the \`code\` of one failing field, beside \`field\` and \`message\`. ${
    rule === undefined
      ? "No rule of the reference backend answers it: it belongs to another part of the platform."
      : "The reference backend answers it to the request below, and to others like it."
  }

## Does the SDK retry it

No. The same request would be refused again: see [${codeOfFields}](${codeOfFields}.md#does-the-sdk-retry-it).

## Cause it yourself

${rule === undefined ? "" : `${provocation("By a request", rule)}\n`}${provocation("By a fault", fieldByFault(code))}`;
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

<ErrorFilter />

${[...groups].map(([group, list]) => `## ${group}\n\n${table(list)}`).join("\n")}
## By status

| Status | Codes |
|---|---|
${byStatus.join("")}`;
}

/** A page for each error code and field code, and the list of them. They link to those of the `others` that the site has. */
export function errorPages(others: readonly Page[] = []): Page[] {
  const paths = new Set(others.map(({ path }) => path));
  const hasPage: HasPage = (path) => paths.has(path);
  const { groups, fieldCodes } = readCodeTable();
  const entries = [
    ...groups.flatMap(({ title, codes }) =>
      Object.entries(codes).map(([code, row]) => errorEntry(code as ErrorCode, title, row, hasPage)),
    ),
    ...Object.entries(fieldCodes).map(([code, row]) => fieldEntry(code as FieldErrorCode, row)),
  ];
  const pages = entries.map((entry, index) => ({
    path: `errors/${entry.code}.md`,
    text: `---\n${neighbours(entries[index - 1], entries[index + 1])}---\n\n${entry.text}${related(entry, entries)}`,
  }));
  return [{ path: "errors/index.md", text: indexText(entries) }, ...pages];
}
