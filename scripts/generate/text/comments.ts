// Doc comments of generated types, as a reader of an editor's hover wants them.
import { docComment } from "./text.ts";

/** What formats of strings mean. */
const formats: Readonly<Record<string, string>> = { "date-time": "An ISO 8601 time." };

/**
 * Rewrites the comments of openapi-typescript: text instead of `@description`, what a format means, and no tag that repeats
 * the type, or a default that the text states.
 */
export const readableComments = (code: string): string =>
  code.replace(/^( *)\/\*\*(.*?)\*\//gms, (_comment, indent: string, text: string) =>
    docComment(readable(text.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())), indent),
  );

function readable(lines: readonly string[]): string[] {
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  const description = after("@description ");
  const format = after("Format: ");
  const summary = lines.filter((line) => line !== "" && !/^(?:@|Format: )/.test(line));
  const repeated = description?.includes("default")
    ? /^@(?:description|enum|constant|default)\b/
    : /^@(?:description|enum|constant)\b/;
  const tags = lines.filter((line) => line.startsWith("@") && !repeated.test(line));
  const meaning = format && (formats[format] ?? `Format: ${format}.`);
  const body = [description, meaning].filter(Boolean).join(" ");
  return [...summary, ...(summary.length > 0 && body ? [""] : []), ...(body ? [body] : []), ...tags];
}
