import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { UsageError } from "./command-line.ts";

/** Values by the names of their environment variables. */
export type Variables = Readonly<Record<string, string>>;

// As the readers of such files take them: a quoted value may have several lines, and an unclosed quote is part of it.
const assignment =
  /^([ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*)(?:(?:"(?:\\"|[^"])*"|'[^']*'|`[^`]*`)[ \t]*(#[^\r\n]*)?|[^\r\n#]*(#[^\r\n]*)?)$/gm;

/**
 * The text of a `.env` file with variables set in it. Those that it has are replaced where they stand; the others come last.
 * Every other line stays as it is. Throws an Error that names a variable whose value no such file can hold.
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
  return ended + [...missing].map((name) => `${name}=${values.get(name)}${lineEnd}`).join("");
}

/** Reads the file that an option names; it may not exist yet. Throws UsageError for one that cannot be a `.env` file. */
export function readDotenv(option: string, path: string): { readonly path: string; readonly text: string } {
  if (!existsSync(path)) return { path, text: "" };
  if (!statSync(path).isFile()) throw new UsageError(`${option} ${path}: is no regular file.`);
  try {
    // Behind a symbolic link, so that writing replaces the file and not the link.
    const real = realpathSync(path);
    return { path: real, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(real)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isNoText = code === "ERR_ENCODING_INVALID_ENCODED_DATA";
    throw new UsageError(`${option} ${path}: ${isNoText ? "is not a text in UTF-8. Name another file." : message}`);
  }
}

/** A value as Node, dotenv, Docker and shells all read it. */
function quoted(name: string, value: string): string {
  if (/^[\w.:/@%+,-]*$/.test(value)) return value;
  const hasBreak = /[\p{Cc}\u2028\u2029]/u.test(value);
  // Before the closing quote a backslash would escape it.
  if (!hasBreak && !value.includes("'") && !value.endsWith("\\")) return `'${value}'`;
  if (!hasBreak && !/["\\$`]/.test(value)) return `"${value}"`;
  throw new Error(
    `${name} cannot be written to a .env file: it holds line breaks, or quotes beside other special characters. Change it in the seed.`,
  );
}
