// The pages of the mock server's control plane: one for each tag.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Page } from "../../build/markdown.ts";
import { withCitations } from "../citations.ts";
import { serverUrl } from "../samples.ts";
import { fieldsOf, fieldTable, inCell, limitsOf, resolved, type Schema, type Schemas, typeOf } from "./fields.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface ControlOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly $ref?: string }>>;
  readonly "x-max-body-mib"?: number;
}
interface ControlDocument {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Schemas; readonly parameters: Readonly<Record<string, Parameter>> };
}

/** An operation with its place. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: ControlOperation;
}

const read = (): ControlDocument =>
  parse(readFileSync(new URL("../../openapi/control/control.yaml", import.meta.url), "utf8"));

/** Every operation of the control plane. */
export function controlOperations({ paths }: Pick<ControlDocument, "paths"> = read()): Placed[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (typeof operation !== "object" || operation === null || !("operationId" in operation)) return [];
      const shared = (item.parameters ?? []) as readonly Parameter[];
      const own = operation as ControlOperation;
      return [
        {
          method: method.toUpperCase(),
          path,
          operation: { ...own, parameters: [...shared, ...(own.parameters ?? [])] },
        },
      ];
    }),
  );
}

function section({ method, path, operation }: Placed, { components }: ControlDocument): string {
  const { schemas, parameters: shared } = components;
  const { summary, operationId, description, parameters = [], requestBody, responses } = operation;
  const rows = parameters
    .map((parameter) => (parameter.$ref ? (shared[parameter.$ref.split("/").at(-1) ?? ""] ?? parameter) : parameter))
    .map(
      (one) =>
        `| \`${one.name}\` | ${one.in} | ${typeOf(one.schema, schemas)} | ${one.required ? "yes" : "no"} | ${inCell(limitsOf(resolved(one.schema, schemas)))} | ${inCell(one.description ?? "")} |\n`,
    );
  const size = operation["x-max-body-mib"];
  const parts = [
    `## ${summary}`,
    `<p class="endpoint"><Badge type="info" text="${method}" /> <code>${path.replace(/[{}]/g, (brace) => (brace === "{" ? "&#123;" : "&#125;"))}</code></p>`,
    `\`${operationId}\`${description ? `. ${description}` : ""}`,
    rows.length > 0 &&
      `| Parameter | In | Type | Required | Limits | Description |\n|---|---|---|---|---|---|\n${rows.join("")}`,
    requestBody && bodyOf("The body", requestBody, schemas, size === undefined ? "" : ` It may have ${size} MiB.`),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith("2"))
      .map(([status, response]) => bodyOf(`**${status}**: ${response.description ?? ""}`, response, schemas)),
  ];
  return parts.filter(Boolean).join("\n\n");
}

/** A body in words and as a table of its fields. */
function bodyOf(lead: string, { content = {} }: Content, schemas: Schemas, more = ""): string {
  const [[kind, { schema = {} }] = ["", {}]] = Object.entries(content);
  const isOwnSentence = lead.startsWith("**");
  const table = fieldTable(fieldsOf(schema, schemas, isOwnSentence ? 1 : 3));
  const type = kind === "" || kind === "application/json" ? "" : ` It is \`${kind}\`.`;
  if (table === "")
    return isOwnSentence
      ? `${lead}${type}`
      : `${lead} is ${typeOf(schema, schemas) === "any" ? "JSON" : `JSON: ${typeOf(schema, schemas)}`}.${more}`;
  return `${isOwnSentence ? `${lead}${type}` : `${lead} has these fields.${more}`}\n\n${table}`;
}

/** A page for each tag, and the page of all operations. */
export function controlPages(): Page[] {
  const document = read();
  const all = controlOperations(document);
  const pages = document.tags.map(({ name, description }) => {
    const sections = all.filter(({ operation }) => operation.tags[0] === name).map((one) => section(one, document));
    // The search finds operations in the overview.
    const text = `---\npageClass: reference\nsearch: false\n---\n\n# Control plane: ${name}\n\n${description}. The [overview](index.md) says how to reach it.\n\n${sections.join("\n\n")}\n`;
    return { path: `reference/control/${name}.md`, text: withCitations(text, "../../") };
  });
  const groups = document.tags.map(({ name, description }) => {
    const rows = all
      .filter(({ operation }) => operation.tags[0] === name)
      .map(
        ({ method, path, operation: { summary } }) =>
          `| [${summary}](${name}.md#${anchorOf(summary)}) | \`${method} ${path}\` |`,
      );
    return `## ${name}\n\n${description}.\n\n| Operation | Request |\n|---|---|\n${rows.join("\n")}\n`;
  });
  const overview = `# The control plane

${document.info.description}

The commands of the [mock server's command line](../../mock-server-cli.md) call it, and so does the
[inspector](../../inspector.md). In the process of a test, [\`Backend\`](../backend/interfaces/Backend.md) has the same as methods.

\`\`\`sh
curl ${serverUrl}/_control/v1/health
\`\`\`

${groups.join("\n")}`;
  return [{ path: "reference/control/index.md", text: withCitations(overview, "../../") }, ...pages];
}

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
