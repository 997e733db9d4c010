// The operations of the API as tools. Names, texts and schemas come from the OpenAPI document, the rest from the table of
// operations.
import {
  argumentName,
  type DocumentedOperation,
  errorMessage,
  inputSchemaOf,
  type JsonObject,
  operationsIn,
  outputSchemaOf,
  type Parameter,
  partsOf,
} from "@call-transfer/backend/unstable";
import type { CallTransfer, RequestOptions } from "@call-transfer/sdk";
import { type OperationDescription, operations } from "@call-transfer/spec";
import published from "@call-transfer/spec/openapi.json" with { type: "json" };
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { failureLines } from "./failures.ts";
import { annotationsOf, missingPermissions, type Permissions, secretFieldsIn } from "./permissions.ts";
import { dataResult, failureResult, isTooDeep, mostLevels, type Tool, textResult, toolName } from "./tool.ts";

/** Keeps a new secret. The assistant sees only that it was kept. */
export type SaveSecret = (secret: string, about: { readonly operation: string; readonly id: string }) => unknown;

/** The needs of the tools of the API. */
export interface OperationContext {
  readonly client: CallTransfer;
  readonly isMock: boolean;
  readonly permissions: Permissions;
  /** On a mock, new secrets are returned. */
  readonly saveSecret?: SaveSecret | undefined;
  /** The client acts on one account. Then no tool takes another one. */
  readonly hasFixedAccount?: boolean;
}

/** An operation that is not offered. */
export interface LeftOut {
  readonly name: string;
  /** The options that the server must be started with. */
  readonly requires: readonly string[];
}

/** The document without the addresses of what it cites, which an assistant would read with every tool. */
const document = JSON.parse(JSON.stringify(published).replaceAll(/\[([^\]"]+)\]\(https:[^)"]+\)/g, "$1")) as JsonObject;
const documented = operationsIn(document);

/** The tools of the API, and the operations that need a permission. */
export function operationTools(context: OperationContext): { tools: Tool[]; leftOut: LeftOut[] } {
  const tools: Tool[] = [];
  const leftOut: LeftOut[] = [];
  for (const operation of Object.values<OperationDescription>(operations)) {
    const secretFields = secretFieldsIn(document, operation.id);
    const requires = missingPermissions(operation, secretFields.length > 0, context.permissions);
    if (requires.length > 0) leftOut.push({ name: toolName(operation.id), requires });
    else tools.push(toolOf(operation, secretFields, context));
  }
  return { tools, leftOut };
}

function toolOf(operation: OperationDescription, secretFields: readonly string[], context: OperationContext): Tool {
  const described = describedFor(context, operation.id);
  const outputSchema = outputSchemaOf(described);
  const fits = outputSchema && fromJsonSchema(outputSchema)["~standard"].validate;
  return {
    name: toolName(operation.id),
    title: described.summary,
    description: described.description,
    inputSchema: inputSchemaOf(described),
    outputSchema,
    annotations: annotationsOf(operation, context.isMock),
    async call(given, signal) {
      let data: unknown;
      try {
        data = await send(context.client, operation, described, given, signal);
      } catch (error) {
        return failureResult(await failureLines(error, operation));
      }
      if (outputSchema === undefined || data === undefined) return textResult(`${toolName(operation.id)} succeeded.`);
      let shown: JsonObject | undefined;
      try {
        shown = context.isMock
          ? (data as JsonObject)
          : await keepSecrets(data as JsonObject, secretFields, operation.id, context.saveSecret);
      } catch (error) {
        return failureResult(lostLines(toolName(operation.id), error));
      }
      if (shown === undefined) return failureResult(hiddenLines(toolName(operation.id), secretFields));
      if (isTooDeep(shown)) return failureResult(deepLines(toolName(operation.id)));
      const checked = await fits?.(shown);
      // An error of the protocol would look as if the request had failed.
      if (checked?.issues) return failureResult(unexpectedLines(toolName(operation.id), secretFields, shown));
      return dataResult(shown);
    },
  };
}

