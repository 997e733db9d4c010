import { createWebhookHandler } from "@call-transfer/sdk/webhooks";
import { redisEventStore } from "@call-transfer/sdk/webhooks/redis";
import { describe, expect, it, vi } from "vitest";

const unused = () => {
  throw new Error("must not be called");
};

describe("redisEventStore", () => {
  it.each<[object, string]>([
    [{ keyPrefix: 1 }, "keyPrefix must be a string"],
    [{ retentionMs: 0 }, "retentionMs must be an integer above 0"],
    [{ retentionMs: 0.5 }, "retentionMs must be an integer above 0"],
  ])("rejects the options %j", (options, message) => {
    expect(() => redisEventStore(unused, options)).toThrow(new TypeError(message));
  });

  it("rejects a client in place of a function", () => {
    expect(() => redisEventStore({ eval: unused } as never)).toThrow("requires a function that runs a script");
  });

  it("gives Redis whole milliseconds, and one key with the prefix", async () => {
    const run = vi.fn(async () => ["claimed", "1"]);
    const store = redisEventStore(run, { keyPrefix: "app:" });
    expect(await store.claim("key", "owner", 666.6)).toEqual({ state: "claimed" });
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.any(String), "app:key", ["owner", "667"]);
  });

  it("keeps responses for retentionMs", async () => {
    const run = vi.fn(async () => 1);
    expect(await redisEventStore(run, { retentionMs: 600_000 }).complete("key", "owner", "text")).toBe(true);
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.any(String), expect.any(String), ["owner", "text", "600000"]);
  });

  it("reads replies of bytes", async () => {
    const reply = ["completed", '{"status":204}'].map((text) => Buffer.from(text));
    const store = redisEventStore(async () => reply);
    expect(await store.claim("key", "owner", 2000)).toEqual({ state: "completed", response: '{"status":204}' });
  });

  it.each([undefined, "OK", [], ["1"]])(
    "rejects the reply %j of a function that does not return the script's",
    async (reply) => {
      const store = redisEventStore(async () => reply);
      await expect(store.claim("key", "owner", 2000)).rejects.toThrow("must return the script's reply");
    },
  );
});

describe("checkReadiness() of a handler over Redis", () => {
  // As @upstash/redis does by default.
  it.each([
    ["an own event", ["claimed", 1]],
    ["an answer", ["completed", { version: 1, status: 204, owner: "another" }]],
    ["an answer of text", ["completed", null]],
  ])("reports a client that parses the reply to a claim of %s", async (_, reply) => {
    const store = redisEventStore(async () => reply);
    const { ready, problems } = await createWebhookHandler({ secret: "s", onEvent: unused, store }).checkReadiness();
    expect([ready, problems]).toEqual([
      false,
      [{ code: "store_failed", message: expect.stringContaining("automaticDeserialization: false") }],
    ]);
  });
});
