// Commands that stand for several, such as `npm run check -- packed`: prints the list of their names, or runs one.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "../packed.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A program of Node with its options. */
type Program = readonly string[];

export interface Named {
  /** What it does, in a line. */
  readonly does: string;
  /** What this machine must have, or how long it takes. */
  readonly needs?: string;
  /** Whether it uses the built packages. They are built again only if their sources changed. */
  readonly isBuilt?: boolean;
  /** A folder with a lockfile of its own, which is installed first. */
  readonly installs?: string;
  /** What is run in this order. Options of the caller go to the last. */
  readonly run?: readonly Program[];
  /** Instead of `run`: the caller names one, or all run, whichever of them fail. */
  readonly parts?: Readonly<Record<string, Program>>;
}

export type NamedCommands = Readonly<Record<string, Named>>;

/** A program that imports the packages from their sources. */
export const onSources = (...words: string[]): Program => ["--conditions=@call-transfer/source", ...words];

/** Resolves with the exit status, and whether a signal interrupted this process: then not all has run, whatever the program says. */
async function runProgram(words: Program): Promise<{ readonly status: number; readonly isInterrupted: boolean }> {
  const child = spawn(process.execPath, words, { cwd: root, stdio: "inherit" });
  let interrupted: number | undefined;
  const forward = (signal: NodeJS.Signals): void => {
    interrupted = 128 + constants.signals[signal];
    child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, forward);
  const [status] = (await once(child, "exit")) as [number | null];
  return { status: interrupted ?? status ?? 1, isInterrupted: interrupted !== undefined };
}

/** A program, with its name if it is a part. */
type Step = readonly [part: string | undefined, program: Program];

function stepsOf(name: string, { run = [], parts }: Named, options: readonly string[]): readonly Step[] {
  const last = run.at(-1);
  if (parts === undefined) {
    const programs = last === undefined ? [] : [...run.slice(0, -1), [...last, ...options]];
    return programs.map((program) => [undefined, program]);
  }
  const [part, ...others] = options;
  if (part === undefined || part.startsWith("-"))
    return Object.entries(parts).map(([one, program]) => [one, [...program, ...options]]);
  const chosen = parts[part];
  if (chosen === undefined) throw new Error(`Unknown part ${part}. ${name} has ${Object.keys(parts).join(", ")}.`);
  return [[part, [...chosen, ...others]]];
}

/** The names with what each does. */
export function listOf(script: string, commands: NamedCommands): string {
  const names = Object.entries(commands).map(([name, named]) => ({ title: [name, partsOf(named)].join(" "), named }));
  const width = Math.max(...names.map(({ title }) => title.length)) + 2;
  const rows = names.map(({ title, named: { does, needs } }) => {
    const more = needs === undefined ? "" : `\n${" ".repeat(width + 2)}needs ${needs}`;
    return `  ${title.padEnd(width)}${does}${more}`;
  });
  return `Usage: npm run ${script} -- NAME [options]\n\n${rows.join("\n")}`;
}

const partsOf = ({ parts }: Named): string => (parts === undefined ? "" : `[${Object.keys(parts).join("|")}]`);

/** Runs what the command line names. Without a name it runs `usual`, or prints the list. */
export async function runNamed(script: string, commands: NamedCommands, usual?: string): Promise<void> {
  const [name = usual, ...options] = process.argv.slice(2);
  if (name === undefined || name === "--help") return console.log(listOf(script, commands));
  const named = commands[name];
  if (named === undefined) {
    console.error(`Unknown name ${name}. npm run ${script} has ${Object.keys(commands).join(", ")}.`);
    process.exitCode = 2;
    return;
  }
  const steps = stepsOf(name, named, options);
  if (named.installs !== undefined) ensureInstalled(root + named.installs);
  const before: readonly Step[] = named.isBuilt ? [[undefined, ["scripts/build.ts"]]] : [];
  const failed: string[] = [];
  for (const [part, program] of [...before, ...steps]) {
    const { status, isInterrupted } = await runProgram(program);
    if (status === 0) continue;
    process.exitCode ??= status;
    // No part stands on another.
    if (isInterrupted || part === undefined) break;
    failed.push(part);
  }
  if (failed.length > 0) console.error(`Failed: ${failed.join(", ")}.`);
}
