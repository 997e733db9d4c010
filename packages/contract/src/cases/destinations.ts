import { limits as contractLimits } from "@call-transfer/spec";
import { limits } from "../facts/limits.ts";
import { contractCase } from "../suite/case.ts";
import { connect } from "../suite/client.ts";
import { accounts, destinations, firstSecret, hourMs, members, minuteMs, uuid } from "../world/world.ts";

const noun = "destinations";
const needs = ["stateful", "destructive"] as const;
const overlapMs = limits.previousSecretOverlapHours * hourMs;

export const destinationCases = [
  contractCase({
    noun,
    name: "a rotation returns the new secret, and its last characters as the hint",
    needs,
    async run(target, check) {
      const { signingSecret, signingSecretHint } = await (await connect(target)).destinations.rotateSecret(
        destinations.app,
      );
      check.isTrue(typeof signingSecret === "string" && signingSecret !== firstSecret, "a new secret");
      check.equal(
        signingSecretHint,
        signingSecret?.slice(-contractLimits.signingSecretHintLength),
        "signingSecretHint",
      );
    },
  }),
  contractCase({
    noun,
    name: "after a rotation the previous secret stays valid for the documented time",
    needs: [...needs, "clock"],
    async run(target, check) {
      await target.clock.advance({ by: minuteMs + 500 });
      const rotated = await (await connect(target)).destinations.rotateSecret(destinations.app);
      const expiry = Date.parse(rotated.previousSecretExpiresAt ?? "");
      check.equal(expiry - target.clock.now(), overlapMs, "the overlap in milliseconds");
      check.equal(Date.parse(rotated.updatedAt), target.clock.now(), "updatedAt");
    },
  }),
  contractCase({
    noun,
    name: "each rotation creates a new secret and restarts the overlap",
    needs: [...needs, "clock"],
    async run(target, check) {
      const client = await connect(target, { keyOf: accounts.home });
      const first = await client.destinations.rotateSecret(destinations.app);
      await target.clock.advance({ by: hourMs });
      const second = await client.destinations.rotateSecret(destinations.app);
      check.isTrue(first.signingSecret !== second.signingSecret, "different secrets");
      const expiry = Date.parse(second.previousSecretExpiresAt ?? "");
      check.equal(expiry, target.clock.now() + overlapMs, "previousSecretExpiresAt");
    },
  }),
  contractCase({
    noun,
    name: "a rotation changes nothing else of the destination",
    needs,
    async run(target, check) {
      const client = await connect(target);
      const { id, name, kind, enabled, config } = await client.destinations.rotateSecret(destinations.app);
      const again = await client.destinations.rotateSecret(destinations.app);
      check.equal([id, kind, enabled], [destinations.app, "app", true], "id, kind, enabled");
      check.equal([again.name, again.config], [name, config], "name and config");
    },
  }),
  contractCase({
    noun,
    name: "only the rotation's response contains the secret",
    needs,
    async run(target, check) {
      const client = await connect(target);
      const { signingSecret } = await client.destinations.rotateSecret(destinations.app);
      const group = await client.destinationGroups.create({
        name: "Front desk",
        members: [{ destinationId: destinations.app }],
      });
      const answers = [group, await client.accounts.list(), await client.members.getAvailability(members.colleague)];
      check.isTrue(!JSON.stringify(answers).includes(signingSecret ?? "?"), "the secret in no other response");
    },
  }),
  contractCase({
    noun,
    name: "a rotation sends no webhook",
    needs: [...needs, "webhooks", "clock"],
    async run(target, check) {
      await (await connect(target)).destinations.rotateSecret(destinations.app);
      await target.clock.advance({ by: overlapMs });
      check.equal(target.deliveries.received().length, 0, "deliveries");
    },
  }),
  ...Object.entries({ "a phone": destinations.phone, "the available people": destinations.people }).map(([what, id]) =>
    contractCase({
      noun,
      name: `a rotation for ${what} is rejected: only an app has a secret`,
      needs,
      async run(target, check) {
        const rotation = (await connect(target)).destinations.rotateSecret(id);
        await check.rejectedWithStatusOf(rotation, "bad_request", "A-16", "the destination is not an app");
      },
    }),
  ),
  ...Object.entries({ unknown: uuid(999), "another account's": destinations.foreignApp }).map(([what, id]) =>
    contractCase({
      noun,
      name: `a destination that is ${what} is not found`,
      needs,
      async run(target, check) {
        const rotation = (await connect(target)).destinations.rotateSecret(id);
        await check.rejectedWithStatusOf(
          rotation,
          "resource_not_found",
          "A-16",
          "the member or destination is not in the account",
        );
      },
    }),
  ),
];
