import { errorMessage } from "@call-transfer/backend/unstable";
import type { Transport } from "@modelcontextprotocol/server";
import { type ServeStdioOptions, StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import description from "../../package.json" with { type: "json" };
import { serverFor } from "../server/create-mcp-server.ts";
import type { McpServerOptions } from "../server/options.ts";
import { openTarget, type Target } from "../server/target.ts";
import { type CommandOptions, commandOptions, exitStatus, usage, variables } from "./options.ts";
import { secretFile } from "./secret-file.ts";

/** The command's arguments, environment and streams; injectable for tests. */
export interface Shell {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  out(text: string): void;
  err(text: string): void;
  /** Stdin and stdout by default. */
  readonly transport?: Transport;
}

function targetOptions(given: CommandOptions): McpServerOptions {
  const { baseUrl, mockUrl, apiKey, controlToken, sandbox } = given;
  if (mockUrl !== undefined) return { mockServer: { url: mockUrl, apiKey, controlToken, sandbox } };
  if (baseUrl === undefined) return {};
  const { accountId, allowInsecureHttp, allowCalls, allowChanges } = given;
  return {
    platform: {
      client: { baseUrl, accountId, allowInsecureHttp },
      allowCalls,
      allowChanges,
      saveSecret: given.secretFile === undefined ? undefined : secretFile(given.secretFile),
    },
  };
}

/** Messages name the options of `createMcpServer` and of the SDK. These are the command's own words. */
const commandWords: readonly (readonly [RegExp, string])[] = [
  [/^apiKey or accessToken is required\..*/, `The API key is missing. Set ${variables.apiKey}.`],
  [/^baseUrl\b/, "--base-url"],
  [/\ballowInsecureHttp: true/, "--allow-insecure-http"],
  [/\bplatform\.client\.baseUrl\b/, "--base-url"],
  [/\bmockServer\.controlToken\b/, variables.controlToken],
  [/\bmockServer\.sandbox\b/, "--sandbox"],
  [/\bmockServer(?:\.url)?\b/g, "--mock-url"],
];

const inCommandWords = (message: string): string =>
  commandWords.reduce((text, [pattern, words]) => text.replace(pattern, words), message);

/** Runs the command until the client closes the connection. Returns the exit status. */
export async function main({ args, environment, out, err, transport }: Shell): Promise<number> {
  let target: Target;
  try {
    const given = commandOptions(args, environment);
    if (given === "help" || given === "version") {
      out(given === "help" ? usage : description.version);
      return exitStatus.success;
    }
    target = await openTarget(targetOptions(given));
  } catch (error) {
    const message = inCommandWords(errorMessage(error));
    err(`${message}\nFor all options: npx @call-transfer/mcp --help`);
    return exitStatus.wrongCommandLine;
  }
  // Stdout belongs to the protocol.
  err(`The tools act on ${target.name}. Waiting for an MCP client on stdin.`);
  return served(target, transport ?? new StdioServerTransport(), err);
}

/** Serves one connection until it is closed. */
function served(target: Target, transport: Transport, err: Shell["err"]): Promise<number> {
  return new Promise((resolve) => {
    const options: ServeStdioOptions = { transport, onerror: (error) => err(`MCP: ${error.message}`) };
    serveStdio(() => serverFor(target), options);
    const closed = transport.onclose;
    transport.onclose = () => {
      closed?.();
      resolve(exitStatus.success);
    };
  });
}
