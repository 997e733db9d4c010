// What the options of `start` mean for the server.
import { existsSync } from "node:fs";
import {
  type BackendOptions,
  createBackend,
  type Fault,
  InputError,
  type Policies,
  type Seed,
} from "@call-transfer/backend";
import { demoSeed, type ScenarioName } from "@call-transfer/backend/unstable";
import { unbracketed } from "../net/urls.ts";
import type { FallbackOptions } from "../server/forward.ts";
import { checkServerOptions, type MockServerOptions, readTarget } from "../server/server-options.ts";
import type { TlsOptions } from "../server/tls.ts";
import { flagOf, type OptionTable, startOptions, type Values } from "./options.ts";
import type { Settled } from "./settings.ts";
import { isJson, isObject, readJson, readJsonOrFile, readText, UsageError } from "./values.ts";

export type StartSettings = Settled<typeof startOptions>;
type StartValues = Values<typeof startOptions>;

/** Refuses an option that Prism does not take. Throws UsageError that names the first one. */
export function expectTakenByPrism({ given }: Pick<StartSettings, "given">): void {
  const options: OptionTable = startOptions;
  const wrong = [...given].find(([name, value]) => value !== false && !options[name]?.ofPrism);
  if (wrong !== undefined)
    throw new UsageError(`${flagOf(wrong[0])} does not work with --prism, which is stateless. Remove it.`);
}

/** How messages name the options: by the field that a check of the library names, the option and what was given. */
type Places = Record<string, string>;

/** Converts the options of the command line. Throws UsageError that names the option, its file and the wrong field. */
export function serverOptions(values: StartValues): MockServerOptions {
  const { port, autoSandboxes, maxSandboxes, publicUrl, allowHost, controlToken, corsOrigin, dataFile } = values;
  const { now, randomSeed, forwardWebhooksTo, forwardHeader = [], scenario, policy = [] } = values;
  const places: Places = {
    ...{ now: `--now ${now}`, controlToken: "--control-token", publicUrl: `--public-url ${publicUrl}` },
    ...{ "tls.cert": `--tls-cert ${values.tlsCert}`, "tls.key": `--tls-key ${values.tlsKey}` },
    forwardHeaders: "--forward-header",
  };
  const named = (field: string, flag: string, texts: readonly string[] = []) => {
    for (const [index, text] of texts.entries()) places[`${field}[${index}]`] = `${flag} ${text}`;
    return texts;
  };
  const seed = seedOf(values.seed, places);
  const backend: BackendOptions = {
    ...{ seed, clockMode: values.clock, clockRate: values.clockRate, faults: faultsOf(values, places) },
    policies: Object.fromEntries(policy) as Partial<Policies>,
    ...(scenario && { scenarios: named("scenarios", "--scenario", scenario) as ScenarioName[] }),
    ...(now !== undefined && { now }),
    ...(randomSeed !== undefined && { randomSeed }),
    ...(forwardWebhooksTo !== undefined && { forwardWebhooksTo, forwardHeaders: Object.fromEntries(forwardHeader) }),
  };
  const options: MockServerOptions = {
    ...backend,
    ...{ port, host: readHost(values.host), autoSandboxes, maxSandboxes, ...tlsOf(values) },
    ...(allowHost && { allowedHosts: named("allowedHosts", "--allow-host", allowHost) }),
    ...(corsOrigin && { corsOrigins: named("corsOrigins", "--cors-origin", corsOrigin) }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(controlToken !== undefined && { controlToken }),
    ...(dataFile !== undefined && { dataFile }),
  };
  if (forwardHeader.length > 0 && forwardWebhooksTo === undefined)
    throw new UsageError("--forward-header requires --forward-webhooks-to with the URL that gets it.");
  checked(places, () => checkServerOptions(options));
  // Before the file of --data-file is opened, and before the port is bound. The demo data needs no check.
  const isOwn = values.seed !== "demo" || forwardHeader.length > 0;
  if (isOwn || values.fault || values.latency || scenario || values.policy)
    checked(places, () => createBackend({ ...backend, ...onlyChecks }).close());
  return options;
}

/** Of a backend that is created to check its options: it sends nothing, and no time passes. */
const onlyChecks: BackendOptions = { clockMode: "frozen", fetch: async () => new Response() };

/** Runs a check of the library, and rewrites its errors: they name the option, and the field in its file. Throws UsageError. */
function checked(places: Places, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { field, explanation } = error;
    const sentence = /[.?]$/.test(explanation) ? explanation : `${explanation}.`;
    const [root] = Object.keys(places)
      .filter(
        (name) => name === "" || field === name || (field.startsWith(name) && /[.[]/.test(field.charAt(name.length))),
      )
      .toSorted((one, other) => other.length - one.length);
    if (root === undefined)
      throw new UsageError(`${field.replace(/^policies\.?/, "--policy ")}: ${sentence}`, { cause: error });
    const rest = field.slice(root.length).replace(/^\./, "");
    const place = places[root] ?? "";
    // A part of a list in a file: `--fault faults.json[1].do.code`.
    const joint = rest === "" ? "" : /\]$/.test(place) ? "." : ": ";
    throw new UsageError(`${withoutPassword(place)}${joint}${rest}: ${sentence}`, { cause: error });
  }
}

