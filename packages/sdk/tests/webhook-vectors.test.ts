// The published vectors of signatures and of keys in stores: what receivers in every language must accept, refuse and call an event.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createWebhookHandler, signWebhook, verifyWebhook, WebhookVerificationError } from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";
import { judge, type Signed } from "./signed.ts";

const casesOf = <Case>(name: string): readonly Case[] => {
  const file = new URL(`../../contract/vectors/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Case[] }).cases;
};

describe("a signature is judged as the vectors say", () => {
  it.each(casesOf<Signed>("signatures"))("$name", async (vector) => {
    expect(await judge({ verifyWebhook, WebhookVerificationError }, vector)).toBe(vector.expects);
  });
});

interface Keyed {
  readonly name: string;
  readonly body: string;
  readonly key: string;
}

describe("an event has the key that the vectors say", () => {
  it.each(casesOf<Keyed>("event-keys"))("$name", async ({ body, key }) => {
    const memory = memoryStore();
    const keys: string[] = [];
    const store = {
      ...memory,
      claim: (...claimed: Parameters<typeof memory.claim>) => {
        keys.push(claimed[0]);
        return memory.claim(...claimed);
      },
    };
    const receive = createWebhookHandler({ secret: "secret", store, onEvent() {} });
    const headers = { "Service-Signature": await signWebhook(body, { secret: "secret" }) };
    const { status } = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
    expect([status, keys]).toEqual([204, [key]]);
  });
});
