import { bracketed, isWildcardAddress, unbracketed } from "../../net/urls.ts";
import { isJson, suggestion, UsageError } from "../values/command-line.ts";
import { fieldOf, type OptionValue, readConfigFile } from "./config-file.ts";
import type { OptionEntry, OptionTable } from "./option-entry.ts";
import { connectionOptions, settings, startOptions, variables } from "./options.ts";

/** A value from a variable or from the config file. `source` is how messages name its place. */
interface Setting {
  readonly value: OptionValue;
  readonly source: string;
}

/** The options of a command, completed by the settings. */
export interface Settled<Values> {
  readonly values: Values;
  /** Runs the command. An error that names an option names the variable or the field instead, if its value came from there. */
  readonly naming: <Result>(run: () => Promise<Result>) => Promise<Result>;
}

const prefix = "CALL_TRANSFER_MOCK_";

export function variableOf(setting: string): string {
  return setting === "control-token" ? variables.controlToken : prefix + setting.toUpperCase().replaceAll("-", "_");
}

/**
 * Completes the options of a command line: an option that is not given takes its value from the environment, then from
 * the config file. Throws UsageError for a wrong variable or field.
 */
export function withSettings<Values extends { readonly config?: string | undefined }>(
  values: Values,
  options: OptionTable,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settled<Values> {
  const found = readSettings(values.config, environment);
  const settled = { ...values };
  const sources = new Map<string, string>();
  for (const [name, { setting = name }] of Object.entries(options)) {
    const from = found.get(setting);
    const given: unknown = Reflect.get(values, name);
    // The parser sets flags to false that are not given.
    if (from === undefined || (given !== undefined && given !== false)) continue;
    Reflect.set(settled, name, from.value);
    sources.set(name, from.source);
  }
  return {
    values: settled,
    async naming(run) {
      try {
        return await run();
      } catch (error) {
        if (error instanceof Error) error.message = withSource(error.message, sources);
        throw error;
      }
    },
  };
}

/**
 * Completes the options with which a command finds a server. Without a URL, it is the address at which the settings start a
 * server on this machine.
 */
export function withConnectionSettings<Values extends Texts<"config" | "url">>(
  values: Values,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Settled<Values> {
  const { values: settled, naming } = withSettings(values, connectionOptions, environment);
  const start: Texts<"config" | "port" | "host" | "tls-cert"> = { config: values.config };
  const { port = "", host = "", "tls-cert": cert } = withSettings(start, startOptions, environment).values;
  if (settled.url !== undefined || !/^[1-9]\d*$/.test(port)) return { values: settled, naming };
  const address = isWildcardAddress(host) || host === "" ? startOptions.host.fallback : host;
  return {
    values: {
      ...settled,
      url: `${cert === undefined ? "http" : "https"}://${bracketed(unbracketed(address))}:${port}`,
    },
    naming,
  };
}

type Texts<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

function withSource(message: string, sources: ReadonlyMap<string, string>): string {
  return message.replace(/(?<![\w-])--([a-z][a-z-]*)(?![\w-])/g, (option, name: string) => sources.get(name) ?? option);
}

/** All settings by name. A variable hides a field of the config file. */
function readSettings(
  config: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, Setting> {
  const given = readEnvironment(environment);
  const fromVariable = given.get("config")?.value;
  const file =
    config === undefined && typeof fromVariable === "string"
      ? readConfigFile(variableOf("config"), fromVariable)
      : readConfigFile("--config", config);
  const fields = [...(file?.values ?? [])].map(
    ([name, value]) => [name, { value, source: `${file?.path}: ${fieldOf(name)}` }] as const,
  );
  return new Map([...fields, ...given]);
}

/** What Kubernetes sets in each container for a service with the name `call-transfer-mock`. */
const ofKubernetes = /^(?:SERVICE_(?:HOST|PORT)(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;

function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Map<string, Setting> {
  const names = new Map(Object.keys(settings).map((name) => [variableOf(name), name]));
  const found = new Map<string, Setting>();
  for (const [variable, text = ""] of Object.entries(environment)) {
    const name = names.get(variable);
    const facts = name === undefined ? undefined : settings[name];
    if (name === undefined || facts === undefined) {
      if (!variable.startsWith(prefix) || ofKubernetes.test(variable.slice(prefix.length))) continue;
      throw new UsageError(`Unknown variable ${variable}.${closest(variable, [...names.keys()])} Rename or remove it.`);
    }
    // Compose files pass a variable without a value as an empty one.
    if (text === "" || (name === "port" && text.startsWith("tcp://"))) continue;
    found.set(name, { value: optionValue(text, facts, variable), source: variable });
  }
  return found;
}

function closest(variable: string, known: readonly string[]): string {
  return variable.endsWith("_TOKEN") ? ` Did you mean ${variables.controlToken}?` : suggestion(variable, known);
}

const flags: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

function optionValue(text: string, { type, multiple, kind }: OptionEntry, variable: string): OptionValue {
  if (type === "boolean") {
    const flag = flags[text.toLowerCase()];
    if (flag === undefined) throw new UsageError(`${variable} ${text}: must be true, false, 1 or 0.`);
    return flag;
  }
  if (!multiple || isJson(text)) return multiple ? [text] : text;
  return text
    .split(kind === "faults" ? ";" : ",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
