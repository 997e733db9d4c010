// How many of five tasks the type checkers see rightly: they report each line that is marked as wrong, and no other.
import { spawnSync } from "node:child_process";
import { basename } from "node:path";

/** How to start a checker, and which lines of its output are errors. */
export interface Checker {
  readonly name: string;
  readonly command: readonly string[];
  /** Matches a line of its output: file and line. */
  readonly error: RegExp;
}

interface Task {
  readonly name: string;
  readonly lines: number;
  readonly wrong: ReadonlySet<number>;
}

/** Reads the tasks of a program. Throws if one has nothing wrong in it, because it could not fail. */
export function tasksIn(text: string): Task[] {
  const tasks: { name: string; lines: number; wrong: Set<number> }[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    const [, name] = /^# task: (.*)$/.exec(line) ?? [];
    if (name !== undefined) tasks.push({ name, lines: index + 1, wrong: new Set() });
    if (line.endsWith("# wrong")) tasks.at(-1)?.wrong.add(index + 1);
  }
  for (const { name, wrong } of tasks) if (wrong.size === 0) throw new Error(`Nothing is wrong in the task "${name}".`);
  return tasks;
}

/** Returns the names of the tasks in which a checker reports exactly the wrong lines. */
export function seenRightly(text: string, reported: ReadonlySet<number>): string[] {
  const tasks = tasksIn(text);
  const [{ lines: start } = { lines: 0 }] = tasks;
  // A mistake above the tasks concerns them all.
  if ([...reported].some((line) => line < start)) return [];
  return tasks
    .filter(({ lines: from, wrong }, index) => {
      const to = tasks[index + 1]?.lines ?? Number.POSITIVE_INFINITY;
      const inTask = [...reported].filter((line) => line >= from && line < to);
      return inTask.length === wrong.size && inTask.every((line) => wrong.has(line));
    })
    .map(({ name }) => name);
}

/** Runs a checker over programs. Returns the lines that it reports, by the name of the file. */
export function report(checker: Checker, variables: Readonly<Record<string, string>>): Map<string, Set<number>> {
  const [program = "", ...options] = checker.command;
  const env = { ...process.env, ...variables };
  const { stdout, stderr, error } = spawnSync(program, options, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  if (error) throw error;
  const reported = new Map<string, Set<number>>();
  for (const line of stdout.split("\n")) {
    const [, path = "", at] = checker.error.exec(line) ?? [];
    const name = basename(path);
    if (at) reported.set(name, (reported.get(name) ?? new Set()).add(Number(at)));
  }
  if (reported.size === 0) throw new Error(`${checker.name} found nothing.\n${stdout}${stderr}`);
  return reported;
}
