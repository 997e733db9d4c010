// The apps: receive offers, write them down, and answer as the id of the event says.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { webhookSignature } from "@call-transfer/spec";
import { createRandom } from "../../simulate/scheduler.ts";
import type { History } from "../history.ts";

/** What an app does with an offer: accepts it, declines it, or closes the connection. */
export type Reaction = "accept" | "decline" | "hang up";

/** The reaction to an event, which follows from its id. A repeated event gets the same. */
export function reactionTo(seed: number, eventId: string): Reaction {
  const draw = createRandom(seed, `reaction to ${eventId}`).next();
  if (draw < 0.6) return "accept";
  return draw < 0.85 ? "decline" : "hang up";
}

/** Milliseconds until the reaction. Only to a repetition at once, so that kills come before answers, but not forever. */
function delayOf(seed: number, eventId: string, isRepeated: boolean): number {
  const random = createRandom(seed, `delay of ${eventId}`);
  if (isRepeated) return 100;
  return random.chance(0.3) ? random.between(300, 900) : random.between(100, 300);
}

export interface Receiver {
  /** Base URL, without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/** Starts the receiver on a free port. The paths of its addresses are `/SANDBOX/DESTINATION`. */
export async function startReceiver(seed: number, history: History): Promise<Receiver> {
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    try {
      const [, sandbox = "", destinationId = ""] = (request.url ?? "").split("/");
      // The sender may end while it sends.
      const body = await text(request);
      const header = String(request.headers[webhookSignature.header.toLowerCase()]);
      const life = history.lives.length - 1;
      history.offers.push({ sandbox, destinationId, receivedMs: Date.now(), life, header, body });
      const { id } = JSON.parse(body) as { readonly id: string };
      const delayMs = delayOf(seed, id, seen.has(id));
      seen.add(id);
      await sleep(delayMs);
      const reaction = reactionTo(seed, id);
      if (reaction === "hang up") response.destroy();
      else response.writeHead(reaction === "accept" ? 204 : 409).end();
    } catch {
      response.destroy();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
