import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isObject, readUtf8, suggestion, UsageError, unreadable } from "../values/command-line.ts";
import type { OptionEntry } from "./option-entry.ts";
import { settings } from "./options.ts";

/** A value as the parser of the command line returns it. */
export type OptionValue = string | boolean | string[];

/** The config file that is read from the working folder. */
export const defaultConfigFile = "call-transfer-mock.json";

export interface ConfigFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, OptionValue>;
}

/** The name of an option in the config file: `max-sandboxes` is `maxSandboxes`. */
export function fieldOf(option: string): string {
  return option.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Reads the config file: the given one, which must exist, or else the default one. Throws UsageError that names the file
 * and the wrong field. No message repeats a value, because the file may contain a secret.
 */
export function readConfigFile(option: string, given: string | undefined): ConfigFile | undefined {
  const path = given ?? defaultConfigFile;
  if (given === undefined && !existsSync(path)) return undefined;
  const content = parsed(path, given === undefined ? path : `${option} ${path}`);
  if (!isObject(content)) throw new UsageError(`${path}: must be a JSON object.`);
  const options = new Map(
    Object.entries(settings)
      .filter(([name]) => name !== "config")
      .map(([name, facts]) => [fieldOf(name), { name, facts }]),
  );
  const values = new Map<string, OptionValue>();
  for (const [field, value] of Object.entries(content)) {
    if (field === "$schema") continue;
    const option = options.get(field);
    if (option === undefined)
      throw new UsageError(`${path}: ${field}: is not a setting.${suggestion(field, [...options.keys()])}`);
    values.set(option.name, optionValue(value, option.facts, `${path}: ${field}`, dirname(path)));
  }
  return { path, values };
}

function parsed(path: string, place: string): unknown {
  try {
    return JSON.parse(readUtf8(path));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new UsageError(`${place}: ${unreadable(error)}`);
    // Node quotes the text around the mistake, which may be a secret.
    const reason = error.message.replace(/, (?:\.{3})?".*"(?:\.{3})? is not valid JSON$/s, "");
    throw new UsageError(`${place}: not valid JSON: ${reason}`);
  }
}

/** Converts a field to what the command line would give. */
function optionValue(value: unknown, facts: OptionEntry, place: string, folder: string): OptionValue {
  if (facts.kind === "policies") {
    if (!isObject(value)) throw new UsageError(`${place}: must be an object, such as { "concurrentCallLimit": 2 }.`);
    return Object.entries(value).map(([name, setting]) => `${name}=${JSON.stringify(setting)}`);
  }
  if (facts.kind === "faults") {
    const items: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (items.every((item) => typeof item === "string"))
      return items.map((item) => (/\.json$/i.test(item) ? inFolder(item, folder) : item));
    if (typeof value !== "object" || value === null)
      throw new UsageError(`${place}: must be a fault, the name of a file, or a list of them.`);
    return [JSON.stringify(value)];
  }
  if (facts.multiple) {
    if (!Array.isArray(value) || !value.every((item) => typeof item === "string"))
      throw new UsageError(`${place}: must be a list of strings.`);
    return value;
  }
  if (facts.type === "boolean") {
    if (typeof value !== "boolean") throw new UsageError(`${place}: must be true or false.`);
    return value;
  }
  if (facts.kind === "number") {
    if (typeof value !== "number") throw new UsageError(`${place}: must be a number.`);
    return String(value);
  }
  if (facts.kind === "json" && typeof value === "object" && value !== null) return JSON.stringify(value);
  if (typeof value !== "string")
    throw new UsageError(`${place}: must be ${facts.kind === "json" ? "a file name, or its content" : "a string"}.`);
  const isPath = facts.kind === "path" || (facts.kind === "json" && value !== facts.fallback);
  return isPath && value !== "" ? inFolder(value, folder) : value;
}

function inFolder(path: string, folder: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
