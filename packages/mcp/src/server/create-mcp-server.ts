import { fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
import description from "../../package.json" with { type: "json" };
import type { JsonObject } from "../document/operations.ts";
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
 * @throws {OptionError | ConfigurationError} An option is invalid, or the mock server does not answer.
 */
export const createMcpServer = async (options?: McpServerOptions): Promise<McpServer> =>
  serverFor(await openTarget(options));

/** Creates a server for an open target, which several servers may share. */
export function serverFor(target: Target): McpServer {
  const { tools, leftOut } = operationTools(target);
  const instructions = instructionsOf(target, leftOut);
  const { version } = description;
  const server = new McpServer({ name: "call-transfer", title: "Call transfer", version }, { instructions });
  const describing = describingTool(target, leftOut);
  for (const tool of [describing, ...tools, ...(target.control ? controlTools(target.control) : [])])
    register(server, tool);
  return server;
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

function instructionsOf({ name, isMock }: Target, leftOut: readonly LeftOut[]): string {
  const lines = isMock
    ? [
        `The tools act on ${name}. No real call is placed.`,
        "A mock's clock may stand still: move it with mock_advanceClock. Find ids with mock_listRecords.",
      ]
    : [`The tools act on ${name}. Calls ring real phones and cost money.`];
  return [...lines, ...leftOut.map(howToAllow)].join("\n");
}

/** Clients may ignore instructions, so a tool returns the same. */
function describingTool(target: Target, leftOut: readonly LeftOut[]): Tool {
  const title = "What the tools act on";
  return {
    name: "describeServer",
    title,
    description:
      "Says whether the tools act on a mock or on the real platform, and how to allow tools that are not offered.",
    inputSchema: withoutArguments,
    annotations: { title, readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    call: async () =>
      dataResult({ isMock: target.isMock, instructions: instructionsOf(target, leftOut), notOffered: leftOut }),
  };
}
