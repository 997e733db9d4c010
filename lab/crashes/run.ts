// One run: a store's server, the receivers, the platform and the saboteur, and the verdict at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Effect, readEffects } from "./effects.ts";
import { startFleet } from "./fleet.ts";
import { judge, type RunHistory, type Verdict } from "./judge.ts";
import { judgeInbox } from "./judge-inbox.ts";
import { planActs, planEvents } from "./plan.ts";
import type { PlantName } from "./plants.ts";
import { type ActCounts, sabotage } from "./saboteur.ts";
import { createSender, type Delivery } from "./sender.ts";
import { startServer } from "./store-server.ts";
import { isInbox, type StoreName } from "./stores.ts";

export interface RunOptions {
  readonly store: StoreName;
  readonly seed: number;
  readonly deliveries: number;
  readonly receivers: number;
  /** How many of them are Python processes. Every second one is async. */
  readonly python: number;
  readonly onStoreError: "handle" | "reject";
  readonly leaseMs: number;
  readonly storeTimeoutMs: number;
  /** How many events are delivered at once. */
  readonly atOnce: number;
  /** Probability that a decision takes long, from 0 to 1. */
  readonly slowRate: number;
  /** Time between two acts on average. */
  readonly pauseMs: number;
  readonly restartsStore: boolean;
  readonly plant: PlantName | undefined;
}

export interface RunResult {
  readonly history: RunHistory;
  readonly verdict: Verdict;
  /** The app's own rows, with PostgreSQL. */
  readonly effects: readonly Effect[] | undefined;
  readonly acts: ActCounts;
  /** How long the deliveries took, without the start of the servers. */
  readonly seconds: number;
}

/** How long a copy waits, in leases. */
const waitLeases = 2;

/** Delivers events while processes are killed and stopped, then each once more to new processes. */
export async function run(options: RunOptions): Promise<RunResult> {
  const { store, seed, atOnce, leaseMs, storeTimeoutMs } = options;
  const events = planEvents(options);
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-crashes-"));
  try {
    await using server = await startServer(store);
    const { plant, onStoreError } = options;
    const settings = { store, plant, onStoreError, seed, leaseMs, storeTimeoutMs, waitMs: waitLeases * leaseMs };
    const fleet = await startFleet(options, folder, { ...settings, storeUrl: server.url });
    const deliveries: Delivery[] = [];
    const onDelivery = (delivery: Delivery) => void deliveries.push(delivery);
    const sender = createSender({ seed, ports: fleet.ports, atOnce, onDelivery });
    try {
      const started = performance.now();
      const work = sender.deliverAll(events, ({ when }) => when !== "last");
      const acts = await sabotage(work, planActs(options), fleet, server);
      // No process that handled anything is left, so the answers come from the store.
      const all = fleet.ports.map((_, receiver) => receiver);
      await Promise.all(all.map((receiver) => fleet.kill(receiver)));
      await Promise.all(all.map((receiver) => fleet.start(receiver)));
      await sender.deliverAll(events, ({ when }) => when === "last");
      const seconds = (performance.now() - started) / 1000;
      const history = { events, deliveries, entries: await fleet.close(), lives: fleet.lives, leaseMs, storeTimeoutMs };
      const effects = isInbox(store) ? await readEffects(server.url) : undefined;
      const verdict = isInbox(store) ? judgeInbox(history, effects ?? []) : judge(history);
      return { history, verdict, effects, acts, seconds };
    } finally {
      sender.close();
      await fleet.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
