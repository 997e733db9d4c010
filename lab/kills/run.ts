// A run: worlds one after the other, each with a server that is killed and started again while its clients work.
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@call-transfer/backend/control-client";
import { type Checked, check } from "./check.ts";
import { Client } from "./clients/client.ts";
import { startReceiver } from "./clients/receiver.ts";
import { controlOf } from "./clients/requests.ts";
import { createGate } from "./gate.ts";
import { type History, killsOf, newHistory } from "./history.ts";
import { type Plan, planOf, seedOf } from "./plan.ts";
import type { PlantName } from "./servers/plants.ts";
import { type KindName, prepareServer } from "./servers/server.ts";

export interface RunOptions {
  readonly kind: KindName;
  readonly seed: number;
  /** Kills in total. Undefined for as many as the minutes allow. */
  readonly kills: number | undefined;
  /** After this time no further world begins. */
  readonly minutes: number | undefined;
  readonly plant: PlantName | undefined;
}

/** A world that is over. */
export interface World {
  readonly seed: number;
  readonly history: History;
  readonly findings: readonly string[];
  readonly seconds: number;
}

/** Kills and stops in a world. With more, its state would grow, and checks would take most of the time. */
const endsPerWorld = 25;

/** Runs worlds, each with the next seed, until one finds something. Yields each when it is over. */
export async function* run({ kind, seed, kills, minutes, plant }: RunOptions): AsyncGenerator<World> {
  const endMs = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  let left = kills ?? Number.POSITIVE_INFINITY;
  for (let next = seed; left > 0 && Date.now() < endMs; next += 1) {
    const world = await runWorld(kind, planOf(next, Math.min(left, endsPerWorld)), plant);
    yield world;
    if (world.findings.length > 0) return;
    left -= killsOf(world.history);
  }
}

async function runWorld(kind: KindName, plan: Plan, plant: PlantName | undefined): Promise<World> {
  const startedMs = Date.now();
  const history = newHistory();
  const receiver = await startReceiver(plan.seed, history);
  const server = await prepareServer(kind, history.lives, plant);
  const plans = plan.sandboxes.flatMap(({ clients }) => clients);
  const clients = plans.map((one) => new Client(one, server, plan.seed, history));
  const gate = createGate(clients.length);
  const checked: Checked = { plan, target: server, history, clients };
  const findings: string[] = [];
  const checkNow = async (isEnd: boolean): Promise<void> => {
    // A client that fails never waits.
    await Promise.race([gate.allWait(), work]);
    findings.push(...(await check(checked, isEnd)));
    const errors = server.errors();
    if (errors !== "") findings.push(`The server printed: ${errors}`);
  };
  let work: Promise<unknown> = Promise.resolve();
  try {
    await server.start();
    await setUp(checked, receiver.url);
    work = Promise.all(clients.map((client) => client.run(gate.pass)));
    // Awaited at the end.
    work.catch(() => {});
    for (const { afterMs, signal, duringStartMs } of plan.ends) {
      gate.open();
      await sleep(afterMs);
      // Only the command ends in order when it is asked to.
      const ended = server.end(kind === "sqlite" && plant === undefined ? signal : "SIGKILL");
      gate.close();
      await ended;
      if (duringStartMs !== undefined) await server.start(duringStartMs);
      await server.start();
      await checkNow(false);
      if (findings.length > 0) break;
    }
    if (findings.length === 0) await checkNow(true);
  } catch (error) {
    findings.push(String(error), server.errors());
  } finally {
    gate.end();
    await work.catch((error) => findings.push(`A client failed: ${error}`));
    await server.close().catch((error) => findings.push(String(error)));
    await receiver.close();
  }
  return { seed: plan.seed, history, findings, seconds: (Date.now() - startedMs) / 1000 };
}

/** Creates the sandboxes and their records. */
async function setUp({ plan, target, history }: Checked, receiverUrl: string): Promise<void> {
  for (const sandbox of plan.sandboxes) {
    const { name, options, policies } = sandbox;
    const control = controlOf(target, name, history);
    const seed = seedOf(sandbox, (_, destinationId) => `${receiverUrl}/${name}/${destinationId}`);
    const results =
      name === "default"
        ? [
            await control.POST("/_control/v1/seed", { body: seed }),
            await control.PATCH("/_control/v1/policies", { body: policies }),
          ]
        : [
            await controlOf(target, "default", history).POST("/_control/v1/sandboxes", {
              body: { name, ...options, policies, seed },
            }),
          ];
    for (const { error } of results) if (error !== undefined) throw new Error(messageOf(error));
  }
}
