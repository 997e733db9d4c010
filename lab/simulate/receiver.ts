// The server of an app destination. It verifies offers with valid and expired secrets, in time and too late.
import { createWebhookHandler, verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { limits, webhookSignature } from "@call-transfer/spec";
import { type Message, receiveOffers } from "./receiving.ts";
import type { Receiving } from "./receiving-plan.ts";
import type { World } from "./records.ts";
import type { Random } from "./scheduler.ts";
import { receiverUrl } from "./seed.ts";

export type Receiver = ReturnType<typeof createReceiver>;

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;
const { header: headerName, scheme, toleranceSecs } = webhookSignature;
const invariant = "10 offers";

type Expected = "accepted" | "refused";

/** Changes of a header, each with a title and the result that the receiver must reach. */
function changedHeaders(header: string): (readonly [string, Expected, string])[] {
  const [time = "", ...signatures] = header.split(",");
  const zeros = `${scheme}=${"0".repeat(64)}`;
  const fake = (count: number) => Array.from({ length: count }, () => zeros);
  return [
    ["a malformed signature first", "accepted", [time, `${scheme}=zz`, ...signatures].join(",")],
    ["a wrong signature first", "accepted", [time, zeros, ...signatures].join(",")],
    ["an unknown scheme", "accepted", [time, `v0=${"1".repeat(64)}`, ...signatures].join(",")],
    ["spaces after commas", "accepted", [time, ...signatures].join(", ")],
    ["two timestamps", "refused", [time, time, ...signatures].join(",")],
    ["another timestamp", "refused", [`t=${Number(time.slice(2)) + 1}`, ...signatures].join(",")],
    ["a timestamp that is not a number", "refused", [`t=${time.slice(2)}x`, ...signatures].join(",")],
    ["no signature", "refused", time],
    ["only a wrong signature", "refused", [time, zeros].join(",")],
    ["a truncated signature", "refused", [time, ...signatures.map((one) => one.slice(0, -2))].join(",")],
    ["too many signatures", "refused", [time, ...fake(8), ...signatures].join(",")],
    ["a header above the length limit", "refused", [...signatures, time, `x=${"y".repeat(4096)}`].join(",")],
  ];
}

/** Creates the receiver of one world. */
export function createReceiver(world: World, random: Random) {
  const { scheduler, backend, plan, rotations, log, violate } = world;
  let last: Message = { header: "", body: "" };
  let [offers, copies] = [0, 0];

  const accepts = async (message: Message, secret: string | readonly string[], now: number): Promise<boolean> => {
    const input = { body: message.body, headers: { [headerName]: message.header } };
    try {
      await verifyWebhook(input, { secret, clock: { now: () => now } });
      return true;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) violate(invariant, `the verifier threw ${String(error)}`);
      return false;
    }
  };
  const expect = async (
    title: string,
    expected: Expected,
    message: Message,
    secret: string | readonly string[],
    now: number,
  ): Promise<void> => {
    const actual = (await accepts(message, secret, now)) ? "accepted" : "refused";
    if (actual === expected) return;
    violate(invariant, `${title} was ${actual} at ${new Date(now).toISOString()}: ${message.header}`);
  };

  const deliver = async (destinationId: string, now: number) => {
    backend.clock.set({ now });
    await backend.deliveries.trigger({ destinationId, caller: "+15550100099" });
    offers += 1;
    const message = last;
    const [newest, previous, ...older] = (rotations.get(destinationId) ?? []).toReversed();
    if (newest === undefined) return;
    const skewMs = random.pick([0, -1, 1]) * (toleranceSecs - 1) * 1000;
    await expect("the newest secret", "accepted", message, newest.secret, now + skewMs);
    if (previous === undefined) return;
    const overlap = now < newest.from + overlapMs ? "accepted" : "refused";
    await expect("the previous secret", overlap, message, previous.secret, now);
    await expect("both secrets", "accepted", message, [previous.secret, newest.secret], now);
    for (const { secret } of older.slice(0, 1)) await expect("an older secret", "refused", message, secret, now);
  };

  /** Changes the header or the body of the last offer, and checks whether the receiver accepts it. */
  const tamper = async (secret: string, now: number): Promise<void> => {
    const { header, body } = last;
    const [title, expected, changed] = random.pick(changedHeaders(header));
    await expect(title, expected, { header: changed, body }, secret, now);
    await expect("a changed body", "refused", { header, body: `${body} ` }, secret, now);
    const late = random.pick([-1, 1]) * (toleranceSecs + 2) * 1000;
    await expect("a timestamp outside the tolerance", "refused", last, secret, now + late);
    const result: unknown = await verifyWebhook(
      { body, headers: { [headerName]: header } },
      { secret: random.pick(["", " "]) },
    ).catch((error: unknown) => error);
    if (!(result instanceof TypeError)) violate(invariant, `an empty secret did not throw a TypeError: ${result}`);
  };

  /** Sends the last offer again with a changed header. The handler must not handle it twice. */
  const repeat = async (secret: string, now: number): Promise<void> => {
    copies += 1;
    let [time, handled] = [now, 0];
    const onEvent = (): void => {
      handled += 1;
    };
    const handle = createWebhookHandler({ secret, clock: { now: () => time }, onEvent });
    const offer = (header: string) =>
      new Request(receiverUrl, { method: "POST", body: last.body, headers: { [headerName]: header } });
    const first = await handle(offer(last.header));
    time += random.between(0, toleranceSecs - 1) * 1000;
    const second = await handle(offer(`${last.header},v0=${"0".repeat(64)}`));
    if (handled !== 1)
      violate(invariant, `a repeated offer was handled ${handled} times (${first.status}, ${second.status})`);
  };

  return {
    async fetch(_url: unknown, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      last = { header: headers.get(headerName) ?? "", body: String(init.body) };
      return new Response(null, { status: 204 });
    },
    /** Sends copies of new offers to receivers that share a store. */
    async receive(destinationId: string, random: Random): Promise<Receiving> {
      backend.clock.set({ now: scheduler.now });
      const messages: Message[] = [];
      for (let sent = 0; sent < plan.sharedOffers; sent += 1) {
        await backend.deliveries.trigger({ destinationId, caller: "+15550100099" });
        messages.push(last);
      }
      return receiveOffers(world, random, messages, rotations.get(destinationId)?.at(-1)?.secret ?? "");
    },
    /** Triggers an offer, and checks which secrets accept it. */
    async offer(destinationId: string): Promise<void> {
      const { now } = scheduler;
      const secret = rotations.get(destinationId)?.at(-1)?.secret ?? "";
      await deliver(destinationId, now);
      await tamper(secret, now);
      if (random.chance(plan.duplicateOffers)) await repeat(secret, now);
      log(`offer to ${destinationId}`);
    },
    /** Does the same just before and at the end of each destination's overlap. */
    async pastOverlap(): Promise<void> {
      for (const [id, issued] of rotations) {
        const end = (issued.at(-1)?.from ?? 0) + overlapMs;
        if (issued.length < 2 || plan.offers.length === 0) continue;
        await deliver(id, end - 1);
        await deliver(id, end);
      }
    },
    /** The number of offers, and of those that arrived twice. */
    count: () => ({ offers, copies }),
  };
}
