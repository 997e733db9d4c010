// Prism as the pages start it beside a mock server, or in front of an API.
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const prism = createRequire(import.meta.url).resolve("@stoplight/prism-cli");

/** The one line of a page that begins so. */
export function lineOfPage(page: string, beginning: string): string {
  const lines = readFileSync(new URL(`../../${page}`, import.meta.url), "utf8").split("\n");
  const [line, ...others] = lines.filter((one) => one.startsWith(beginning));
  if (line === undefined || others.length > 0) throw new Error(`${page} must have one line that begins ${beginning}.`);
  return line;
}

/** Runs a line that begins `npx prism`, with texts of it replaced, and waits until Prism listens. The caller ends it. */
export async function runPrism(
  line: string,
  { cwd, replaced }: { readonly cwd: string; readonly replaced: Readonly<Record<string, string>> },
): Promise<ChildProcess> {
  const words = line.split(" ").slice(2);
  for (const text of Object.keys(replaced)) if (!words.includes(text)) throw new Error(`${line}: has no ${text}.`);
  const server = spawn(process.execPath, [prism, ...words.map((word) => replaced[word] ?? word)], { cwd });
  let printed = "";
  for await (const text of createInterface(server.stdout)) {
    printed += `${text}\n`;
    if (text.includes("Prism is listening")) return server;
  }
  throw new Error(`Prism did not start:\n${printed}`);
}
