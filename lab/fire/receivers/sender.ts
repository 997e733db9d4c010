// Plays the platform: signs events, delivers their copies, and tries each again until it has a final answer.
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import { createRandom, type Random } from "../../simulate/scheduler.ts";
import { type Answer, type Attempt, type Delivery, eventHeader, secret } from "./history.ts";
import type { CopyPlan, EventPlan } from "./plan.ts";

/** The platform gives an attempt up after this time. */
const attemptMs = 10_000;
/** After this time without a final answer, a delivery is lost. */
const giveUpMs = 60_000;

export interface SenderOptions {
  readonly seed: number;
  readonly ports: readonly number[];
  /** How many events are delivered at once. */
  readonly atOnce: number;
}

/** Creates a sender. Its deliveries are added to `deliveries` when they are over. */
export function createSender({ seed, ports, atOnce }: SenderOptions, deliveries: Delivery[]) {
  const agent = new Agent({ keepAlive: true });

  const attempt = (receiver: number, event: EventPlan, header: string): Promise<Answer | undefined> =>
    new Promise((resolve) => {
      const headers = {
        "content-type": "application/json",
        [webhookSignature.header]: header,
        [eventHeader]: event.body.id,
      };
      const sent = request({ host: "127.0.0.1", port: ports[receiver], method: "POST", agent, headers });
      const end = (answer: Answer | undefined): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      const timer = setTimeout(() => sent.destroy(), attemptMs);
      sent.on("error", () => end(undefined));
      sent.on("close", () => end(undefined));
      sent.on("response", (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", () => end(undefined));
        response.on("end", () =>
          end({
            status: response.statusCode ?? 0,
            contentType: response.headers["content-type"],
            body: Buffer.concat(parts).toString(),
          }),
        );
      });
      sent.end(JSON.stringify(event.body));
    });

  const deliver = async (event: EventPlan, copy: CopyPlan, random: Random, nowMs: number): Promise<void> => {
    await sleep(copy.delayMs);
    const header = await signWebhook(JSON.stringify(event.body), { secret, timestampMs: nowMs - copy.ageSecs * 1000 });
    const attempts: Attempt[] = [];
    const started = Date.now();
    let answer: Answer | undefined;
    for (let receiver = copy.receiver; Date.now() - started < giveUpMs; receiver = random.below(ports.length)) {
      const response = await attempt(receiver, event, header);
      attempts.push({ receiver, status: response?.status });
      if (response !== undefined && response.status < 500) {
        answer = response;
        break;
      }
      await sleep(random.between(10, 150));
    }
    deliveries.push({ event: event.body.id, when: copy.when, attempts, answer });
  };

  /** Delivers the copies of each event that are chosen, `atOnce` events at a time. */
  const deliverAll = async (events: readonly EventPlan[], chosen: (copy: CopyPlan) => boolean): Promise<void> => {
    const left = events.values();
    const worker = async (): Promise<void> => {
      for (const event of left) {
        // From the event's id, not in turn: the order of events depends on how long each takes.
        const random = createRandom(seed, event.body.id);
        const nowMs = Date.now();
        await Promise.all(event.copies.filter(chosen).map((copy) => deliver(event, copy, random, nowMs)));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  return { deliverAll, close: () => agent.destroy() };
}
