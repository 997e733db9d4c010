// The page of an operation of the API.
import { inspect } from "node:util";
import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { type ErrorCode, errorCodes, type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import type { Page } from "../../build/markdown.ts";
import { withPlainEnums } from "../../packages/contract/src/document/json.ts";
import { invoke } from "../../packages/contract/src/suite/client.ts";
import { reactionTo } from "../error-retries.ts";
import { withCitations } from "../links.ts";
import { pythonProgram } from "../python-call.ts";
import { curl, sampleOf, sdkCall, resolved as withRecords } from "../samples.ts";
import {
  fieldsOf,
  fieldTable,
  inCell,
  type OpenApi,
  type Operation,
  operationsIn,
  parameterTable,
  type Schemas,
} from "./fields.ts";

const schemas = withPlainEnums(document.components.schemas) as Schemas;
const described = new Map(
  operationsIn(document as unknown as OpenApi).map(({ operation }) => [operation.operationId, operation]),
);
const json = "application/json";

/** The operation in the document. */
function describedBy(id: OperationId): Operation {
  const found = described.get(id);
  if (!found) throw new Error(`openapi.json has no ${id}.`);
  return found;
}

/** The reaction of the SDK if the answer of an operation is lost. */
export function lostAnswer(id: OperationId): string {
  const { idempotency } = operations[id];
  const { "x-reconcile": reconcile } = describedBy(id);
  const { retried } = reactionTo("internal_error");
  if (retried[idempotency])
    return idempotency === "idempotent"
      ? "The SDK sends the request again: to repeat it has no further effect."
      : "The SDK sends the request again. If the first one was carried out, the second is refused, since the name is taken.";
  const after = reconcile
    ? `Its [\`reconcile()\`](../../placing-calls.md) reads \`${reconcile.list}\` and says which records may be this request's.`
    : "Find out what happened before you send it again.";
  return `The SDK throws \`OutcomeUnknownError\` and does not send the request again. ${after}`;
}

const retries: Readonly<Record<(typeof operations)[OperationId]["idempotency"], string>> = {
  idempotent: "`idempotent`: sent again after 408, 429, 5xx, timeouts and lost connections",
  conflict_safe: "`conflict_safe`: sent again after 408, 429, 5xx, timeouts and lost connections",
  non_idempotent: "`non_idempotent`: sent again after 429, or if the request never left the client",
};

/** The program of an operation. */
export const programOf = (
  id: OperationId,
): string => `import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer } from "@call-transfer/sdk";

const backend = createBackend();
const client = new CallTransfer({
  baseUrl: "http://localhost",
  apiKey: demo.apiKey,
  fetch: backend.fetch,
});
const result = await ${sdkCall(id, sampleOf(id))};
console.log(result);
`;

/** The same program in Python. */
export function pythonProgramOf(id: OperationId): string {
  const hasResult = Object.entries(describedBy(id).responses).some(([status, { content }]) => status < "3" && content);
  return pythonProgram(id, sampleOf(id), hasResult);
}

/** The sample of an operation, as the SDK takes it. */
export function inputOf(id: OperationId): Parameters<typeof invoke>[2] {
  return { path: {}, query: {}, body: undefined, ...Object(withRecords(sampleOf(id))) };
}

/** The output of the program. */
async function outputOf(id: OperationId): Promise<string> {
  const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: createBackend().fetch });
  return inspect(await invoke(client, id, inputOf(id)));
}

const block = (language: string, text: string): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
const asJson = (value: unknown): string => block("json", JSON.stringify(value, undefined, 2));

function requestSection({ parameters, requestBody }: Operation): string {
  const table = parameterTable(parameters, schemas);
  const schema = requestBody?.content?.[json]?.schema;
  const fields = schema ? `### Body\n\n${fieldTable(fieldsOf(schema, schemas))}` : "There is no body.\n";
  return `## Request\n\n${table && `${table}\n`}${fields}`;
}

/** The successes: a table of fields, and examples. */
function successSections({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .map(([status, { description = "", content }]) => {
      const { schema, examples = {} } = content?.[json] ?? {};
      const fields = schema ? fieldTable(fieldsOf(schema, schemas)) : "";
      const shown = Object.values(examples).map(({ value }) => asJson(value));
      return `### ${status}\n\n${description}\n\n${fields}\n${shown.join("\n")}`;
    })
    .join("\n");
}

function errorTable(id: OperationId, { responses }: Operation): string {
  const codes: readonly ErrorCode[] = operations[id].errorCodes;
  const rows = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .map(([status, { description = "" }]) => {
      const links = codes
        .filter((code) => errorCodes[code].mockStatus === Number(status))
        .map((code) => `[${code}](../../errors/${code}.md)`);
      // The list below the first paragraph has the codes, which are the links here.
      return `| ${status} | ${inCell(description.split("\n\n")[0] ?? "")} | ${links.join(", ")} |\n`;
    });
  return `| Status | Meaning | Codes |\n|---|---|---|\n${rows.join("")}`;
}

const classOf = (resource: string): string => (resource[0] ?? "").toUpperCase() + resource.slice(1);

/** The page of an operation, with a program in each language. */
export async function operationPage(id: OperationId): Promise<Page> {
  const { method, path, summary, resource, sdkMethod, idempotency } = operations[id];
  const operation = describedBy(id);
  const assumption = operation["x-assumption"];
  const fault = `npx @call-transfer/mock-server fault add "${id} internal_error"`;
  const text = `# ${summary}

<Badge type="info" text="${method}" /> \`${path}\`

${operation.description}${assumption ? `\n\nWhere the specification is silent: ${assumption}.` : ""}

- **In the SDK**: [\`client.${resource}.${sdkMethod}()\`](../sdk/interfaces/${classOf(resource)}.md#${sdkMethod.toLowerCase()}), [\`${id}()\`](../sdk/functions/${id}.md)
- **Retry class** ${retries[idempotency]}
- **A lost answer**: ${lostAnswer(id)}

## Programs

The programs run as they are: TypeScript without a network, Python with a server that it starts, curl with a running one
(\`npx @call-transfer/mock-server\`).

::: code-group

${block("sh [curl]", curl(id, sampleOf(id)))}
${block("ts [TypeScript]", programOf(id))}
${block("python [Python]", pythonProgramOf(id))}
:::

In TypeScript it prints

${block("text", await outputOf(id))}
The next request to a running server fails after

${block("sh", fault)}
${requestSection(operation)}
## Responses

${successSections(operation)}
### Errors

${errorTable(id, operation)}
[All error codes](../../errors/index.md), and [how the SDK shows them](../../errors.md).
`;
  return { path: `reference/api/${id}.md`, text: withCitations(text, "../../") };
}
