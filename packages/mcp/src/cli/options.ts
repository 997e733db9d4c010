// The command line as tables, and its reading. The release gate compares the tables with the last release.

import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { errorMessage } from "@call-transfer/backend/unstable";

/** The environment variables. The SDK gives the first two their names, the mock server the third. */
export const variables = {
  baseUrl: "CALL_TRANSFER_BASE_URL",
  apiKey: "CALL_TRANSFER_API_KEY",
  controlToken: "CALL_TRANSFER_CONTROL_TOKEN",
} as const;

/** The exit statuses. */
export const exitStatus = { success: 0, failure: 1, wrongCommandLine: 2, interrupted: 130, terminated: 143 } as const;

const text = { type: "string" } as const;
const flag = { type: "boolean", default: false } as const;

/** The options of the command. */
export const options = {
  "base-url": text,
  "account-id": text,
  "allow-insecure-http": flag,
  "allow-calls": flag,
  "allow-changes": flag,
  "secret-file": text,
  "mock-url": text,
  sandbox: text,
  help: flag,
  version: flag,
} satisfies ParseArgsOptionsConfig;

/** The text of `--help`. */
export const usage = `Usage: npx @call-transfer/mcp [options]

An MCP server on stdin and stdout: the operations of the call-transfer API as tools for an AI assistant.
Without options, the tools act on a mock of the platform in this process, with demo data and a clock that
stands still until a tool moves it. No real call is placed.

A running mock server:
  --mock-url URL           address of a mock server. ${variables.controlToken} is its control
                           token, if it requires one, and ${variables.apiKey} replaces the demo key
  --sandbox NAME           sandbox of the mock server (default: default)

A real platform, which needs the API key in ${variables.apiKey}:
  --base-url URL           address of the platform, without /api/v1. ${variables.baseUrl} does
                           the same
  --account-id ID          the tools act on this account only
  --allow-insecure-http    allow plain http to another machine, which exposes the API key
  --allow-calls            offer the tools that place calls. They ring real phones
  --allow-changes          offer the other tools that change something
  --secret-file FILE       append new signing secrets to this file, which only you can read. The
                           assistant never sees them. Tools that create one also need this option

  --help                   print this text
  --version                print the version

Exit status: 0 when the client has closed the connection, 1 if the server failed, 2 for a wrong command
line or a server that cannot be used.`;

const parsed = (args: readonly string[]) => parseArgs({ args: [...args], options }).values;
type Values = ReturnType<typeof parsed>;

/** A wrong command line. The message says how to fix it. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Options that only work with a real platform. */
const forPlatforms = ["account-id", "allow-insecure-http", "allow-calls", "allow-changes", "secret-file"] as const;

function read(args: readonly string[]): Values {
  try {
    return parsed(args);
  } catch (error) {
    // The argument may be a credential without its option, so the message does not repeat it.
    if ((error as { code?: unknown }).code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL")
      throw new UsageError("Unexpected argument. Write each value after its option, as in --base-url URL.");
    const [message = ""] = errorMessage(error).split(". ");
    throw new UsageError(`${message}. See --help for all options.`);
  }
}

/**
 * Reads the command line. An empty variable counts as absent. Returns `help` or `version` where that was asked for.
 *
 * @throws {UsageError} names the option and how to fix it, and never contains a credential.
 */
export function commandOptions(args: readonly string[], environment: Readonly<Record<string, string | undefined>>) {
  const values = read(args);
  if (values.help) return "help";
  if (values.version) return "version";
  const { "mock-url": mockUrl, sandbox } = values;
  if (mockUrl !== undefined && values["base-url"] !== undefined)
    throw new UsageError("--mock-url and --base-url cannot be combined. Pass one of them.");
  const fromEnvironment = (name: keyof typeof variables) => environment[variables[name]]?.trim() || undefined;
  const baseUrl = mockUrl === undefined ? (values["base-url"] ?? fromEnvironment("baseUrl")) : undefined;
  const misplaced = forPlatforms.find((name) => values[name] !== undefined && values[name] !== false);
  if (baseUrl === undefined && misplaced !== undefined)
    throw new UsageError(
      `--${misplaced} only works with a real platform. Set --base-url, or remove --${misplaced}: on a mock, everything is allowed.`,
    );
  if (sandbox !== undefined && mockUrl === undefined)
    throw new UsageError("--sandbox only works with a running mock server. Set --mock-url.");
  return {
    /** Address of a real platform; undefined for a mock. */
    baseUrl,
    /** Address of a running mock server. */
    mockUrl,
    sandbox,
    accountId: values["account-id"],
    allowInsecureHttp: values["allow-insecure-http"],
    allowCalls: values["allow-calls"],
    allowChanges: values["allow-changes"],
    secretFile: values["secret-file"],
    apiKey: fromEnvironment("apiKey"),
    controlToken: mockUrl === undefined ? undefined : fromEnvironment("controlToken"),
  };
}

/** The options of the command after checks. */
export type CommandOptions = Exclude<ReturnType<typeof commandOptions>, string>;
