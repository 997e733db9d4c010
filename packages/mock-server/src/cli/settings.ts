// Where the values of options come from: the command line, then the environment, then the config file, then the defaults.
import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { bracketed, isWildcardAddress, unbracketed } from "../net/urls.ts";
import { flagOf, type OptionRow, type OptionTable, settings, startOptions, type Values, variables } from "./options.ts";
import { isJson, isObject, readText, suggestion, UsageError } from "./values.ts";

/** A value as the command line has it: the text, all texts of an option that repeats, or whether a flag is there. */
export type RawValue = string | boolean | readonly string[];
export type RawValues = Readonly<Record<string, RawValue | undefined>>;

/** The values of a command's options, wherever they come from. */
export interface Settled<Table extends OptionTable> {
  readonly values: Values<Table>;
  /** The texts that were given, by option: the defaults are not among them. */
  readonly given: ReadonlyMap<string, RawValue>;
  /** A message that names an option names the variable or the field instead, if its value came from there. */
  rename(message: string): string;
}

type Environment = Readonly<Record<string, string | undefined>>;
type Sourced = ReadonlyMap<string, { readonly value: RawValue; readonly source: string }>;

const prefix = "CALL_TRANSFER_MOCK_";

/** The config file that is read from the working folder. */
export const defaultConfigFile = "call-transfer-mock.json";

/** The form of a variable: CALL_TRANSFER_MOCK_DATA_FILE for `dataFile`. */
function variableOf(name: string): string {
  if (name === "controlToken") return variables.controlToken;
  return prefix + flagOf(name).slice(2).toUpperCase().replaceAll("-", "_");
}

/** The options that a variable sets, by the variable. */
export const settingVariables: ReadonlyMap<string, string> = new Map(
  Object.entries(settings).flatMap(([name, { inEnvironment }]) => (inEnvironment ? [[variableOf(name), name]] : [])),
);

/**
 * Completes the options of a command line: an option that is not given takes its value from the environment, then from
 * the config file. Throws UsageError for a wrong value, variable or field.
 */
export function settle<const Table extends OptionTable>(
  table: Table,
  raw: RawValues,
  env: Environment = process.env,
): Settled<Table> {
  const { given, places } = gather(table, raw, env);
  const read = ([name, row]: [string, OptionRow]): [string, unknown] => {
    const place = places.get(flagOf(name)) ?? flagOf(name);
    const one = (text: string): unknown => (row.read === undefined ? text : row.read(place, text));
    const value = given.get(name) ?? row.fallback;
    if (row.value === undefined) return [name, value === true];
    if (Array.isArray(value)) return [name, value.map(one)];
    return [name, typeof value === "string" ? one(value) : undefined];
  };
  return {
    values: Object.fromEntries(Object.entries(table).map(read)) as Values<Table>,
    given,
    rename: (message) => message.replace(/(?<![\w-])--[a-z][a-z-]*(?![\w-])/g, (flag) => places.get(flag) ?? flag),
  };
}

/** What is given for the options of a table, and how messages name its place, by the flag, unless it is the command line. */
export function gather(table: OptionTable, raw: RawValues, env: Environment = process.env) {
  const found: Sourced = Object.hasOwn(table, "config") ? readSettings(raw.config, env) : new Map();
  const given = new Map<string, RawValue>();
  const places = new Map<string, string>();
  for (const name of Object.keys(table)) {
    // Whether a command prints JSON is not a matter of the server's settings.
    const from = name === "json" && table !== startOptions ? undefined : found.get(name);
    const value = raw[name] ?? from?.value;
    if (value !== undefined) given.set(name, value);
    if (raw[name] === undefined && from !== undefined) places.set(flagOf(name), from.source);
  }
  return { given, places };
}

/** The address at which the settings start a server on this machine; undefined if they name no port. */
export function addressInSettings(config: RawValue | undefined, env: Environment = process.env): string | undefined {
  const { given } = gather(startOptions, { config }, env);
  const [port, host = "", cert] = ["port", "host", "tlsCert"].map((name) => given.get(name));
  if (!/^[1-9]\d*$/.test(String(port))) return undefined;
  const address = host === "" || isWildcardAddress(String(host)) ? startOptions.host.fallback : String(host);
  return `${cert === undefined ? "http" : "https"}://${bracketed(unbracketed(address))}:${port}`;
}

/** All settings by option. A variable hides a field of the config file. */
function readSettings(config: RawValue | undefined, env: Environment): Sourced {
  const given = readEnvironment(env);
  const fromVariable = given.get("config")?.value;
  const isVariable = config === undefined && fromVariable !== undefined;
  const file = isVariable
    ? readConfigFile(variableOf("config"), String(fromVariable))
    : readConfigFile("--config", config?.toString());
  return new Map([...file, ...given]);
}

