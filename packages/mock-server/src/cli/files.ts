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
import { decodeUtf8, thisUser, UsageError } from "./values.ts";

/** Writes a file atomically. Throws an Error that names it. */
export function writeFileAtomically(path: string, content: string): void {
  try {
    writeFileSync(`${path}.part`, `${content}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
  } catch (error) {
    rmSync(`${path}.part`, { force: true });
    throw new Error(`Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Writes a file that appears when it is complete, and replaces none. */
export function writeNewFile(path: string, content: Uint8Array): void {
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    // It contains credentials.
    writeFileSync(part, content, { flag: "wx", mode: 0o600 });
    if (existsSync(path)) throw new Error("the file exists. Name a new one.");
    renameSync(part, path);
  } catch (error) {
    throw new Error(`Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  } finally {
    rmSync(part, { force: true });
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
    const reason = `${thisUser()} cannot write to the folder ${folder}`;
    throw new UsageError(`${option} ${path}: ${reason}. Name another folder, or make this one writable.`);
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

/** Reads the `.env` file of an option; the file may not exist yet. Throws UsageError for a folder and for binary files. */
export function readDotenv(option: string, path: string): { readonly path: string; readonly text: string } {
  if (!existsSync(path)) return { path, text: "" };
  if (!statSync(path).isFile()) throw new UsageError(`${option} ${path}: is not a regular file.`);
  try {
    // Follows a symbolic link, so that writing replaces the file and not the link.
    const real = realpathSync(path);
    return { path: real, text: decodeUtf8(readFileSync(real)) };
  } catch (error) {
    throw new UsageError(`${option} ${path}: ${(error as Error).message}`);
  }
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
  const missing = new Set(values.keys());
  const replaced = text.replace(assignment, (line: string, start: string, name: string, ...comments: unknown[]) => {
    const value = values.get(name);
    if (value === undefined) return line;
    missing.delete(name);
    const comment = comments.slice(0, 2).find((one) => one !== undefined);
    return start + value + (comment === undefined ? "" : ` ${comment}`);
  });
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const ended = replaced === "" || replaced.endsWith("\n") ? replaced : replaced + lineEnd;
  const added = [...missing].filter((name) => variables[name] !== "");
  return ended + added.map((name) => `${name}=${values.get(name)}${lineEnd}`).join("");
}

/** Quotes a value so that Node, dotenv, Docker and shells all read it back. */
function quoted(name: string, value: string): string {
  if (/^[\w.:/@%+,-]*$/.test(value)) return value;
  const hasBreak = /[\p{Cc}\u2028\u2029]/u.test(value);
  // A final backslash would escape the closing quote.
  if (!hasBreak && !value.includes("'") && !value.endsWith("\\")) return `'${value}'`;
  if (!hasBreak && !/["\\$`]/.test(value)) return `"${value}"`;
  throw new Error(
    `${name} cannot be written to a .env file: the value has line breaks, or quotes next to other special characters. Change it in the seed.`,
  );
}
