import { format } from "node:util";

const outputs = new Map<string, Promise<string[]>>();

async function run(path: string): Promise<string[]> {
  const lines: string[] = [];
  const { log, warn } = console;
  console.log = (...values: unknown[]) => void lines.push(...format(...values).split("\n"));
  // What a client logs is not its output.
  console.warn = () => {};
  try {
    await import(new URL(`../../${path}`, import.meta.url).href);
  } finally {
    Object.assign(console, { log, warn });
  }
  return lines;
}

/** The lines that a program of `examples/` prints. A program runs once in a process. */
export function outputOf(path: string): Promise<string[]> {
  const known = outputs.get(path) ?? run(path);
  outputs.set(path, known);
  return known;
}
