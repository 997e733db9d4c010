import { existsSync } from "node:fs";
import { createBackend, demoSeed, type Fault, InputError, type Policies, type Seed } from "@call-transfer/backend";
import { unbracketed } from "../server/gate.ts";
import type { MockServerOptions } from "../server/server.ts";
import { highestPort } from "../server/server-options.ts";
import {
  type readArguments,
  readDuration,
  readJson,
  readNumber,
  readOrigin,
  readPolicies,
  readTime,
  readUrl,
  type startOptions,
  UsageError,
} from "./command-line.ts";

/** The values of `start`'s options. */
export type StartValues = ReturnType<typeof readArguments<typeof startOptions>>["values"];

/** More than memory holds. */
const mostSandboxes = 1_000_000;

/** The server that the options ask for. Throws UsageError that names the option, its file and the field at fault. */
export function serverOptions(values: StartValues): MockServerOptions {
  const { port = "4010", host, cors, clock, now, prng, "forward-webhooks": forwardWebhooks } = values;
  const { "max-sandboxes": maxSandboxes, "sandbox-idle": sandboxIdle } = values;
  if (clock !== undefined && clock !== "flowing" && clock !== "frozen")
    throw new UsageError(`--clock ${clock}: must be flowing or frozen.`);
  return {
    port: readNumber("--port", port, highestPort),
    seed: seedOf(values.seed),
    faults: plannedFaults(values),
    policies: policiesOf(values.policy),
    autoSandboxes: values["auto-sandboxes"],
    ...(host !== undefined && { host: readHost(host) }),
    ...(values["allow-host"] && { allowedHosts: values["allow-host"].map(readName) }),
    ...(cors && { corsOrigins: cors.map((origin) => readOrigin("--cors", origin)) }),
    ...(clock !== undefined && { clock }),
    ...(now !== undefined && { now: readTime("--now", now) }),
    ...(prng !== undefined && { prng: readNumber("--prng", prng, 2 ** 31 - 1) }),
    ...(maxSandboxes !== undefined && { maxSandboxes: readNumber("--max-sandboxes", maxSandboxes, mostSandboxes, 1) }),
    ...(sandboxIdle !== undefined && { sandboxIdleMs: readDuration("--sandbox-idle", sandboxIdle) }),
    ...(forwardWebhooks !== undefined && { forwardWebhooks: readUrl("--forward-webhooks", forwardWebhooks) }),
  };
}

/** The snapshot to go on from, if there is one by now. Throws UsageError that names the file and the field at fault. */
export function importedSnapshot(path: string | undefined): unknown {
  if (path === undefined || !existsSync(path)) return undefined;
  const snapshot = readJson("--import", path);
  checked(`--import ${path}: `, /^snapshot(\.|$)/, () => {
    // Only looked at: the apps that ring in it hear from the server that goes on.
    const backend = createBackend({ seed: {}, fetch: async () => new Response() });
    backend.restore(snapshot);
    backend.close();
  });
  return snapshot;
}

/** An address to bind, for which IPv6 may stand in brackets as it does in a URL. */
function readHost(host: string): string {
  const address = unbracketed(host);
  if (!/^[\w.:%-]+$/.test(address) || /^[^:]*:\d*$/.test(address))
    throw new UsageError(`--host ${host}: must be an address such as 127.0.0.1 or ::1; the port is for --port.`);
  return address;
}

function readName(name: string): string {
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(name))
    throw new UsageError(`--allow-host ${name}: must be a host name alone, such as mock.test or [fd00::1].`);
  return name;
}

function seedOf(seed = "demo"): Seed {
  if (seed === "demo") return demoSeed;
  const content = readJson("--seed", seed);
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new UsageError(`--seed ${seed}: must be a JSON object.`);
  // Editors find the schema by this entry; the backend checks all others.
  const { $schema: _, ...records } = content as { $schema?: unknown } & Seed;
  checked(`--seed ${seed}: `, /^seed(\.|$)/, () => createBackend({ seed: records }));
  const [account] = records.accounts ?? [];
  // Part of the seed, so that the key in the banner is good after a reset, too.
  return records.apiKeys || !account ? records : { ...records, apiKeys: [{ accountId: account.id }] };
}

function plannedFaults({ fault: path, latency }: StartValues): Fault[] {
  const content = path === undefined ? [] : readJson("--fault", path);
  const planned = (Array.isArray(content) ? content : [content]) as Fault[];
  for (const [index, fault] of planned.entries()) {
    const place = Array.isArray(content) ? `[${index}].` : ": ";
    checked(`--fault ${path}${place}`, /^(fault|faults\[0\])(\.|$)/, () =>
      createBackend({ seed: {}, faults: [fault] }),
    );
  }
  if (latency === undefined) return planned;
  return [...planned, { when: { times: null }, do: { latency: readNumber("--latency", latency, 600_000) } }];
}

function policiesOf(settings: readonly string[] = []): Partial<Policies> {
  const policies = readPolicies(settings) as Partial<Policies>;
  if (settings.length > 0) checked("--policy ", /^policies(\.|$)/, () => createBackend({ seed: {}, policies }));
  return policies;
}

/** Lets the backend check something, and names what it finds by where the user wrote it: `prefix`, without the `root`. */
function checked(prefix: string, root: RegExp, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field, explanation } = error;
    const place = field.replace(root, "");
    throw new UsageError(`${place === "" ? prefix.replace(/(\.|: )$/, "") : prefix + place}: ${explanation}`);
  }
}
