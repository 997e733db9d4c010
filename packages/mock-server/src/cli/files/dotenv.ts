import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { decodeUtf8, UsageError } from "../values/command-line.ts";

/** Values by the names of their environment variables. */
export type Variables = Readonly<Record<string, string>>;

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
