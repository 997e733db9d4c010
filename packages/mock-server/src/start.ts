import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { demoSeed, type Fault, type Policies, type Seed } from "@call-transfer/backend";
import {
  type readArguments,
  readJson,
  readNumber,
  readPolicies,
  type startOptions,
  UsageError,
} from "./command-line.ts";
import { type ControlClient, createControlClient, dataOf } from "./control-client.ts";
import type { components } from "./control-types.gen.ts";
import { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";

/** The values of `start`'s options. */
type Values = ReturnType<typeof readArguments<typeof startOptions>>["values"];

type Snapshot = components["schemas"]["Snapshot"];

/** What `--json` and `--ready-file` say; the banner shows the same. */
interface Ready {
  readonly url: string;
  readonly apiKey: string;
  readonly accountId: string;
  /** An access token for each role that the account has, each good for a day. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly controlToken?: string;
}

const tokenLifetimeSecs = 86_400;

/** Starts a server as the options say, and prints what is needed to use it. Ends the process on a signal. */
export async function start(values: Values): Promise<void> {
  const server = await startMockServer(serverOptions(values));
  const control = createControlClient({ url: server.url, token: server.controlToken });
  const snapshotFile = values["export-on-exit"];
  onSignal(async () => {
    if (snapshotFile !== undefined) await exportSnapshot(control, snapshotFile);
    if (values["ready-file"] !== undefined) rmSync(values["ready-file"], { force: true });
    await server.close();
  });
  try {
    if (values.import !== undefined && existsSync(values.import)) await importSnapshot(control, values.import);
    const ready = await issueCredentials(server);
    if (server.controlToken !== undefined) console.error("Other machines can reach this server.");
    if (values["ready-file"] !== undefined) writeWhole(values["ready-file"], JSON.stringify(ready));
    console.log(values.json ? JSON.stringify(ready) : banner(ready));
  } catch (error) {
    await server.close();
    throw error;
  }
}

function serverOptions(values: Values): MockServerOptions {
  const { port = "4010", host, cors, clock, now, prng, policy = [], "forward-webhooks": forwardWebhooks } = values;
  if (clock !== undefined && clock !== "flowing" && clock !== "frozen")
    throw new UsageError("--clock must be flowing or frozen.");
  if (now !== undefined && Number.isNaN(Date.parse(now))) throw new UsageError("--now must be an ISO 8601 time.");
  if (forwardWebhooks !== undefined && !/^https?:$/.test(urlOf(forwardWebhooks)?.protocol ?? ""))
    throw new UsageError("--forward-webhooks must be an http or https URL.");
  for (const origin of cors ?? [])
    if (urlOf(origin)?.origin !== origin) throw new UsageError("--cors must be an origin, e.g. http://localhost:5173.");
  return {
    port: readNumber("--port", port, 65_535),
    seed: seedOf(values.seed),
    faults: plannedFaults(values),
    policies: readPolicies(policy) as Partial<Policies>,
    autoSandboxes: values["auto-sandboxes"],
    ...(host !== undefined && { host }),
    ...(values["allow-host"] && { allowedHosts: values["allow-host"] }),
    ...(cors && { corsOrigins: cors }),
    ...(clock !== undefined && { clock }),
    ...(now !== undefined && { now }),
    ...(prng !== undefined && { prng: readNumber("--prng", prng, 2 ** 31 - 1) }),
    ...(forwardWebhooks !== undefined && { forwardWebhooks }),
  };
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function seedOf(seed = "demo"): Seed {
  if (seed === "demo") return demoSeed;
  const content = readJson("--seed", seed);
  if (typeof content !== "object" || content === null) throw new UsageError(`--seed ${seed}: must be a JSON object.`);
  // Editors find the schema by this entry; the backend checks all others.
  const { $schema: _, ...records } = content as { $schema?: unknown } & Seed;
  const [account] = Array.isArray(records.accounts) ? records.accounts : [];
  // Part of the seed, so that the key in the banner is good after a reset, too.
  return records.apiKeys || !account ? records : { ...records, apiKeys: [{ accountId: account.id }] };
}

function plannedFaults({ fault, latency }: Values): Fault[] {
  const content = fault === undefined ? [] : readJson("--fault", fault);
  const planned = (Array.isArray(content) ? content : [content]) as Fault[];
  if (latency === undefined) return planned;
  return [...planned, { when: { times: null }, do: { latency: readNumber("--latency", latency, 600_000) } }];
}

async function importSnapshot(control: ControlClient, path: string): Promise<void> {
  const { error } = await control.PUT("/_control/v1/snapshot", { body: readJson("--import", path) as Snapshot });
  if (error !== undefined) throw new UsageError(`--import ${path}: ${error.error.message}`);
}

async function exportSnapshot(control: ControlClient, path: string): Promise<void> {
  writeWhole(path, JSON.stringify(dataOf(await control.GET("/_control/v1/snapshot")), null, 2));
}

/** Writes a file so that whoever waits for it never reads half of it. */
function writeWhole(path: string, content: string): void {
  writeFileSync(`${path}.part`, `${content}\n`, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

async function issueCredentials({ url, backend, controlToken }: MockServer): Promise<Ready> {
  const { state, keys } = backend;
  const accountId = state.accounts.keys().next().value ?? "";
  const owned = [...state.apiKeys.values()].find((key) => key.accountId === accountId && key.state === "valid");
  const tokens: Record<string, string> = {};
  for (const member of state.members.values())
    if (member.accountId === accountId)
      tokens[member.role] ??= await keys.issueToken({ userId: member.userId, expiresInSecs: tokenLifetimeSecs });
  const apiKey = owned?.key ?? (accountId === "" ? "" : keys.issueApiKey({ accountId }).key);
  return { url, apiKey, accountId, tokens, ...(controlToken !== undefined && { controlToken }) };
}

function banner({ url, apiKey, accountId, tokens, controlToken }: Ready): string {
  return [
    `The mock server listens on ${url}`,
    "",
    `API key (for servers):  ${apiKey}`,
    `Account:                ${accountId}`,
    "",
    "Access tokens (for browsers), good for a day, with the header X-Account-Id:",
    ...Object.entries(tokens).map(([role, token]) => `  ${role.padEnd(6)}  ${token}`),
    ...(controlToken === undefined ? [] : ["", `Control plane token:    ${controlToken}`]),
    "",
    `Try:   curl -H "Authorization: Bearer ${apiKey}" ${url}/api/v1/roles`,
    "Help:  call-transfer-mock --help",
    "Stop:  Ctrl-C",
  ].join("\n");
}

/** Ends well at the first signal, and at once at the second. */
function onSignal(stop: () => Promise<void>): void {
  let isStopping = false;
  const end = () => {
    if (isStopping) process.exit(130);
    isStopping = true;
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error instanceof Error ? error.message : String(error));
        process.exit(1);
      },
    );
  };
  process.on("SIGINT", end);
  process.on("SIGTERM", end);
}
