// What is done to a store's server while events are delivered.
import { setTimeout as sleep } from "node:timers/promises";
import type { StoreServer } from "./store-server.ts";

/** `restart` is a SIGKILL and a new start, `hang` SIGSTOP and SIGCONT, `promote` replaces a primary by its replica. */
export const outageActs = ["none", "restart", "hang", "flush", "full", "promote"] as const;
export type OutageAct = (typeof outageActs)[number];

/** Does one act. Returns when the server works again. */
async function perform(act: OutageAct, server: StoreServer, hangMs: number): Promise<void> {
  if (act === "restart") return server.restart();
  if (act === "flush") return server.flush();
  if (act === "promote") return server.promote();
  if (act === "full") {
    await server.fill(true);
    await sleep(hangMs);
    return server.fill(false);
  }
  server.signal("SIGSTOP");
  await sleep(hangMs);
  server.signal("SIGCONT");
}

/** Does the act so many times, spread over the deliveries, first at their start. What is to be forgotten must be there before. Returns how often it was done before they ended. */
export async function actsOf(
  { act, times, hangMs }: { act: OutageAct; times: number; hangMs: number },
  server: StoreServer,
  work: Promise<unknown>,
  progress: () => number,
): Promise<number> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  let done = 0;
  for (; act !== "none" && done < times; done += 1) {
    while (!isOver && progress() < (done + (act === "flush" ? 0.5 : 0)) / times) await Promise.race([over, sleep(10)]);
    if (isOver) break;
    await perform(act, server, hangMs);
  }
  return done;
}