const withoutPassword = (place: string): string => place.replace(/^(\S+) .*:\/\/[^/]*@.*$/, "$1");

/** Where to forward what nothing matches; undefined for nowhere. Throws UsageError that names the option. */
export function fallbackOf({ fallbackUrl, forwardCredentials }: StartValues): FallbackOptions | undefined {
  if (fallbackUrl === undefined && forwardCredentials)
    throw new UsageError("--forward-credentials requires --fallback-url with the server to forward to.");
  if (fallbackUrl === undefined) return undefined;
  checked({ fallbackUrl: `--fallback-url ${fallbackUrl}` }, () => readTarget(fallbackUrl));
  return { fallbackUrl, forwardCredentials };
}

/** Reads the snapshot of `--import`, if the file exists. Throws UsageError that names the file and the wrong field. */
export function importedSnapshot(path: string | undefined): unknown {
  if (path === undefined || !existsSync(path)) return undefined;
  const snapshot = readJson("--import", path);
  checked({ "": `--import ${path}`, snapshot: `--import ${path}` }, () => {
    // Offers to ringing apps are sent by the server that is started later.
    const backend = createBackend({ seed: {}, ...onlyChecks });
    backend.restore(snapshot);
    backend.close();
  });
  return snapshot;
}

/** Reads the address to bind; IPv6 with or without brackets. */
function readHost(host: string): string {
  const address = unbracketed(host);
  if (!/^[\w.:%-]+$/.test(address) || /^[^:]*:\d*$/.test(address))
    throw new UsageError(`--host ${host}: must be an address such as 127.0.0.1 or ::1. Set the port with --port.`);
  return address;
}

function tlsOf({ tlsCert: cert, tlsKey: key }: StartValues): { tls?: TlsOptions } {
  if (cert === undefined && key === undefined) return {};
  if (key === undefined) throw new UsageError(`--tls-cert ${cert}: requires --tls-key with the private key.`);
  if (cert === undefined) throw new UsageError(`--tls-key ${key}: requires --tls-cert with the certificate.`);
  return { tls: { cert: readText("--tls-cert", cert), key: readText("--tls-key", key) } };
}

function seedOf(text: string, places: Places): Seed {
  if (text === "demo") return demoSeed;
  const { content, place } = readJsonOrFile("--seed", text);
  places.seed = place;
  if (!isObject(content)) throw new UsageError(`${place}: must be a JSON object.`);
  // $schema is for editors; the backend checks all other fields.
  const { $schema: _, ...records } = content as { $schema?: unknown } & Seed;
  const { apiKeys = [], accounts } = records;
  const account = Array.isArray(accounts) ? accounts[0] : undefined;
  if (!Array.isArray(apiKeys) || !isObject(account)) return records;
  const isUsable = apiKeys.some((key) => key?.accountId === account.id && (key?.state ?? "valid") === "valid");
  // Added to the seed, so that the key in the banner still works after a reset, and after the next start.
  return isUsable ? records : { ...records, apiKeys: [...apiKeys, { accountId: account.id }] };
}

/** The faults of all options, from texts and from files. */
function faultsOf({ fault: given = [], latency }: StartValues, places: Places): (Fault | string)[] {
  const faults: (Fault | string)[] = [];
  const add = (fault: Fault | string, place: string): void => {
    places[`faults[${faults.length}]`] = place;
    faults.push(fault);
  };
  for (const text of given) {
    if (!isJson(text) && !existsSync(text) && !/\.json$/i.test(text)) {
      add(text, `--fault ${text}`);
      continue;
    }
    const { content, place } = readJsonOrFile("--fault", text);
    const list = Array.isArray(content) ? (content as (Fault | string)[]) : undefined;
    for (const [index, fault] of (list ?? []).entries()) add(fault, `${place}[${index}]`);
    if (list === undefined) add(content as Fault, place);
  }
  if (latency !== undefined) add({ when: { times: null }, do: { latencyMs: latency } }, "--latency");
  return faults;
}
