// Hands mutants to processes of their own and tells which case caught each.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Outcome } from "./worker.ts";

/** Milliseconds of real time after which a mutant counts as one that never ends. */
const timeLimitMs = 300_000;
/** Each copy of the backend stays in its process's memory. */
const mostPerProcess = 100;

const start = (): ChildProcess =>
  fork(fileURLToPath(new URL("worker.ts", import.meta.url)), {
    execArgv: [...process.execArgv, "--disable-warning=ExperimentalWarning"],
  });

/** Tries one mutant; what it answers when its process ends or takes too long is no catch. */
async function ask(child: ChildProcess, name: string): Promise<Outcome> {
  child.send(name);
  const heard = new AbortController();
  const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(timeLimitMs)]);
  try {
    return await Promise.race([
      once(child, "message", { signal }).then(([outcome]) => outcome as Outcome),
      once(child, "exit", { signal }).then(([code]): Outcome => ({ broken: `its process ended with ${code}` })),
    ]);
  } catch {
    return { broken: `it did not end within ${timeLimitMs / 1000} s` };
  } finally {
    heard.abort();
  }
}

/** Tries mutants, several at a time, and hands over what came of each. */
export async function tryAll(
  names: readonly string[],
  onOutcome: (name: string, outcome: Outcome) => void,
): Promise<void> {
  const waiting = [...names];
  const work = async (): Promise<void> => {
    let child = start();
    let tried = 0;
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const outcome = await ask(child, name);
      onOutcome(name, outcome);
      tried += 1;
      if (tried < mostPerProcess && outcome.broken === undefined) continue;
      child.kill("SIGKILL");
      child = start();
      tried = 0;
    }
    child.kill("SIGKILL");
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), names.length, 4) }, work));
}
