// What the built SDK sends again and which webhooks it accepts, by the published vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import { verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { playScenario, type Scenario } from "../../../packages/sdk/tests/scenarios.ts";
import { judge, type Signed } from "../../../packages/sdk/tests/signed.ts";

const vectors = process.env.MATRIX_VECTORS ?? "packages/contract/vectors";
const casesOf = <Case>(name: string): readonly Case[] =>
  (JSON.parse(readFileSync(`${vectors}/${name}.json`, "utf8")) as { readonly cases: readonly Case[] }).cases;

describe("retries", () => {
  for (const scenario of casesOf<Scenario>("retries"))
    it(scenario.name, async () => {
      const { seen } = await playScenario({ CallTransfer, RequestError }, scenario);
      assert.deepEqual(seen, scenario.expect);
    });
});

describe("signatures of webhooks", () => {
  for (const vector of casesOf<Signed>("signatures"))
    it(vector.name, async () => {
      assert.equal(await judge({ verifyWebhook, WebhookVerificationError }, vector), vector.expects);
    });
});
