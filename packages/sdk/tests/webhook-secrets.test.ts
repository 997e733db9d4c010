import { describe, expect, it, vi } from "vitest";
import { createWebhookHandler, type SecretSource, signWebhook } from "../src/webhooks.ts";

const at = Date.parse("2026-03-02T12:00:00Z");
const body = JSON.stringify({ type: "transfer.offer", id: "evt_1" });

/** A handler, and a function that sends it a webhook signed with the secrets. Returns the status. */
function receiver(secret: SecretSource) {
  const onError = vi.fn();
  const handle = createWebhookHandler({
    secret,
    clock: { now: () => at },
    onEvent() {},
    onError: (error) => void onError(error),
  });
  const send = async (...secrets: string[]): Promise<number> => {
    const headers = { "Service-Signature": await signWebhook(body, { secret: secrets, timestampMs: at }) };
    return (await handle(new Request("https://receiver.example.com/", { method: "POST", body, headers }))).status;
  };
  return { handle, send, onError };
}

describe("a function as the secret of a webhook handler", () => {
  it("lets secrets change while the handler runs", async () => {
    let current: string | string[] = "old";
    const { send } = receiver(() => current);
    expect([await send("old"), await send("new")]).toEqual([204, 400]);
    current = ["new", "old"];
    expect([await send("old"), await send("new"), await send("new", "old")]).toEqual([204, 204, 204]);
    current = ["new"];
    expect([await send("old"), await send("new")]).toEqual([400, 204]);
  });

  it("is not called before the first webhook", () => {
    const secret = vi.fn(() => "secret");
    receiver(secret);
    expect(secret).not.toHaveBeenCalled();
  });

  it.each([
    ["rejects", () => Promise.reject(new Error("vault sealed")), "vault sealed"],
    [
      "throws",
      () => {
        throw new Error("vault sealed");
      },
      "vault sealed",
    ],
    ["returns an empty secret", () => "", "secret must be non-empty text"],
    ["returns nothing", () => undefined as never, "secret must be a signing secret or a list of them"],
  ])("leaves the last secrets in use when it %s, and onError gets the reason", async (_, fails, reason) => {
    const source = vi.fn<SecretSource>().mockReturnValueOnce("old").mockImplementation(fails);
    const { send, onError } = receiver(source);
    expect([await send("old"), await send("old"), await send("new")]).toEqual([204, 204, 400]);
    expect(onError.mock.calls[0]?.[0].message).toContain(reason);
  });

  it("leaves the last secrets in use when it takes longer than 2 seconds", async () => {
    const source = vi
      .fn<SecretSource>()
      .mockReturnValueOnce("old")
      .mockReturnValue(new Promise(() => {}));
    const { send, onError } = receiver(source);
    expect(await send("old")).toBe(204);
    vi.useFakeTimers();
    try {
      const sent = send("old");
      await vi.waitFor(() => expect(source).toHaveBeenCalledTimes(2), { timeout: 240_000 });
      await vi.advanceTimersByTimeAsync(2000);
      expect(await sent).toBe(204);
    } finally {
      vi.useRealTimers();
    }
    expect(onError).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({
        code: "secret_lookup_failed",
        message: "The function for secret did not answer within 2000 ms.",
      }),
    );
  });

  it("is not called for a webhook without a well-formed signature", async () => {
    const secret = vi.fn(() => "secret");
    const handle = createWebhookHandler({ secret, onEvent() {} });
    for (const headers of [{}, { "Service-Signature": "t=1,v1=zz" }])
      expect(
        (await handle(new Request("https://receiver.example.com/", { method: "POST", body, headers }))).status,
      ).toBe(400);
    expect(secret).not.toHaveBeenCalled();
  });

  it("keeps a handler from being ready while it fails and never succeeded", async () => {
    const source = vi.fn<SecretSource>(() => Promise.reject(new Error("vault sealed")));
    const { handle, send } = receiver(source);
    const message = "no secret to verify with: vault sealed. Fix it. Until then, offers get a 500.";
    expect(await handle.checkReadiness()).toEqual({
      ready: false,
      problems: [{ code: "secret_lookup_failed", message }],
    });
    source.mockReturnValueOnce([]);
    expect(await handle.checkReadiness()).toMatchObject({ ready: false, problems: [{ code: "secret_lookup_failed" }] });
    source.mockReturnValueOnce("old");
    expect((await handle.checkReadiness()).ready).toBe(true);
    expect((await handle.checkReadiness()).ready).toBe(true);
    expect(source).toHaveBeenCalledTimes(3);
    expect(await send("old")).toBe(204);
  });
});
