// Files that the command writes.
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "@call-transfer/backend/control-client";
import { readText, UsageError } from "./values.ts";

/** Writes a file atomically. Throws an Error that names it. */
export function writeFileAtomically(path: string, content: string | Uint8Array): void {
  try {
    // It may contain credentials.
    writeFileSync(`${path}.part`, typeof content === "string" ? `${content}\n` : content, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw new Error(`Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Checks early that a file can be written. Throws UsageError that names the option. */
export function expectWritable(option: string, path: string): void {
  const folder = resolve(dirname(path));
  if (!existsSync(folder))
    throw new UsageError(`${option} ${path}: the folder ${folder} does not exist. Create it first.`);
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    throw new UsageError(
      `${option} ${path}: the folder ${folder} cannot be written by user ${process.getuid?.() ?? "of this process"}.`,
    );
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${option} ${path}: is a folder. Name a file.`);
}

/** Removes the ready file of a killed server before anything else, so that it cannot be read as this server's. */
export function beginReadyFile(path: string): void {
  expectWritable("--ready-file", path);
  rmSync(path, { force: true });
}

/** Removes the ready file at shutdown, unless another server has written it since. */
export function removeOwnReadyFile(path: string): void {
  try {
    if (Object(JSON.parse(readFileSync(path, "utf8"))).pid === process.pid) rmSync(path, { force: true });
  } catch {
    // Gone, or in another format: it is not this server's.
  }
}

/** Values by the names of their environment variables. */
export type Variables = Readonly<Record<string, string>>;

/** Reads the `.env` file of an option; the file may not exist yet. A link stays, since its target is what is written. */
export function readDotenv(option: string, path: string): { readonly path: string; readonly text: string } {
  if (!existsSync(path)) return { path, text: "" };
  return { path: realpathSync(path), text: readText(option, path) };
}

// As .env parsers read it: a quoted value may have several lines, and an unclosed quote belongs to the value.
const assignment =
  /^([ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*)(?:(?:"(?:\\"|[^"])*"|'[^']*'|`[^`]*`)[ \t]*(#[^\r\n]*)?|[^\r\n#]*(#[^\r\n]*)?)$/gm;

/**
 * Sets variables in the text of a `.env` file. Existing ones are replaced in place, new ones are appended, and all other
 * lines stay unchanged. An empty value replaces an existing one and is not appended. Throws an Error that names the variable
 * when a `.env` file cannot hold its value.
 */
export function withVariables(text: string, variables: Variables): string {
  const values = new Map(Object.entries(variables).map(([name, value]) => [name, quoted(name, value)]));
  const missing = new Set(Object.keys(variables).filter((name) => variables[name] !== ""));
  const replaced = text.replace(assignment, (line: string, start: string, name: string, ...comments: unknown[]) => {
    const value = values.get(name);
    if (value === undefined) return line;
    missing.delete(name);
    const comment = comments.slice(0, 2).find((one) => one !== undefined);
    return start + value + (comment === undefined ? "" : ` ${comment}`);
  });
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const ended = replaced === "" || replaced.endsWith("\n") ? replaced : replaced + lineEnd;
  return ended + [...missing].map((name) => `${name}=${values.get(name)}${lineEnd}`).join("");
}

/** Quotes a value so that Node, dotenv, Docker and shells all read it back. */
function quoted(name: string, value: string): string {
  if (/^[\w.:/@%+,-]*$/.test(value)) return value;
  const hasBreak = /[\p{Cc}\u2028\u2029]/u.test(value);
  // A final backslash would escape the closing quote.
  if (!hasBreak && !value.includes("'") && !value.endsWith("\\")) return `'${value}'`;
  throw new Error(
    `${name} cannot be written to a .env file: the value has a single quote, a line break or a backslash at its end. Change it in the seed.`,
  );
}
