// The published vectors of signatures and of keys in stores: what receivers in every language must accept, refuse and call an event.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createWebhookHandler,
  memoryEventStore,
  signWebhook,
  verifyWebhook,
  WebhookVerificationError,
} from "../src/webhooks.ts";

const casesOf = <Case>(name: string): readonly Case[] => {
  const file = new URL(`../../contract/vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Case[] }).cases;
};

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

describe("a signature is judged as the vectors say", () => {
  it.each(casesOf<Signed>("signatures"))("$name", async (vector) => {
    const { secrets, now, toleranceSecs = 300, bodyBase64, body = Buffer.from(bodyBase64 ?? "", "base64") } = vector;
    const headers = Object.fromEntries(
      [...Map.groupBy(vector.headers, ([name]) => name)].map(([name, pairs]) => [
        name,
        pairs.map(([, value]) => value),
      ]),
    );
    const options = { secret: secrets, toleranceMs: toleranceSecs * 1000, clock: { now: () => now * 1000 } };
    const outcome = await verifyWebhook({ body, headers }, options).then(
      () => "valid",
      (error: unknown) => (error instanceof WebhookVerificationError ? error.code : error),
    );
    expect(outcome).toBe(vector.expects);
  });
});

interface Keyed {
  readonly name: string;
  readonly scope: string;
  readonly body: string;
  readonly key: string;
}

describe("an event has the key that the vectors say", () => {
  it.each(casesOf<Keyed>("event-keys"))("$name", async ({ scope, body, key }) => {
    const memory = memoryEventStore();
    const keys: string[] = [];
    const store = {
      ...memory,
      claim: (...claimed: Parameters<typeof memory.claim>) => {
        keys.push(claimed[0]);
        return memory.claim(...claimed);
      },
    };
    const receive = createWebhookHandler({ secret: "secret", scope, store, onEvent() {} });
    const headers = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    const { status } = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    expect([status, keys]).toEqual([204, [key]]);
  });
});
