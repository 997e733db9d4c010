// How many of five tasks mypy sees rightly: it reports each line that is marked as wrong, and no other.
import { spawnSync } from "node:child_process";
import { basename } from "node:path";

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

/** Returns the names of the tasks in which mypy reports exactly the wrong lines. */
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

/** Runs mypy over programs. Returns the lines that it reports, by the name of the file. */
export function mypyReport(
  [program = "", ...options]: readonly string[],
  variables: Readonly<Record<string, string>>,
): Map<string, Set<number>> {
  const env = { ...process.env, ...variables };
  const { stdout, stderr, error } = spawnSync(program, options, { encoding: "utf8", env, maxBuffer: 1 << 26 });
  if (error) throw error;
  const reported = new Map<string, Set<number>>();
  for (const line of stdout.split("\n")) {
    const [, path = "", at] = /^(.*?):(\d+): error: /.exec(line) ?? [];
    const name = basename(path);
    if (at) reported.set(name, (reported.get(name) ?? new Set()).add(Number(at)));
  }
  if (reported.size === 0) throw new Error(`mypy found nothing.\n${stdout}${stderr}`);
  return reported;
}
