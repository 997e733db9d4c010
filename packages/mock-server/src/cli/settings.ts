// Where the values of options come from: the command line, then the environment, then the defaults.
import { bracketed, isWildcardAddress, unbracketed } from "../net/urls.ts";
import { flagOf, type OptionRow, type OptionTable, settings, startOptions, type Values, variables } from "./options.ts";
import { isJson, suggestion, UsageError } from "./values.ts";

/** A value as the command line has it: the text, all texts of an option that repeats, or whether a flag is there. */
export type RawValue = string | boolean | readonly string[];
export type RawValues = Readonly<Record<string, RawValue | undefined>>;

/** The values of a command's options, wherever they come from. */
export interface Settled<Table extends OptionTable> {
  readonly values: Values<Table>;
  /** The texts that were given, by option: the defaults are not among them. */
  readonly given: ReadonlyMap<string, RawValue>;
  /** A message that names an option names the variable instead, if its value came from there. */
  rename(message: string): string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const prefix = "CALL_TRANSFER_MOCK_";

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
 * Completes the options of a command line: an option that is not given takes its value from the environment, if a variable sets it.
 * Throws UsageError for a wrong value or variable.
 */
export function settle<const Table extends OptionTable>(
  table: Table,
  raw: RawValues,
  env: Environment = process.env,
): Settled<Table> {
  const rows = Object.entries<OptionRow>(table);
  const found = rows.some(([, { inEnvironment }]) => inEnvironment)
    ? readEnvironment(env)
    : new Map<string, RawValue>();
  const given = new Map<string, RawValue>();
  const places = new Map<string, string>();
  for (const [name, { inEnvironment }] of rows) {
    const value = raw[name] ?? (inEnvironment ? found.get(name) : undefined);
    if (value !== undefined) given.set(name, value);
    if (value !== undefined && raw[name] === undefined) places.set(flagOf(name), variableOf(name));
  }
  const read = ([name, row]: [string, OptionRow]): [string, unknown] => {
    const place = places.get(flagOf(name)) ?? flagOf(name);
    const one = (text: string): unknown => (row.read === undefined ? text : row.read(place, text));
    const value = given.get(name) ?? row.fallback;
    if (row.value === undefined) return [name, value === true];
    if (Array.isArray(value)) return [name, value.map(one)];
    return [name, typeof value === "string" ? one(value) : undefined];
  };
  return {
    values: Object.fromEntries(rows.map(read)) as Values<Table>,
    given,
    rename: (message) => message.replace(/(?<![\w-])--[a-z][a-z-]*(?![\w-])/g, (flag) => places.get(flag) ?? flag),
  };
}

/** The address at which the environment starts a server on this machine; undefined if it names no port. */
export function addressInEnvironment(env: Environment = process.env): string | undefined {
  const found = readEnvironment(env);
  const [port, host = "", cert] = ["port", "host", "tlsCert"].map((name) => found.get(name));
  if (!/^[1-9]\d*$/.test(String(port))) return undefined;
  const address = host === "" || isWildcardAddress(String(host)) ? startOptions.host.fallback : String(host);
  return `${cert === undefined ? "http" : "https"}://${bracketed(unbracketed(address))}:${port}`;
}

/** What Kubernetes sets in each container for a service with the name `call-transfer-mock`. */
const ofKubernetes = /^(?:SERVICE_(?:HOST|PORT)(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/;

function readEnvironment(env: Environment): ReadonlyMap<string, RawValue> {
  const found = new Map<string, RawValue>();
  for (const [variable, text = ""] of Object.entries(env)) {
    const name = settingVariables.get(variable);
    const row = name === undefined ? undefined : settings[name];
    if (name === undefined || row === undefined) {
      if (!variable.startsWith(prefix) || ofKubernetes.test(variable.slice(prefix.length))) continue;
      throw new UsageError(`Unknown variable ${variable}.${adviceOn(variable)}`);
    }
    // Compose files pass a variable without a value as an empty one.
    if (text === "" || (name === "port" && text.startsWith("tcp://"))) continue;
    found.set(name, valueOfVariable(text, row, variable));
  }
  return found;
}

/** What to do about an unknown variable: sentences. */
function adviceOn(variable: string): string {
  const option = Object.keys(settings).find((name) => variableOf(name) === variable);
  if (option !== undefined) return ` Use ${flagOf(option)}.`;
  const isToken = variable.endsWith("_TOKEN");
  const meant = isToken
    ? ` Did you mean ${variables.controlToken}?`
    : suggestion(variable, [...settingVariables.keys()]);
  return `${meant} Rename or remove it.`;
}

const flags: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false };

function valueOfVariable(text: string, { value, repeats, separator = "," }: OptionRow, variable: string): RawValue {
  if (value === undefined) {
    const flag = flags[text.toLowerCase()];
    if (flag === undefined) throw new UsageError(`${variable} ${text}: must be true, false, 1 or 0.`);
    return flag;
  }
  if (!repeats) return text;
  if (isJson(text)) return [text];
  const parts = text.split(separator).map((part) => part.trim());
  return parts.filter((part) => part !== "");
}

/** Runs what may fail. An error that names an option names the variable instead, if its value came from there. */
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
