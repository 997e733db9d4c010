import type { Backend } from "../../src/backend.ts";
import type { WallClock } from "../../src/model/clock.ts";
import type { RowChange, SandboxStore } from "../../src/model/store.ts";
import { createMemoryStorage } from "./cases.ts";

/** A real time that a test moves. Tasks run when it passes them. */
export function manualWall(start = Date.parse("2026-05-01T10:00:00Z")) {
  let now = start;
  let tasks: { at: number; run: () => void }[] = [];
  const wall: WallClock = {
    now: () => now,
    after(ms, run) {
      const task = { at: now + ms, run };
      tasks.push(task);
      return () => {
        tasks = tasks.filter((other) => other !== task);
      };
    },
  };
  return {
    wall,
    async pass(ms: number) {
      now += ms;
      const due = tasks.filter(({ at }) => at <= now);
      tasks = tasks.filter(({ at }) => at > now);
      for (const { run } of due) run();
      await settled();
    },
    /** Time passes while no process runs: what was planned is gone. */
    sleep(ms: number) {
      tasks = [];
      now += ms;
    },
  };
}

/** Lets everything run that waits for nothing but turns of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A store whose rows outlive the backends that use it. */
export function storage() {
  const stores = createMemoryStorage();
  const commits: (readonly RowChange[])[] = [];
  let failure: Error | undefined;
  let process = 1;
  return {
    commits,
    /** Makes commits fail until they are allowed again. */
    fail(error: Error | undefined) {
      failure = error;
    },
    /** Ends the process of a backend: what is not in the store is lost. */
    crash(backend: Backend) {
      process += 1;
      backend.clock.set({ mode: "frozen" });
    },
    open(): SandboxStore {
      const opened = process;
      const inner = stores.open("default", "{}");
      return {
        ...inner,
        commit(changes) {
          if (opened !== process) return;
          if (failure !== undefined) throw failure;
          inner.commit(changes);
          commits.push(changes);
        },
      };
    },
  };
}
