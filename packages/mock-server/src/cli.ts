#!/usr/bin/env node
import { parseArgs } from "node:util";
import { demo, InputError } from "@call-transfer/backend";
import { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";

const help = `Usage: call-transfer-mock [start] [options]

Serves a mock of the call-transfer API.

Options:
  --port N          port to listen on, 0 for a free one (default 4010)
  --host ADDRESS    address to bind (default 127.0.0.1)
  --clock MODE      flowing or frozen (default flowing)
  --now TIME        ISO 8601 time at which the clock starts (default: the real time)
  --json            print one line of JSON with the address and credentials when ready
  --help            show this text`;

const options = {
  port: { type: "string" },
  host: { type: "string" },
  clock: { type: "string" },
  now: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** A mistake in how the command was called; ends it with status 2. */
class UsageError extends Error {}

/** What `--json` prints; the banner shows the same. */
interface Credentials {
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** An access token for each role, each good for a day. */
  readonly tokens: Readonly<Record<string, string>>;
}

await main().catch((error: unknown) => {
  const isUsage = error instanceof UsageError || error instanceof InputError;
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = isUsage ? 2 : 1;
});

async function main(): Promise<void> {
  const values = readArguments();
  if (values.help) return console.log(help);
  const server = await startMockServer(serverOptions(values));
  const credentials = await issueCredentials(server);
  console.log(values.json ? JSON.stringify(credentials) : banner(credentials));
  const stop = () => {
    void server.close().then(() => process.exit(0));
  };
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
}

function readArguments() {
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const [command = "start", ...others] = positionals;
    if (command !== "start" || others.length > 0)
      throw new UsageError(`Unknown command: ${positionals.join(" ")}. Run call-transfer-mock --help.`);
    return values;
  } catch (error) {
    if (error instanceof UsageError || !(error instanceof Error)) throw error;
    throw new UsageError(`${error.message}. Run call-transfer-mock --help.`);
  }
}

function serverOptions({ port, host, clock, now }: ReturnType<typeof readArguments>): MockServerOptions {
  const portNumber = Number(port ?? 4010);
  if (!/^\d+$/.test(port ?? "4010") || portNumber > 65_535)
    throw new UsageError("--port must be a number, 0 to 65535.");
  if (clock !== undefined && clock !== "flowing" && clock !== "frozen")
    throw new UsageError("--clock must be flowing or frozen.");
  if (now !== undefined && Number.isNaN(Date.parse(now))) throw new UsageError("--now must be an ISO 8601 time.");
  return { port: portNumber, ...(host && { host }), ...(clock && { clock }), ...(now && { now }) };
}

async function issueCredentials({ url, backend }: MockServer): Promise<Credentials> {
  const tokens: Record<string, string> = {};
  for (const { role, accountId, userId } of backend.state.members.values())
    if (accountId === demo.accountId) tokens[role] ??= await backend.keys.issueToken({ userId, expiresInSecs: 86_400 });
  return { url, apiKey: demo.apiKey, accountId: demo.accountId, tokens };
}

function banner({ url, apiKey, accountId, tokens }: Credentials): string {
  return [
    `The mock server listens on ${url}`,
    "",
    `API key (owner): ${apiKey}`,
    "",
    `Access tokens, good for a day, with the header X-Account-Id: ${accountId}`,
    ...Object.entries(tokens).map(([role, token]) => `  ${role.padEnd(6)}  ${token}`),
    "",
    `Try:  curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`,
    "Stop with Ctrl-C.",
  ].join("\n");
}
