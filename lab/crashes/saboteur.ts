// Kills and stops processes while events are delivered.
import { setTimeout as sleep } from "node:timers/promises";
import type { Fleet } from "./fleet.ts";
import type { Act } from "./plan.ts";
import type { StoreServer } from "./store-server.ts";

async function perform({ kind, receivers, durationMs }: Act, fleet: Fleet, server: StoreServer): Promise<void> {
  if (kind === "restart-store") return server.restart();
  if (kind === "kill") {
    await Promise.all(receivers.map((receiver) => fleet.kill(receiver)));
    await Promise.all(receivers.map((receiver) => fleet.start(receiver)));
    return;
  }
  for (const receiver of receivers) fleet.stop(receiver);
  await sleep(durationMs);
  for (const receiver of receivers) fleet.resume(receiver);
}

/** How often each kind of act was performed. */
export type ActCounts = Record<Act["kind"], number>;

/** Performs acts until `work` settles. All processes run when it returns. */
export async function sabotage(
  work: Promise<unknown>,
  acts: Iterable<Act>,
  fleet: Fleet,
  server: StoreServer,
): Promise<ActCounts> {
  const counts: ActCounts = { kill: 0, stop: 0, "restart-store": 0 };
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  for (const act of acts) {
    await Promise.race([over, sleep(act.afterMs)]);
    if (isOver) break;
    await perform(act, fleet, server);
    counts[act.kind] += 1;
  }
  await over;
  return counts;
}
