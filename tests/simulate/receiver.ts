// The server of an app destination: it verifies offers with the secrets it holds, in time and out of it.
import type { Backend } from "@call-transfer/backend";
import {
  createWebhookHandler,
  memoryReplayStore,
  verifyWebhook,
  WebhookVerificationError,
} from "@call-transfer/sdk/webhooks";
import { limits, webhookSignature } from "@call-transfer/spec";
import type { Plan } from "./plan.ts";
import type { Random, Scheduler } from "./scheduler.ts";
import { receiverUrl } from "./world.ts";

/** A secret of a destination, and since when (milliseconds). */
export interface Issued {
  readonly secret: string;
  readonly from: number;
}

/** A server that receives offers. */
export interface Receiver {
  readonly fetch: typeof globalThis.fetch;
  /** Has an offer sent, and checks who accepts it. */
  offer(backend: Backend, destinationId: string, issued: readonly Issued[], plan: Plan): Promise<void>;
  /** The same around the end of the last overlap of each destination. */
  pastOverlap(backend: Backend, rotations: ReadonlyMap<string, readonly Issued[]>, plan: Plan): Promise<void>;
  /** How many offers came, copies included. */
  count(): { offers: number; copies: number };
}

interface Message {
  readonly header: string;
  readonly body: string;
}

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;
const { header: headerName, scheme, toleranceSecs } = webhookSignature;
const invariant = "10 offers";

/** Creates the receiver of one world. */
export function createReceiver(world: {
  readonly scheduler: Scheduler;
  readonly random: Random;
  trace(words: string): void;
  violate(invariant: string, message: string): void;
}): Receiver {
  const { scheduler, random, trace, violate } = world;
  let last: Message = { header: "", body: "" };
  let [offers, copies] = [0, 0];

  const accepts = async (message: Message, secret: string | readonly string[], now: number): Promise<boolean> => {
    const input = { body: message.body, headers: { [headerName]: message.header } };
    try {
      await verifyWebhook(input, { secret, now: () => now });
      return true;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) violate(invariant, `the verifier threw ${String(error)}`);
      return false;
    }
  };
  const expect = async (
    words: string,
    wanted: boolean,
    message: Message,
    secret: string | readonly string[],
    now: number,
  ): Promise<void> => {
    if ((await accepts(message, secret, now)) === wanted) return;
    violate(
      invariant,
      `${words}: ${wanted ? "refused" : "accepted"} at ${new Date(now).toISOString()}: ${message.header}`,
    );
  };

  const deliver = async (backend: Backend, destinationId: string, issued: readonly Issued[], now: number) => {
    backend.clock.set({ now });
    await backend.deliveries.trigger({ destinationId, caller: "+15550100099" });
    offers += 1;
    const message = last;
    const [newest, previous, ...older] = [...issued].reverse();
    if (newest === undefined) return;
    const skewMs = random.pick([0, -1, 1]) * (toleranceSecs - 1) * 1000;
    await expect("the newest secret", true, message, newest.secret, now + skewMs);
    if (previous === undefined) return;
    const overlaps = now < newest.from + overlapMs;
    await expect("the secret before the newest", overlaps, message, previous.secret, now);
    await expect("both secrets", true, message, [previous.secret, newest.secret], now);
    for (const { secret } of older.slice(0, 1)) await expect("an older secret", false, message, secret, now);
  };

  /** What may be done to a header on the way, and what a receiver must make of it. */
  const twist = async (secret: string, now: number): Promise<void> => {
    const { header, body } = last;
    const [time = "", ...signatures] = header.split(",");
    const zeros = `${scheme}=${"0".repeat(64)}`;
    const fake = (count: number) => Array.from({ length: count }, () => zeros);
    const twists: readonly (readonly [string, boolean, string])[] = [
      ["a malformed signature first", true, [time, `${scheme}=zz`, ...signatures].join(",")],
      ["a wrong signature first", true, [time, zeros, ...signatures].join(",")],
      ["an unknown scheme", true, [time, `v0=${"1".repeat(64)}`, ...signatures].join(",")],
      ["blanks after commas", true, [time, ...signatures].join(", ")],
      ["two times", false, [time, time, ...signatures].join(",")],
      ["another time", false, [`t=${Number(time.slice(2)) + 1}`, ...signatures].join(",")],
      ["a time that is no number", false, [`t=${time.slice(2)}x`, ...signatures].join(",")],
      ["no signature", false, time],
      ["a wrong signature alone", false, [time, zeros].join(",")],
      ["a signature cut short", false, [time, ...signatures.map((one) => one.slice(0, -2))].join(",")],
      ["too many signatures", false, [time, ...fake(8), ...signatures].join(",")],
      ["a header too long", false, [...signatures, time, `x=${"y".repeat(4096)}`].join(",")],
    ];
    const [words, wanted, twisted] = random.pick(twists);
    await expect(words, wanted, { header: twisted, body }, secret, now);
    await expect("a body that was changed", false, { header, body: `${body} ` }, secret, now);
    const late = random.pick([-1, 1]) * (toleranceSecs + 2) * 1000;
    await expect("a clock too far away", false, last, secret, now + late);
    const empty = await verifyWebhook(
      { body, headers: { [headerName]: header } },
      { secret: random.pick(["", " "]) },
    ).then(
      () => "was accepted",
      (error: unknown) => (error instanceof TypeError ? undefined : String(error)),
    );
    if (empty) violate(invariant, `an empty secret ${empty}`);
  };

  /** The same offer a second time, its header changed on the way, must not be handled again. */
  const twice = async (secret: string, now: number): Promise<void> => {
    copies += 1;
    let [time, handled] = [now, 0];
    const onEvent = (): void => {
      handled += 1;
    };
    const replayStore = memoryReplayStore({ now: () => time });
    const handle = createWebhookHandler({ secret, now: () => time, replayStore, onEvent });
    const offer = (header: string) =>
      new Request(receiverUrl, { method: "POST", body: last.body, headers: { [headerName]: header } });
    const first = await handle(offer(last.header));
    time += random.between(0, toleranceSecs - 1) * 1000;
    const second = await handle(offer(`${last.header},v0=${"0".repeat(64)}`));
    if (handled !== 1)
      violate(invariant, `a repeated offer was handled ${handled} times: ${first.status}, ${second.status}`);
  };

  return {
    fetch: async (_url, init = {}) => {
      const headers = new Headers(init.headers);
      last = { header: headers.get(headerName) ?? "", body: String(init.body) };
      return new Response(null, { status: 204 });
    },
    async offer(backend, destinationId, issued, plan) {
      const { now } = scheduler;
      await deliver(backend, destinationId, issued, now);
      const secret = issued.at(-1)?.secret ?? "";
      await twist(secret, now);
      if (random.chance(plan.duplicateOffers)) await twice(secret, now);
      trace(`offer to ${destinationId}`);
    },
    async pastOverlap(backend, rotations, plan) {
      for (const [id, issued] of rotations) {
        const end = (issued.at(-1)?.from ?? 0) + overlapMs;
        if (issued.length < 2 || plan.offers.length === 0) continue;
        await deliver(backend, id, issued, end - 1);
        await deliver(backend, id, issued, end);
      }
    },
    count: () => ({ offers, copies }),
  };
}
