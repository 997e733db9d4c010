import { existsSync } from "node:fs";
import { createBackend, type Fault, InputError, type Policies, type Seed } from "@call-transfer/backend";
import { demoSeed, parseFault, type ScenarioName } from "@call-transfer/backend/unstable";
import { type LogMode, logModes } from "../../log/server-log.ts";
import { isPublicUrl, unbracketed } from "../../net/urls.ts";
import type { UnknownOptions } from "../../server/forwarding-server.ts";
import { isHostPattern } from "../../server/hosts.ts";
import { highestPort, type MockServerOptions, readTarget } from "../../server/server-options.ts";
import { checkTls, type TlsOptions } from "../../server/tls.ts";
import type { OptionTable } from "../options/option-entry.ts";
import { startOptions } from "../options/options.ts";
import {
  isJson,
  isObject,
  type readArguments,
  readControlToken,
  readDuration,
  readJson,
  readJsonOrFile,
  readNumber,
  readOrigin,
  readPolicies,
  readRate,
  readText,
  readTime,
  readUrl,
  suggestion,
  UsageError,
} from "../values/command-line.ts";

export type StartValues = ReturnType<typeof readArguments<typeof startOptions>>["values"];

/** Refuses an option that Prism does not take. Throws UsageError that names the first one. */
export function expectTakenByPrism(values: Partial<StartValues>): void {
  const options: OptionTable = startOptions;
  const given = new Map(Object.entries(values).filter(([, value]) => value !== undefined && value !== false));
  const wrong = Object.keys(options).find((name) => {
    const { engines: takers = ["stateful"] } = options[name] ?? {};
    return given.has(name) && !takers.includes("prism");
  });
  if (wrong !== undefined)
    throw new UsageError(`--${wrong} does not work with --engine prism, which is stateless. Remove it.`);
}

/** More sandboxes than memory can hold. */
const mostSandboxes = 1_000_000;

/** Converts the command line's options. Throws UsageError that names the option, its file and the wrong field. */
export function serverOptions(values: StartValues): MockServerOptions {
  const { port, host, clock, "clock-rate": clockRate, "max-sandboxes": maxSandboxes } = startOptions;
  const { cors, now, "sandbox-idle": sandboxIdle, "forward-webhooks": forwardWebhooks } = values;
  const { "public-url": publicUrl, "control-token": controlToken, data, prng } = values;
  const clockMode = values.clock ?? clock.fallback;
  if (clockMode !== "flowing" && clockMode !== "frozen")
    throw new UsageError(`--clock ${clockMode}: must be flowing or frozen.`);
  if (values["read-only"] && data === undefined)
    throw new UsageError("--read-only requires --data with the file to read.");
  const seed = seedOf(values.seed);
  const ownPort = readNumber("--port", values.port ?? port.fallback, highestPort);
  if (forwardWebhooks !== undefined && isOwnAddress(forwardWebhooks, ownPort))
    throw new UsageError(
      `--forward-webhooks ${forwardWebhooks}: is the address of the mock server itself. Give the URL of your app's server.`,
    );
  return {
    port: ownPort,
    seed,
    faults: plannedFaults(values),
    ...(values.scenario && { scenarios: scenariosOf(values.scenario, seed) }),
    policies: policiesOf(values.policy),
    autoSandboxes: values["auto-sandboxes"],
    host: readHost(values.host ?? host.fallback),
    clock: clockMode,
    clockRate: readRate("--clock-rate", values["clock-rate"] ?? clockRate.fallback),
    maxSandboxes: readNumber("--max-sandboxes", values["max-sandboxes"] ?? maxSandboxes.fallback, mostSandboxes, 1),
    ...(values["allow-host"] && { allowedHosts: values["allow-host"].map(readName) }),
    ...(publicUrl !== undefined && { publicUrl: readPublicUrl(publicUrl) }),
    ...tlsOf(values),
    ...(controlToken !== undefined && { controlToken: readControlToken("--control-token", controlToken) }),
    ...(cors && { corsOrigins: cors.map((origin) => readOrigin("--cors", origin)) }),
    ...(now !== undefined && { now: readTime("--now", now) }),
    ...(prng !== undefined && { prng: readNumber("--prng", prng, 2 ** 31 - 1) }),
    ...(data !== undefined && { data, readOnly: values["read-only"] }),
    ...(sandboxIdle !== undefined && { sandboxIdleMs: readDuration("--sandbox-idle", sandboxIdle) }),
    ...(forwardWebhooks !== undefined && { forwardWebhooks: readUrl("--forward-webhooks", forwardWebhooks) }),
  };
}

/** Where to forward what nothing matches; undefined for nowhere. Throws UsageError that names the option. */
export function readUnknown({
  "unknown-to": url,
  "unknown-credentials": unknownCredentials,
}: StartValues): UnknownOptions | undefined {
  if (url === undefined && unknownCredentials)
    throw new UsageError("--unknown-credentials requires --unknown-to with the server to forward to.");
  if (url === undefined) return undefined;
  checked(`--unknown-to ${url}: `, /^unknownTo/, () => readTarget(url));
  return { unknownTo: url, unknownCredentials };
}

function isOwnAddress(text: string, port: number): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname) && Number(url.port) === port;
}

