// The pages of the mock server's control plane: one for each tag.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import type { Page } from "../../build/markdown.ts";
import { slugOf } from "../../scripts/markdown.ts";
import { withCitations } from "../links.ts";
import { serverUrl } from "../samples.ts";
import {
  type Content,
  fieldsOf,
  fieldTable,
  type OpenApi,
  operationsIn,
  type Placed,
  parameterTable,
  type Schemas,
  typeOf,
} from "./fields.ts";

interface ControlDocument extends OpenApi {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

const read = (): ControlDocument =>
  parse(readFileSync(new URL("../../openapi/control/control.yaml", import.meta.url), "utf8"));

/** Every operation of the control plane. */
export const controlOperations = (document: ControlDocument = read()): Placed[] => operationsIn(document);

function section({ method, path, operation }: Placed, { components: { schemas } }: ControlDocument): string {
  const { summary, operationId, description, parameters, requestBody, responses } = operation;
  const size = operation["x-max-body-mib"];
  const parts = [
    `## ${summary}`,
    `<Badge type="info" text="${method}" /> \`${path}\``,
    `\`${operationId}\`${description ? `. ${description}` : ""}`,
    parameterTable(parameters, schemas),
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
    const text = `---\nsearch: false\n---\n\n# Control plane: ${name}\n\n${description}. The [overview](index.md) says how to reach it.\n\n${sections.join("\n\n")}\n`;
    return { path: `reference/control/${name}.md`, text: withCitations(text, "../../") };
  });
  const groups = document.tags.map(({ name, description }) => {
    const rows = all
      .filter(({ operation }) => operation.tags[0] === name)
      .map(
        ({ method, path, operation: { summary } }) =>
          `| [${summary}](${name}.md#${slugOf(summary)}) | \`${method} ${path}\` |`,
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
