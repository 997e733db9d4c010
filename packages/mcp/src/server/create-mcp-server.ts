import type { JsonObject } from "@call-transfer/backend/unstable";
import { fromJsonSchema, McpServer, ResourceNotFoundError, ResourceTemplate } from "@modelcontextprotocol/server";
import description from "../../package.json" with { type: "json" };
import {
  codeNames,
  codesUri,
  codeText,
  codeUri,
  documentUri,
  type Guide,
  guideUri,
  ownGuides,
  readables,
} from "../resources/resources.ts";
import { controlTools } from "../tools/control-tools.ts";
import { type LeftOut, operationTools } from "../tools/operation-tools.ts";
import { dataResult, type Tool, withoutArguments } from "../tools/tool.ts";
import type { McpServerOptions } from "./options.ts";
import { openTarget, type Target } from "./target.ts";

/**
 * Creates an MCP server with the operations of the API as tools. Connect it to a transport of
 * `@modelcontextprotocol/server`.
 *
 * Without options, the tools act on a new backend with the demo data, whose clock stands still. On a backend and on a mock
 * server there are more tools, which move time, add faults, show requests, and answer transfers.
 *
 * @throws {ConfigurationError} (of `@call-transfer/sdk`) An option is invalid, or the mock server does not answer.
 */
export const createMcpServer = async (options?: McpServerOptions): Promise<McpServer> =>
  serverFor(await openTarget(options));

/** Creates a server for an open target, which several servers may share. */
export function serverFor(target: Target, guides: readonly Guide[] = ownGuides()): McpServer {
  const { tools, leftOut } = operationTools(target);
  const instructions = instructionsOf(target, leftOut, guides);
  const { version } = description;
  const server = new McpServer({ name: "call-transfer", title: "Call transfer", version }, { instructions });
  const describing = describingTool(target, leftOut, instructions);
  for (const tool of [describing, ...tools, ...(target.control ? controlTools(target.control) : [])])
    register(server, tool);
  offerReading(server, guides);
  return server;
}

/** Offers guides, error codes and the document as resources. */
function offerReading(server: McpServer, guides: readonly Guide[]): void {
  for (const { name, uri, text, ...shown } of readables(guides))
    server.registerResource(name, uri, shown, () => ({ contents: [{ uri, mimeType: shown.mimeType, text: text() }] }));
  const complete = { code: (start: string) => codeNames.filter((name) => name.startsWith(start)) };
  const template = new ResourceTemplate(codeUri, { list: undefined, complete });
  const mimeType = "text/markdown";
  const shown = {
    title: "Error code",
    description: "What an error code means, and which operations return it.",
    mimeType,
  };
  server.registerResource("error", template, shown, ({ href: uri }, { code }) => {
    const text = codeText(String(code));
    if (text !== undefined) return { contents: [{ uri, mimeType, text }] };
    throw new ResourceNotFoundError(uri, `Unknown error code ${code}. Read ${codesUri} for all of them.`);
  });
}

function register(server: McpServer, { name, call, inputSchema, outputSchema, ...shown }: Tool): void {
  const input = namingUnknown(inputSchema);
  const output = outputSchema && { outputSchema: fromJsonSchema(outputSchema) };
  server.registerTool(name, { ...shown, ...output, inputSchema: input }, (given, { mcpReq }) =>
    call(given, mcpReq.signal),
  );
}

/** The schema, whose own error would not name an unknown argument. */
function namingUnknown(inputSchema: JsonObject): ReturnType<typeof fromJsonSchema<JsonObject>> {
  const schema = fromJsonSchema<JsonObject>(inputSchema);
  const { validate, ...standard } = schema["~standard"];
  const known = Object.keys(Object(inputSchema.properties));
  return {
    "~standard": {
      ...standard,
      validate(given) {
        const unknown = Object.keys(Object(given)).filter((name) => !known.includes(name));
        if (unknown.length === 0) return validate(given);
        const advice = known.length === 0 ? "It takes none." : `Use ${known.join(", ")}.`;
        return { issues: [{ message: `The tool has no argument ${unknown.join(", ")}. ${advice}` }] };
      },
    },
  };
}

const howToAllow = ({ name, requires }: LeftOut): string =>
  `${name} is not offered. The user can allow it by starting this server with ${requires.join(" and ")}.`;

/** What to use for what. Names of guides that the package does not carry are left out. */
function instructionsOf({ name, isMock }: Target, leftOut: readonly LeftOut[], guides: readonly Guide[]): string {
  const guide = (wanted: string, use: string): string[] =>
    guides.some((other) => other.name === wanted) ? [`${use} ${guideUri(wanted)}.`] : [];
  const lines = isMock
    ? [
        `The tools act on ${name}. No real call is placed.`,
        "Find ids with mock_list_records. A mock's clock may stand still: move it with mock_advance_clock.",
        "To see what a program sent, use mock_list_requests. To make requests fail, use mock_add_fault. To ring people and apps, use mock_start_transfer.",
      ]
    : [`The tools act on ${name}. Calls ring real phones and cost money.`, "Ask the user for ids that no tool lists."];
  return [
    ...lines,
    "If the outcome of create_call is unknown, do not call it again: the call may have been placed. Let the user decide.",
    ...guide("sdk", "Before you write a program that calls the API, read"),
    ...guide("placing-calls", "Before it places calls, read"),
    ...guide("webhooks", "Before it receives webhooks, read"),
    ...guide("testing", "For its tests, read"),
    ...(guides.length > 0 ? ["The list of resources has a guide for each other subject."] : []),
    `An error names a code: ${codeUri} says what it means, and ${codesUri} lists all. For exact fields and limits, read ${documentUri}.`,
    ...leftOut.map(howToAllow),
  ].join("\n");
}

/** Clients may ignore instructions, so a tool returns the same. */
function describingTool({ isMock }: Target, leftOut: readonly LeftOut[], instructions: string): Tool {
  const title = "What the tools act on";
  return {
    name: "describe_server",
    title,
    description:
      "Says whether the tools act on a mock or on the real platform, and how to allow tools that are not offered.",
    inputSchema: withoutArguments,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () => dataResult({ isMock, instructions, notOffered: leftOut }),
  };
}
