// Receivers behind one store. Either the processes are killed and stopped, or the store is disturbed, while events are delivered.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { missingPython, pythonCommand, pythonEnvironment } from "../../../tests/receiving/python.ts";
import { type ServerProcess, startServer, temporaryFolder } from "../../../tests/receiving/server-process.ts";
import type { Plan, Run, World } from "../plan.ts";
import {
  type Delivery,
  describe,
  eventHeader,
  type Life,
  type ProcessEntry,
  type ProcessOptions,
  readEntries,
  secret,
} from "./history.ts";
import { type Finding, judgeInbox, judgeOutage, judgeStore, type RunHistory } from "./judge.ts";
import { type Act, planActs, planEvents, planOutage } from "./plan.ts";
import { createSender } from "./sender.ts";
import { outages, type Store, startStore } from "./stores.ts";

type Settings = Omit<ProcessOptions, "name" | "port" | "entries">;

const program = fileURLToPath(new URL("receiver.ts", import.meta.url));
/** Processes start often, so they compile their sources once. */
const environment = {
  ...process.env,
  ...pythonEnvironment,
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../../node_modules/.cache/node", import.meta.url)),
};

/** The program of a process. In Python, it gets what is a constant here. */
function commandOf(options: ProcessOptions, isPython: boolean): readonly string[] {
  if (!isPython)
    return [
      ...[process.execPath, "--conditions=@call-transfer/source", "--no-warnings"],
      ...[program, JSON.stringify(options)],
    ];
  const all = { ...options, secret, eventHeader };
  return [pythonCommand(), program.replace(/ts$/, "py"), JSON.stringify(all)];
}