/** What Kubernetes sets in each container for a service with the name `call-transfer-mock`. */
const ofKubernetes = /^(?:SERVICE_(?:HOST|PORT)(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;

function readEnvironment(env: Environment): Sourced {
  const found = new Map<string, { value: RawValue; source: string }>();
  for (const [variable, text = ""] of Object.entries(env)) {
    const name = settingVariables.get(variable);
    const row = name === undefined ? undefined : settings[name];
    if (name === undefined || row === undefined) {
      if (!variable.startsWith(prefix) || ofKubernetes.test(variable.slice(prefix.length))) continue;
      throw new UsageError(`Unknown variable ${variable}.${adviceOn(variable)}`);
    }
    // Compose files pass a variable without a value as an empty one.
    if (text === "" || (name === "port" && text.startsWith("tcp://"))) continue;
    found.set(name, { value: valueOfVariable(text, row, variable), source: variable });
  }
  return found;
}

/** What to do about an unknown variable: sentences. */
function adviceOn(variable: string): string {
  const option = Object.keys(settings).find((name) => variableOf(name) === variable);
  if (option !== undefined) return ` Use ${flagOf(option)}, or "${option}" in the config file.`;
  const isToken = variable.endsWith("_TOKEN");
  const meant = isToken
    ? ` Did you mean ${variables.controlToken}?`
    : suggestion(variable, [...settingVariables.keys()]);
  return `${meant} Rename or remove it.`;
}

const flags: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

function valueOfVariable(text: string, { value, repeats, kind }: OptionRow, variable: string): RawValue {
  if (value === undefined) {
    const flag = flags[text.toLowerCase()];
    if (flag === undefined) throw new UsageError(`${variable} ${text}: must be true, false, 1 or 0.`);
    return flag;
  }
  if (!repeats || isJson(text)) return repeats ? [text] : text;
  return text
    .split(kind === "faults" ? ";" : ",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/**
 * Reads the config file: the given one, which must exist, or else the default one. Throws UsageError that names the file
 * and the wrong field. No message repeats a value, because the file may contain a secret.
 */
export function readConfigFile(option: string, given: string | undefined): Sourced {
  const path = given ?? defaultConfigFile;
  if (given === undefined && !existsSync(path)) return new Map();
  const content = parsedConfig(path, given === undefined ? path : `${option} ${path}`, option);
  if (!isObject(content)) throw new UsageError(`${path}: must be a JSON object.`);
  const { config: _, ...rows } = settings;
  const values = new Map<string, { value: RawValue; source: string }>();
  for (const [field, value] of Object.entries(content)) {
    if (field === "$schema") continue;
    const row = Object.hasOwn(rows, field) ? rows[field] : undefined;
    const source = `${path}: ${field}`;
    if (row === undefined) throw new UsageError(`${source}: is not a setting.${suggestion(field, Object.keys(rows))}`);
    values.set(field, { value: valueOfField(value, row, source, dirname(path)), source });
  }
  return values;
}

function parsedConfig(path: string, place: string, option: string): unknown {
  const text = readText(option, path);
  try {
    return JSON.parse(text);
  } catch (error) {
    // Node quotes the text around the mistake, which may be a secret.
    const reason = (error as Error).message.replace(/, (?:\.{3})?".*"(?:\.{3})? is not valid JSON$/s, "");
    throw new UsageError(`${place}: not valid JSON: ${reason}`);
  }
}

/** Converts a field to what the command line would give. */
function valueOfField(value: unknown, row: OptionRow, place: string, folder: string): RawValue {
  const expect = (isGood: boolean, what: string): void => {
    if (!isGood) throw new UsageError(`${place}: must be ${what}.`);
  };
  if (row.kind === "policies") {
    if (!isObject(value)) throw new UsageError(`${place}: must be an object, such as { "concurrentCallLimit": 2 }.`);
    return Object.entries(value).map(([name, setting]) => `${name}=${JSON.stringify(setting)}`);
  }
  if (row.kind === "faults") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (items.every((item) => typeof item === "string"))
      return items.map((item) => (/\.json$/i.test(item) ? inFolder(item, folder) : item));
    expect(typeof value === "object" && value !== null, "a fault, the name of a file, or a list of them");
    return [JSON.stringify(value)];
  }
  if (row.repeats) {
    expect(Array.isArray(value) && value.every((item) => typeof item === "string"), "a list of strings");
    return value as string[];
  }
  if (row.value === undefined) {
    expect(typeof value === "boolean", "true or false");
    return value === true;
  }
  if (row.kind === "number") {
    expect(typeof value === "number", "a number");
    return String(value);
  }
  if (row.kind === "json" && typeof value === "object" && value !== null) return JSON.stringify(value);
  if (typeof value !== "string")
    throw new UsageError(`${place}: must be ${row.kind === "json" ? "a file name, or its content" : "a string"}.`);
  const isPath = row.kind === "path" || (row.kind === "json" && value !== row.fallback);
  return isPath && value !== "" ? inFolder(value, folder) : value;
}

function inFolder(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

/** Runs what may fail. An error that names an option names the variable or the field instead, if its value came from there. */
export async function naming<Result>(
  { rename }: Pick<Settled<OptionTable>, "rename">,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) error.message = rename(error.message);
    throw error;
  }
}
