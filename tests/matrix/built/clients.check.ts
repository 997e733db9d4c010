// What the built SDK sends again and which webhooks it accepts, by the published vectors.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { CallTransfer, RequestError } from "@call-transfer/sdk";
import { verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { playScenario, type Scenario } from "../../../packages/sdk/tests/scenarios.ts";

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

interface Signed {
  readonly name: string;
  readonly secrets: readonly string[];
  readonly now: number;
  readonly toleranceSecs?: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string;
  readonly bodyBase64?: string;
  readonly expects: string;
}

describe("signatures of webhooks", () => {
  for (const vector of casesOf<Signed>("signatures"))
    it(vector.name, async () => {
      const { secrets, now, toleranceSecs = 300, bodyBase64, body = Buffer.from(bodyBase64 ?? "", "base64") } = vector;
      const headers: Record<string, string[]> = {};
      for (const [name, value] of vector.headers) headers[name] = [...(headers[name] ?? []), value];
      const options = { secret: secrets, toleranceMs: toleranceSecs * 1000, clock: { now: () => now * 1000 } };
      const outcome = await verifyWebhook({ body, headers }, options).then(
        () => "valid",
        (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
      );
      assert.equal(outcome, vector.expects);
    });
});
