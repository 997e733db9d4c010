import { limits as contractLimits } from "@call-transfer/spec";
import { limits } from "../facts/limits.ts";
import { accounts, destinations, firstSecret, hourMs, members, minuteMs, uuid } from "../fixtures/names.ts";
import { casesFor } from "../suite/case.ts";
import { rejectedAsUnknown } from "../suite/check.ts";
import { connect } from "../suite/client.ts";

const test = casesFor("destinations", ["state", "webhooks", "clock"]);
const overlapMs = limits.previousSecretOverlapHours * hourMs;

export const destinationCases = [
  test("a rotation returns the new secret, and its last characters as the hint", async (target, check) => {
    const { signingSecret, signingSecretHint } = await (await connect(target)).destinations.rotateSecret(
      destinations.app,
    );
    check.isTrue(typeof signingSecret === "string" && signingSecret !== firstSecret, "a new secret");
    check.equal(signingSecretHint, signingSecret?.slice(-contractLimits.signingSecretHintLength), "signingSecretHint");
  }),
  test("after a rotation the previous secret stays valid for the documented time", async (target, check) => {
    await target.clock.advance({ by: minuteMs + 500 });
    const rotated = await (await connect(target)).destinations.rotateSecret(destinations.app);
    const expiry = Date.parse(rotated.previousSecretExpiresAt ?? "");
    check.equal(expiry - target.clock.now(), overlapMs, "the overlap in milliseconds");
    check.equal(Date.parse(rotated.updatedAt), target.clock.now(), "updatedAt");
  }),
  test("each rotation creates a new secret and restarts the overlap", async (target, check) => {
    const client = await connect(target, { keyAccountId: accounts.home });
    const first = await client.destinations.rotateSecret(destinations.app);
    await target.clock.advance({ by: hourMs });
    const second = await client.destinations.rotateSecret(destinations.app);
    check.isTrue(first.signingSecret !== second.signingSecret, "different secrets");
    const expiry = Date.parse(second.previousSecretExpiresAt ?? "");
    check.equal(expiry, target.clock.now() + overlapMs, "previousSecretExpiresAt");
  }),
  test("a rotation changes nothing else of the destination", async (target, check) => {
    const client = await connect(target);
    const { id, name, kind, enabled, config } = await client.destinations.rotateSecret(destinations.app);
    const again = await client.destinations.rotateSecret(destinations.app);
    check.equal([id, kind, enabled], [destinations.app, "app", true], "id, kind, enabled");
    check.equal([again.name, again.config], [name, config], "name and config");
  }),
  test("only the rotation's response contains the secret", async (target, check) => {
    const client = await connect(target);
    const { signingSecret } = await client.destinations.rotateSecret(destinations.app);
    const group = await client.destinationGroups.create({
      name: "Front desk",
      members: [{ destinationId: destinations.app }],
    });
    const answers = [group, await client.accounts.list(), await client.members.getAvailability(members.colleague)];
    check.isTrue(!JSON.stringify(answers).includes(signingSecret ?? "?"), "the secret in no other response");
  }),
  test("a rotation sends no webhook", async (target, check) => {
    await (await connect(target)).destinations.rotateSecret(destinations.app);
    await target.clock.advance({ by: overlapMs });
    check.equal(target.deliveries.received().length, 0, "deliveries");
  }),
  ...Object.entries({ "a phone": destinations.phone, "the available people": destinations.people }).map(([what, id]) =>
    test(`a rotation for ${what} is rejected: only an app has a secret`, async (target, check) => {
      const rotation = (await connect(target)).destinations.rotateSecret(id);
      await check.rejectedWithStatus(rotation, "bad_request", "A-16", "the destination is not an app");
    }),
  ),
  ...Object.entries({ unknown: uuid(999), "another account's": destinations.foreignApp }).map(([what, id]) =>
    test(`a destination that is ${what} is not found`, async (target, check) => {
      const rotation = (await connect(target)).destinations.rotateSecret(id);
      await rejectedAsUnknown(check, rotation);
    }),
  ),
];
