import { verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import { schemaViolations } from "../document/check-response.ts";
import { headers, limits, webhook } from "../facts/limits.ts";
import { accounts, destinations, firstSecret, hourMs, receiverUrl } from "../fixtures/names.ts";
import { type ContractCase, casesFor, covering, shows } from "../suite/case.ts";
import type { Check } from "../suite/check.ts";
import { connect } from "../suite/client.ts";
import type { Delivery, TargetWith } from "../suite/target.ts";

const requires = ["webhooks", "clock", "state"] as const;
const test = casesFor("webhooks", requires);
type Platform = TargetWith<(typeof requires)[number]>;
const overlapMs = limits.previousSecretOverlapHours * hourMs;
const delivered = (signing: "signed" | "rotated") => ({
  kind: "webhook" as const,
  event: webhook.event,
  signing,
});

/** Triggers an offer to the app destination and returns the delivery. */
async function offer(target: Platform): Promise<Delivery> {
  await target.deliveries.trigger({ destinationId: destinations.app });
  const delivery = target.deliveries.received().at(-1);
  if (!delivery) throw new Error("The receiver got no delivery");
  return delivery;
}

/** Brings the clock to a fraction of a second, so that times compared in whole seconds differ from exact ones. */
const toFraction = (target: Platform): Promise<void> => target.clock.advance({ by: 500 });

/** Rotates the secret with a key, because a token would expire when the clock is advanced. */
async function rotate(target: Platform): Promise<string> {
  const client = await connect(target, { keyAccountId: accounts.home });
  return (await client.destinations.rotateSecret(destinations.app)).signingSecret ?? "";
}

const headerOf = (delivery: Delivery): string => delivery.headers.get(headers.signature) ?? "";
const signaturesOf = (delivery: Delivery): string[] =>
  headerOf(delivery)
    .split(",")
    .filter((part) => part.startsWith(`${webhook.scheme}=`));

/** The delivery with only one of its signatures. */
function withSignature(delivery: Delivery, index: number): Delivery {
  const [time = ""] = headerOf(delivery).split(",");
  const signature = `${time},${signaturesOf(delivery)[index] ?? ""}`;
  return { ...delivery, headers: new Headers({ [headers.signature]: signature }) };
}

const verify = (target: Platform, { body, headers }: Delivery, secret: string) =>
  verifyWebhook({ body, headers }, { secret, clock: target.clock });

async function verifies(target: Platform, delivery: Delivery, secret: string): Promise<boolean> {
  try {
    await verify(target, delivery, secret);
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

/** Checks that a delivery is signed with exactly these secrets, in order. */
async function signedBy(target: Platform, check: Check, delivery: Delivery, secrets: readonly string[]): Promise<void> {
  check.equal(signaturesOf(delivery).length, secrets.length, "signatures");
  for (const [index, secret] of secrets.entries()) {
    const genuine = await verifies(target, withSignature(delivery, index), secret);
    check.isTrue(genuine, `signature ${index + 1} is made with the secret that stands there`);
  }
}

/** Signed deliveries: the platform signs, the SDK verifies, and neither shares code with the other (§6). */
export const webhookCases: readonly ContractCase[] = [
  test("an offer goes to the app's URL, is signed with the current time, and matches the schema", async (target, check) => {
    await toFraction(target);
    const delivery = await offer(target);
    check.equal(target.deliveries.received().length, 1, "deliveries");
    check.equal(delivery.url, receiverUrl, "address");
    check.equal(delivery.headers.get("Content-Type")?.split(";")[0], "application/json", "content type");
    const form = /^t=(\d+),v1=[0-9a-f]{64}$/.exec(headerOf(delivery));
    check.equal(form?.[1], String(Math.floor(target.clock.now() / 1000)), "t");
    check.equal(schemaViolations("#/components/schemas/TransferOffer", JSON.parse(delivery.body)), [], "payload");
  }),
  covering(
    [delivered("signed")],
    test("the SDK verifies an offer and returns it typed", async (target, check) => {
      const event = await verify(target, await offer(target), firstSecret);
      check.equal([event.type, event.destinationId], [webhook.event, destinations.app], "type and destinationId");
    }),
  ),
  test("a wrong secret, a changed body and an old timestamp are rejected", async (target, check) => {
    const delivery = await offer(target);
    check.isTrue(!(await verifies(target, delivery, `${firstSecret}x`)), "another secret is refused");
    const changed = { ...delivery, body: `${delivery.body} ` };
    check.isTrue(!(await verifies(target, changed, firstSecret)), "another body is refused");
    await target.clock.advance({ by: (webhookSignature.toleranceSecs + 1) * 1000 });
    check.isTrue(!(await verifies(target, delivery, firstSecret)), "a stale time is refused");
  }),
  covering(
    [delivered("rotated"), ...shows("signing secret: current → previous, by a rotation")],
    test("after a rotation two signatures come, the new secret's first, and a receiver with either accepts", async (target, check) => {
      const secret = await rotate(target);
      const delivery = await offer(target);
      await signedBy(target, check, delivery, [secret, firstSecret]);
      check.isTrue(await verifies(target, delivery, secret), "a receiver with the new secret accepts");
      check.isTrue(await verifies(target, delivery, firstSecret), "a receiver with the previous secret accepts");
    }),
  ),
  test("a millisecond before the overlap ends the previous secret still signs", async (target, check) => {
    await toFraction(target);
    const secret = await rotate(target);
    await target.clock.advance({ by: overlapMs - 1 });
    await signedBy(target, check, await offer(target), [secret, firstSecret]);
  }),
  covering(
    shows("signing secret: previous → invalid, when the overlap ends"),
    test("at exactly previousSecretExpiresAt only the new secret signs", async (target, check) => {
      await toFraction(target);
      const secret = await rotate(target);
      await target.clock.advance({ by: overlapMs });
      await signedBy(target, check, await offer(target), [secret]);
    }),
  ),
  covering(
    shows("signing secret: previous → invalid, by the next rotation"),
    test("after two rotations in a day there are two signatures, and the oldest secret no longer signs", async (target, check) => {
      const second = await rotate(target);
      await target.clock.advance({ by: hourMs });
      const third = await rotate(target);
      const delivery = await offer(target);
      await signedBy(target, check, delivery, [third, second]);
      check.isTrue(!(await verifies(target, delivery, firstSecret)), "the oldest secret no longer verifies");
    }),
  ),
];