/** Reads how to log. `--json` prints one line for a program, so nothing follows it by default. */
export function logMode({ log, json }: Pick<StartValues, "log" | "json">): LogMode {
  if (log === undefined) return json ? "silent" : "pretty";
  const mode = logModes.find((one) => one === log);
  if (mode === undefined)
    throw new UsageError(`--log ${log}: must be one of ${logModes.join(", ")}.${suggestion(log, logModes)}`);
  return mode;
}

/** Reads the snapshot of `--import`, if the file exists. Throws UsageError that names the file and the wrong field. */
export function importedSnapshot(path: string | undefined): unknown {
  if (path === undefined || !existsSync(path)) return undefined;
  const snapshot = readJson("--import", path);
  checked(`--import ${path}: `, /^snapshot(\.|$)/, () => {
    // Only validates. Offers to ringing apps are sent by the server that is started later.
    const backend = createBackend({ seed: {}, fetch: async () => new Response() });
    backend.restore(snapshot);
    backend.close();
  });
  return snapshot;
}

/** Parses the address to bind; IPv6 with or without brackets. */
function readHost(host: string): string {
  const address = unbracketed(host);
  if (!/^[\w.:%-]+$/.test(address) || /^[^:]*:\d*$/.test(address))
    throw new UsageError(`--host ${host}: must be an address such as 127.0.0.1 or ::1. Set the port with --port.`);
  return address;
}

function readName(name: string): string {
  if (!isHostPattern(name))
    throw new UsageError(
      `--allow-host ${name}: must be a host name without a port, such as mock.test, *.mock.test or [fd00::1].`,
    );
  return name;
}

function tlsOf({ "tls-cert": certFile, "tls-key": keyFile }: StartValues): { tls?: TlsOptions } {
  if (certFile === undefined && keyFile === undefined) return {};
  if (keyFile === undefined) throw new UsageError(`--tls-cert ${certFile}: requires --tls-key with the private key.`);
  if (certFile === undefined) throw new UsageError(`--tls-key ${keyFile}: requires --tls-cert with the certificate.`);
  // What is not PEM, such as DER, is named as that.
  const tls = { cert: readText("--tls-cert", certFile, false), key: readText("--tls-key", keyFile, false) };
  try {
    checkTls(tls);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const place = error.field === "tls.cert" ? `--tls-cert ${certFile}` : `--tls-key ${keyFile}`;
    throw new UsageError(`${place}: ${error.explanation}.`);
  }
  return { tls };
}

function readPublicUrl(url: string): string {
  readUrl("--public-url", url);
  if (!isPublicUrl(url))
    throw new UsageError(`--public-url ${url}: must not have a query or a fragment. Remove everything from ? or # on.`);
  return url;
}

function seedOf(seed: string = startOptions.seed.fallback): Seed {
  if (seed === "demo") return demoSeed;
  const { content, place } = readJsonOrFile("--seed", seed);
  if (!isObject(content)) throw new UsageError(`${place}: must be a JSON object.`);
  // $schema is for editors; the backend checks all other fields.
  const { $schema: _, ...records } = content as { $schema?: unknown } & Seed;
  checked(`${place}: `, /^seed(\.|$)/, () => createBackend({ seed: records }));
  const [account] = records.accounts ?? [];
  const { apiKeys = [] } = records;
  const isUsable = apiKeys.some(({ accountId, state = "valid" }) => accountId === account?.id && state === "valid");
  // Added to the seed, so that the key in the banner still works after a reset, and after the next start.
  return isUsable || !account ? records : { ...records, apiKeys: [...apiKeys, { accountId: account.id }] };
}

function plannedFaults({ fault: given = [], latency }: StartValues): (Fault | string)[] {
  const planned = given.flatMap((value) =>
    isJson(value) || existsSync(value) || /\.json$/i.test(value) ? faultsIn(value) : faultOf(value),
  );
  if (latency === undefined) return planned;
  return [
    ...planned,
    { when: { times: null }, do: { latency: readNumber("--latency", latency, 600_000, 0, " of milliseconds") } },
  ];
}

function faultsIn(value: string): (Fault | string)[] {
  const { content, place } = readJsonOrFile("--fault", value);
  const planned = (Array.isArray(content) ? content : [content]) as (Fault | string)[];
  for (const [index, fault] of planned.entries()) {
    const prefix = place + (Array.isArray(content) ? `[${index}].` : ": ");
    checked(prefix, /^(fault|faults\[0\])(\.|$)/, () => createBackend({ seed: {}, faults: [fault] }));
  }
  return planned;
}

function faultOf(text: string): Fault {
  try {
    return parseFault(text);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const isName = /^\S+$/.test(text);
    throw new UsageError(
      `--fault ${text}: ${error.explanation}${isName ? " There is no file with this name either." : ""}`,
    );
  }
}

/** Checks names of scenarios, and that the seed has what they need. */
function scenariosOf(names: readonly string[], seed: Seed): ScenarioName[] {
  const known = names as ScenarioName[];
  for (const name of known)
    checked(`--scenario ${name}: `, /^scenarios\[0\]/, () => createBackend({ seed, scenarios: [name] }));
  return known;
}

function policiesOf(settings: readonly string[] = []): Partial<Policies> {
  const policies = readPolicies(settings) as Partial<Policies>;
  if (settings.length > 0) checked("--policy ", /^policies(\.|$)/, () => createBackend({ seed: {}, policies }));
  return policies;
}

/** Runs a check of the backend. Rewrites its errors: the field's `root` becomes the option and file in `prefix`. */
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