/** The receivers of a run: each is one process after another on the same port. */
class Fleet {
  readonly lives: Life[] = [];
  readonly servers: ServerProcess[] = [];
  readonly #folder: string;
  readonly #current: Life[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async start(settings: Settings, receivers: number, python: number): Promise<void> {
    for (let receiver = 0; receiver < receivers; receiver += 1) {
      const isPython = receiver >= receivers - python;
      let starts = 0;
      const command = (port: number) => {
        starts += 1;
        const name = `${receiver}.${starts}`;
        const life: Life = { name, stops: [] };
        this.lives.push(life);
        this.#current[receiver] = life;
        return commandOf({ ...settings, name, port, entries: this.#fileOf(name) }, isPython);
      };
      const folder = temporaryFolder();
      this.servers[receiver] = await startServer(
        { command, folder, readyText: "ready", endSignal: "SIGKILL", env: environment },
        "http://",
      );
    }
  }

  #of(receiver: number): { readonly server: ServerProcess; readonly life: Life } {
    const [server, life] = [this.servers[receiver], this.#current[receiver]];
    if (server === undefined || life === undefined) throw new Error(`There is no receiver ${receiver}.`);
    return { server, life };
  }

  /** Ends processes with SIGKILL, all of them before the first starts again. */
  async kill(receivers: readonly number[]): Promise<void> {
    await Promise.all(
      receivers.map(async (receiver) => {
        const { server, life } = this.#of(receiver);
        life.killedMs = Date.now();
        await server.end("SIGKILL");
      }),
    );
    await Promise.all(receivers.map((receiver) => this.#of(receiver).server.start()));
  }

  async stop(receivers: readonly number[], durationMs: number): Promise<void> {
    const stopped = receivers.map((receiver) => this.#of(receiver));
    for (const { server, life } of stopped) {
      life.stops.push({ fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
      server.signal("SIGSTOP");
    }
    await sleep(durationMs);
    for (const { server, life } of stopped) {
      const last = life.stops.at(-1);
      if (last) last.toMs = Date.now();
      server.signal("SIGCONT");
    }
  }

  /** Ends all. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** What the processes wrote down. */
  entries(): ProcessEntry[] {
    return this.lives.flatMap(({ name }) => readEntries(this.#fileOf(name), name));
  }

  #fileOf = (name: string): string => join(this.#folder, `${name}.jsonl`);
}

/** Acts on processes until the work is done. All run when it returns. */
async function disturbProcesses(work: Promise<unknown>, acts: Iterable<Act>, fleet: Fleet): Promise<void> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (const { afterMs, kind, receivers, durationMs } of acts) {
    await Promise.race([over, sleep(afterMs)]);
    if (isOver) break;
    if (kind === "kill") await fleet.kill(receivers);
    else await fleet.stop(receivers, durationMs);
  }
  await over;
}

/** Disturbs the store once, while events are delivered. Returns whether it came to that. */
async function disturbStore(
  work: Promise<unknown>,
  store: Store,
  act: string,
  progress: () => number,
): Promise<boolean> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  // What is to be forgotten must be there before.
  while (!isOver && progress() < (act === "flush" ? 0.5 : 0)) await Promise.race([over, sleep(10)]);
  const isDisturbed = !isOver;
  if (isDisturbed) await store.disturb(act);
  await over;
  return isDisturbed;
}

/** What is counted in every run. */
const countsOf = ({ deliveries, entries, events, lives }: RunHistory): Record<string, number> => ({
  events: events.length,
  deliveries: deliveries.length,
  handlings: entries.filter(({ action }) => action === "start").length,
  SIGKILL: lives.filter(({ killedMs }) => killedMs !== undefined).length,
  SIGSTOP: lives.flatMap(({ stops }) => stops).length,
});

/** The findings as sentences, and the history of the first events that have one. */
function worldOf(history: RunHistory, findings: readonly Finding[], more: Readonly<Record<string, number>>): World {
  const found = [...new Set(findings.map(({ event }) => event))].slice(0, 5);
  return {
    counts: { ...countsOf(history), ...more },
    findings: findings.map(({ event, message }) => `${event}: ${message}`),
    history: () =>
      found.flatMap((id) => [
        `\n${id}`,
        ...describe(
          history.entries.filter(({ event }) => event === id),
          history.lives,
        ),
        ...history.deliveries
          .filter(({ event }) => event === id)
          .map(({ when, attempts, answer }) => {
            const tried = attempts.map(({ receiver, status }) => `${status ?? "no response"} from ${receiver}`);
            return `  copy (${when}): ${tried.join(", ")}; ${answer?.body.slice(0, 80) ?? "no final answer"}`;
          }),
      ]),
  };
}

/** Starts the processes and runs `use` with them. */
async function withFleet(
  store: Store,
  { seed, plant }: Run,
  settings: Pick<Settings, "store" | "onStoreError" | "leaseMs" | "waitMs" | "storeTimeoutMs">,
  { receivers, python, atOnce }: { readonly receivers: number; readonly python: number; readonly atOnce: number },
  use: (fleet: Fleet, sender: ReturnType<typeof createSender>, deliveries: readonly Delivery[]) => Promise<World>,
): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-fire-"));
  const fleet = new Fleet(folder);
  try {
    await fleet.start({ ...settings, seed, plant, storeUrl: store.url }, receivers, python);
    const deliveries: Delivery[] = [];
    const sender = createSender({ seed, ports: fleet.servers.map(({ port }) => port), atOnce }, deliveries);
    try {
      return await use(fleet, sender, deliveries);
    } finally {
      sender.close();
    }
  } finally {
    await fleet.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Delivers events while processes are killed and stopped, then each once more to new processes. */
async function runCrashes(given: Run): Promise<World> {
  const { kind, seed, amount, plant, python = 0, onStoreError = "handle" } = given;
  const receivers = given.receivers ?? 2;
  // Python starts more slowly.
  const [leaseMs, pauseMs] = python > 0 ? [1000, 1000] : [500, 300];
  // A store must not fail because a process was stopped, or because the machine is slow.
  const storeTimeoutMs = 20_000;
  // A planted mistake shows only if a process is interrupted at the right moment: there are more such moments.
  const [slowRate, atOnce] = plant === undefined ? [0.08, 20] : [0.5, 60];
  const events = planEvents({ seed, deliveries: amount, receivers, leaseMs, slowRate });
  await using store = await startStore(kind);
  const settings = { store: kind, onStoreError, leaseMs, waitMs: 2 * leaseMs, storeTimeoutMs };
  return await withFleet(store, given, settings, { receivers, python, atOnce }, async (fleet, sender, deliveries) => {
    const work = sender.deliverAll(events, ({ when }) => when !== "last");
    await disturbProcesses(work, planActs({ seed, receivers, leaseMs, pauseMs }), fleet);
    // No process that handled anything is left, so the answers come from the store.
    await fleet.kill([...fleet.servers.keys()]);
    await sender.deliverAll(events, ({ when }) => when === "last");
    await fleet.close();
    const { lives } = fleet;
    const history: RunHistory = { events, deliveries, entries: fleet.entries(), lives, leaseMs, storeTimeoutMs };
    const effects = await store.effects();
    if (effects !== undefined)
      return worldOf(history, judgeInbox(history, effects), { "rows of the app": effects.length });
    const { findings, startedAgain } = judgeStore(history);
    const causes = [...startedAgain].map(([cause, count]) => [`started again because ${cause}`, count]);
    return worldOf(history, findings, Object.fromEntries(causes));
  });
}

/** Delivers each event three times, in a burst twice, while the store is disturbed. */
async function runOutage(given: Run): Promise<World> {
  const { kind, seed, amount, receivers = 1, onStoreError = "handle" } = given;
  const isBurst = kind === "burst";
  // In a burst, limits that no slow machine reaches.
  const limitMs = isBurst ? 60_000 : 1000;
  const leaseMs = isBurst ? limitMs : 2 * limitMs;
  const settings = { store: "redis", onStoreError, leaseMs, waitMs: 8000, storeTimeoutMs: limitMs };
  const events = planOutage(seed, amount, receivers, isBurst);
  await using store = await startStore("redis");
  const size = { receivers, python: 0, atOnce: isBurst ? amount : 40 };
  return await withFleet(store, given, settings, size, async (fleet, sender, deliveries) => {
    const work = sender.deliverAll(events, () => true);
    const copies = events.reduce((sum, event) => sum + event.copies.length, 0);
    const isDisturbed = !isBurst && (await disturbStore(work, store, kind, () => deliveries.length / copies));
    await work;
    await fleet.close();
    const { lives } = fleet;
    const history = { events, deliveries, entries: fleet.entries(), lives, leaseMs, storeTimeoutMs: limitMs };
    const findings = judgeOutage(history, receivers, isBurst);
    if (!isBurst && !isDisturbed)
      findings.push({ event: "", message: "All was delivered before the store was disturbed." });
    return worldOf(history, findings, {});
  });
}

const planted = { kind: "redis", amount: 300, seeds: 5 };
/** Python may be missing, except where CI is set. */
const hasPython = missingPython() === undefined || process.env.CI !== undefined;
const mixed = { receivers: 3, python: 1, amount: 600 };

export const receivers: Plan = {
  does: "kills and stops processes of receivers behind one store or inbox; each event must get one answer",
  kinds: ["redis", "inbox"],
  unit: "deliveries",
  amount: 1200,
  mostPerWorld: 6000,
  plants: {
    ...{ "own-answer": planted, "no-renewal": planted, "short-memory": planted },
    "effect-outside-transaction": { ...planted, kind: "inbox" },
  },
  alsoAtNight: hasPython ? ["redis", "inbox"].map((kind) => ({ ...mixed, kind })) : [],
  run: runCrashes,
};

export const stores: Plan = {
  does: "lets the Redis behind receivers restart, hang, be full or forget, and bursts reach it",
  kinds: ["burst", ...Object.keys(outages)],
  unit: "events",
  amount: 80,
  mostPerWorld: 10_000,
  plants: { forgets: { kind: "full", amount: 80, seeds: 3 } },
  run: runOutage,
};
