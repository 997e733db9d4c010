import {
  addressOf,
  type DocumentedOperation,
  dataOf,
  inputSchemaOf,
  type JsonObject,
  messageOf,
  operationsIn,
  partsOf as requestPartsOf,
} from "@call-transfer/backend/control-client";
import { action, type Command, type Context } from "./command.ts";
import { formatTable } from "./tables.ts";
import { jsonOrText, suggestion, UsageError } from "./values.ts";

/** Operations whose response is no JSON, and the command that reads it. */
const withCommand: Readonly<Record<string, string>> = {
  streamEvents: "events --follow",
  downloadBackup: "snapshot backup FILE",
};

export const api: Command = {
  name: "api",
  summary: "call any operation of the control plane",
  example: "api applyScenario name=flaky-503",
  actions: [
    action(
      "[OPERATION] [NAME=VALUE…]",
      {
        help: "list the operations of the control plane with their arguments, or call one and print its response as JSON. A value is JSON, or else text",
      },
      async (context) => {
        const { control, operands, terminal } = context;
        const [id, ...settings] = operands;
        const document = dataOf(await control.GET("/_control/v1/openapi.json"));
        const operations = operationsIn(document as unknown as JsonObject);
        if (id !== undefined) return call(context, find(id, operations, context), settings);
        const data = [...operations.values()].map(({ id: operationId, method, path, summary }) => {
          return { operationId, method, path, summary };
        });
        const text = formatTable([...operations.values()], terminal, [
          { title: "operation", cell: (one) => one.id },
          { title: "what it does", cell: ({ summary }) => summary },
          { title: "arguments", cell: (one) => argumentsOf(one).join(" "), flexible: true },
        ]);
        return { data, text };
      },
    ),
  ],
};

type Schema = Readonly<{ properties?: Readonly<Record<string, JsonObject>>; required?: readonly string[] }>;

/** The arguments of an operation, optional ones in brackets. */
function argumentsOf(operation: DocumentedOperation): string[] {
  const { properties = {}, required = [] } = inputSchemaOf(operation) as Schema;
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `[${name}]`));
}

function find(
  id: string,
  operations: ReadonlyMap<string, DocumentedOperation>,
  { hint }: Pick<Context, "hint">,
): DocumentedOperation {
  const found = operations.get(id) ?? [...operations.values()].find((one) => one.id.toLowerCase() === id.toLowerCase());
  const command = found && withCommand[found.id];
  if (command !== undefined)
    throw new UsageError(`The response of ${id} is not JSON. Use the command: ${hint(command)}`);
  if (found !== undefined) return found;
  throw new UsageError(
    `Unknown operation "${id}".${suggestion(id, [...operations.keys()])} For all operations: ${hint("api")}`,
  );
}

async function call(
  { fetch, url, headers: own }: Context,
  operation: DocumentedOperation,
  settings: readonly string[],
) {
  const { id, method, path } = operation;
  const { body, ...parts } = requestPartsOf(operation, readArguments(operation, settings));
  const hasBody = operation.body !== undefined;
  const headers = { ...own, ...(hasBody && { "Content-Type": "application/json" }) };
  const init = { method, headers, ...(hasBody && { body: JSON.stringify(body) }) };
  const response = await fetch(new Request(url + addressOf(path, parts), init));
  const text = await response.text();
  const data: unknown = text === "" ? undefined : JSON.parse(text);
  if (!response.ok) throw new Error(`${id}: ${messageOf(data)}`);
  return data === undefined ? { data: {}, text: `${id} succeeded.` } : { data };
}

/** Parses NAME=VALUE by the schema of the operation. Throws UsageError that names the wrong argument. */
function readArguments(operation: DocumentedOperation, settings: readonly string[]): JsonObject {
  const { properties = {}, required = [] } = inputSchemaOf(operation) as Schema;
  // The fields of a record depend on its collection: then the server checks them.
  const isOpen = operation.body !== undefined && Object.keys(Object(operation.body.properties)).length === 0;
  const usage = argumentsOf(operation).join(" ");
  const given = settings.map((setting): [string, unknown] => {
    const [, name, text] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
    if (name === undefined || text === undefined)
      throw new UsageError(`api ${operation.id} ${setting}: must be NAME=VALUE. Arguments: ${usage || "none"}.`);
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined && !isOpen)
      throw new UsageError(
        `api ${operation.id}: unknown argument ${name}.${suggestion(name, Object.keys(properties))} Arguments: ${usage || "none"}.`,
      );
    return [name, schema?.type === "string" ? text : jsonOrText(text)];
  });
  const missing = required.filter((name) => !given.some(([one]) => one === name));
  if (missing.length > 0)
    throw new UsageError(`api ${operation.id}: ${missing.join(", ")} is missing. Arguments: ${usage}.`);
  return Object.fromEntries(given);
}