/** The operation of the document, without a choice of the account where the client has one. */
function describedFor({ hasFixedAccount = false }: OperationContext, id: string): DocumentedOperation {
  const described = documented.get(id);
  if (described === undefined) throw new TypeError(`The document has no operation ${id}.`);
  const isOffered = (parameter: Parameter) => !(hasFixedAccount && argumentName(parameter) === "accountId");
  return { ...described, parameters: described.parameters.filter(isOffered) };
}

type Method = (...given: unknown[]) => PromiseLike<unknown>;

/** Calls the SDK's method of an operation. */
function send(
  client: CallTransfer,
  { resource, sdkMethod, pathParameters, queryParameters, hasBody }: OperationDescription,
  described: DocumentedOperation,
  given: JsonObject,
  signal: AbortSignal,
): PromiseLike<unknown> {
  const { path, query, header, body } = partsOf(described, given);
  const options: RequestOptions = { signal, ...header };
  const methods = (client as unknown as Readonly<Record<string, Readonly<Record<string, Method>>>>)[resource];
  const method = methods?.[sdkMethod];
  if (method === undefined) throw new TypeError(`The SDK has no client.${resource}.${sdkMethod}.`);
  return method.call(
    methods,
    ...pathParameters.map((name) => path[name]),
    ...(hasBody ? [body] : []),
    ...(Object.keys(queryParameters).length > 0 ? [query] : []),
    options,
  );
}

/**
 * Replaces new secrets by a note after they were kept. Undefined where an answer may contain a secret elsewhere; one that is too
 * deep to show is not searched.
 */
async function keepSecrets(
  data: JsonObject,
  fields: readonly string[],
  operation: string,
  saveSecret: SaveSecret | undefined,
): Promise<JsonObject | undefined> {
  if (fields.length === 0) return data;
  const secrets = fields.map((field) => data[field]).filter((secret) => typeof secret === "string" && secret !== "");
  for (const secret of secrets) await saveSecret?.(String(secret), { operation, id: String(data.id) });
  const notes = fields.map((field) => [field, "[kept by the server, not shown]"]);
  const shown: JsonObject = { ...data, ...Object.fromEntries(notes) };
  if (isTooDeep(shown)) return shown;
  const text = JSON.stringify(shown);
  const isWhole = secrets.length === fields.length && !secrets.some((secret) => text.includes(String(secret)));
  return isWhole ? shown : undefined;
}

const lostLines = (id: string, error: unknown): string[] => [
  `${id} succeeded, but the new secret could not be kept: ${errorMessage(error)}`,
  "Outcome: applied. The request was carried out, and the new secret is lost.",
  `What to do: Do not call ${id} again on your own. Ask the user to make room for the secret first.`,
];

const deepLines = (id: string): string[] => [
  `${id} succeeded, but the answer nests deeper than ${mostLevels} levels, so it is not shown.`,
  "Outcome: applied. The request was carried out.",
  `What to do: Do not call ${id} again because of this.`,
];

const hiddenLines = (id: string, fields: readonly string[]): string[] => [
  `${id} was carried out. Its answer has no secret where the API describes it (${fields.join()}), so it is not shown.`,
  "Outcome: applied. The request was carried out.",
  `What to do: Do not call ${id} again on your own. Ask the user to check the secret on the platform.`,
];

const unexpectedLines = (id: string, secretFields: readonly string[], data: JsonObject): string[] => [
  `${id} succeeded, but the answer is not as the API describes it${secretFields.length > 0 ? "" : `: ${JSON.stringify(data)}`}`,
  "Outcome: applied. The request was carried out.",
  secretFields.length > 0
    ? `What to do: Do not call ${id} again because of this. The answer is not shown, because it may contain a secret.`
    : `What to do: Do not call ${id} again because of this. Read the answer above.`,
];
