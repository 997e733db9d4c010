import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Fault } from "../../src/faults/fault.ts";
import type { WebhookFaultAction } from "../../src/generated/models.gen.ts";
import type { DestinationRecord } from "../../src/model/records.ts";
import { sign } from "../../src/platform/delivery-plan.ts";
import { inboxUrl } from "../../src/platform/inbox.ts";
import { InputError } from "../../src/utils/input-error.ts";
import { send } from "../test-client.ts";

const destinationId = demo.destinations.app;
const address = "http://127.0.0.1:4011/offers";
const header = "service-signature";

interface Received {
  /** Seconds since the start. */
  readonly at: number;
  readonly url: string;
  readonly signature: string | undefined;
  readonly body: string;
}

/** A backend with faults and a receiver that answers with the statuses in turn, then with the last; 0 is no answer. */
function receiving(faults: readonly Fault[], ...statuses: number[]) {
  const received: Received[] = [];
  const backend: Backend = createBackend({
    faults,
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      received.push({
        at: secondsOf(backend),
        url: String(url),
        signature: headers.get(header) ?? undefined,
        body: String(init?.body),
      });
      const status = statuses[Math.min(received.length, statuses.length) - 1] ?? 204;
      if (status === 0) throw new Error("refused");
      return new Response(null, { status });
    },
  });
  return { backend, received };
}

const start = Date.parse("2026-03-02T12:00:00Z");
const secondsOf = (backend: Backend): number => (backend.clock.now() - start) / 1000;
/** Changes the destination without the checks of the control plane. */
function change({ state }: Backend, fields: Partial<DestinationRecord>): void {
  const destination = state.destinations.get(destinationId);
  if (destination !== undefined) state.destinations.set(destinationId, { ...destination, ...fields });
}
const doing = (action: WebhookFaultAction): Fault[] => [{ webhooks: {}, do: action }];
const signedAt = (body: string, secs: number, ...secrets: string[]): string =>
  sign(body, secrets.length > 0 ? secrets : [demo.signingSecret], start + secs * 1000, {}, false).header;
const callsOf = (received: readonly Received[]) => received.map(({ at, body }) => [at, JSON.parse(body).callId]);

describe("duplicate", () => {
  it("sends the same bytes with the same signature at the same time", async () => {
    const { backend, received } = receiving(doing({ duplicate: { copies: 3 } }));
    const { id, body } = await backend.deliveries.trigger({ destinationId });
    const copy = { at: 0, url: address, signature: signedAt(body, 0), body };
    expect(received).toEqual([copy, copy, copy]);
    const [first, ...others] = backend.deliveries.list();
    expect(first).toMatchObject({ id, fault: "fault-1", faultAction: { duplicate: { copies: 3 } } });
    expect(others).toMatchObject([{ redeliveryOf: id }, { redeliveryOf: id }]);
    expect(new Set(backend.deliveries.list().map((delivery) => delivery.id)).size).toBe(3);
  });

  it("sends the copies apart, on the clock", async () => {
    const { backend, received } = receiving(doing({ duplicate: { copies: 3, intervalSecs: 2 } }));
    const { body } = await backend.deliveries.trigger({ destinationId });
    expect(backend.upcomingTimers()[0]).toMatchObject({ at: start + 2000, kind: "webhook.sends" });
    await backend.advance({ by: 60_000 });
    expect(received.map(({ at }) => at)).toEqual([0, 2, 4]);
    expect(new Set(received.map(({ signature }) => signature))).toEqual(new Set([signedAt(body, 0)]));
  });

  it.each([0, 2])(
    "lets a copy wait for an answer that sleeps on the clock (%i seconds apart)",
    async (intervalSecs) => {
      let first: Promise<Response> | undefined;
      const decide = async () => {
        await backend.clock.sleep(7000);
        return new Response(null, { status: 204 });
      };
      const backend: Backend = createBackend({
        faults: doing({ duplicate: { copies: 2, intervalSecs } }),
        fetch: async () => {
          first ??= decide();
          return (await first).clone();
        },
      });
      void backend.deliveries.trigger({ destinationId });
      await backend.advance({ by: 60_000 });
      expect(backend.deliveries.list()).toMatchObject([{ accepted: true }, { accepted: true }]);
    },
  );
});

describe("retry", () => {
  it("sends the event again with a new signature and growing gaps, until a 2xx", async () => {
    const { backend, received } = receiving(doing({ retry: { times: 5, afterSecs: 3 } }), 500, 0, 503, 200);
    const triggered = backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 600_000 });
    expect(received.map(({ at }) => at)).toEqual([0, 3, 9, 21]);
    const { id, body } = backend.deliveries.list()[0] ?? { id: "", body: "" };
    expect(received.map(({ signature }) => signature)).toEqual([0, 3, 9, 21].map((at) => signedAt(body, at)));
    expect(await triggered).toMatchObject({ status: 200, accepted: true, redeliveryOf: id, body, fault: "fault-1" });
  });

  it("sends again after a 2xx only if that is ignored", async () => {
    const count = async (ignoreSuccess: boolean) => {
      const { backend, received } = receiving(doing({ retry: { times: 2, afterSecs: 1, ignoreSuccess } }), 204, 500);
      expect(await backend.deliveries.trigger({ destinationId })).toMatchObject({ status: 204 });
      await backend.advance({ by: 60_000 });
      return received.length;
    };
    expect([await count(false), await count(true)]).toEqual([1, 3]);
  });

  it("signs with the secrets of its own time and sends to the address of its own time", async () => {
    const { backend, received } = receiving(doing({ retry: { times: 1, afterSecs: 5 } }), 500, 200);
    void backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 1000 });
    await send(backend, `POST /transfers/destinations/${destinationId}/rotate-secret`);
    const secret = backend.state.destinations.get(destinationId)?.signingSecret ?? "";
    backend.collections.update("destinations", destinationId, { config: { url: "http://127.0.0.1:4012/" } });
    await backend.advance({ by: 5000 });
    const [, again] = received;
    expect(again?.url).toBe("http://127.0.0.1:4012/");
    expect(again?.signature).toBe(signedAt(again?.body ?? "", 5, secret, demo.signingSecret));
  });

  it.each<[string, (backend: Backend) => unknown]>([
    ["of another kind", (backend) => change(backend, { kind: "phone" })],
    ["without an address", (backend) => change(backend, { config: {} })],
    ["that is gone", ({ state }) => state.destinations.delete(destinationId)],
  ])("ends at a destination %s, with the answer of before", async (_, end) => {
    const { backend, received } = receiving(doing({ retry: { times: 3, afterSecs: 5 } }), 500);
    const triggered = backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 1000 });
    end(backend);
    await backend.advance({ by: 60_000 });
    expect([await triggered, received.length]).toEqual([expect.objectContaining({ status: 500 }), 1]);
  });
});

describe("delaySecs", () => {
  it("sends later on the clock, with the signature of before", async () => {
    const { backend, received } = receiving(doing({ delaySecs: 301 }));
    const triggered = backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 300_999 });
    expect(received).toEqual([]);
    await backend.advance({ by: 1 });
    const { body, at } = await triggered;
    expect(received).toEqual([{ at: 301, url: address, signature: signedAt(body, 0), body }]);
    expect(at).toBe("2026-03-02T12:05:01.000Z");
  });
});

describe("signatureAgeSecs", () => {
  it.each([301, -301])("signs with the time %i seconds ago and sends at once", async (secs) => {
    const { backend, received } = receiving(doing({ signatureAgeSecs: secs }));
    const { body } = await backend.deliveries.trigger({ destinationId });
    expect(received).toEqual([{ at: 0, url: address, signature: signedAt(body, -secs), body }]);
  });
});

describe("reorder", () => {
  it("sends a delivery after the next one to the same destination was answered", async () => {
    const { backend, received } = receiving(doing("reorder"));
    const held = backend.deliveries.trigger({ destinationId, callId: "first" });
    await backend.advance({ by: 1000 });
    await backend.deliveries.trigger({ destinationId, callId: "second" });
    expect(await held).toMatchObject({ accepted: true, fault: "fault-1", faultAction: "reorder" });
    expect(callsOf(received)).toEqual([
      [1, "second"],
      [1, "first"],
    ]);
    expect(received[1]?.signature).toBe(signedAt(received[1]?.body ?? "", 0));
    expect(backend.upcomingTimers().map(({ kind }) => kind)).not.toContain("webhook.sends");
    await backend.advance({ by: 60_000 });
    expect(received).toHaveLength(2);
  });

  it("sends it once, also if its own time comes before the answer to the next one", async () => {
    const { backend } = receiving(doing("reorder"));
    change(backend, { config: { url: inboxUrl } });
    void backend.deliveries.trigger({ destinationId, callId: "first" });
    await backend.advance({ by: 5000 });
    backend.inbox.response = { delaySecs: 9 };
    void backend.deliveries.trigger({ destinationId, callId: "second" });
    await backend.advance({ by: 60_000 });
    expect(backend.inbox.list().map(({ body }) => JSON.parse(body).callId)).toEqual(["second", "first"]);
  });

  it("does not wait for a delivery that began before, or to another destination", async () => {
    const { backend, received } = receiving([{ webhooks: {}, when: { nth: 2 }, do: "reorder" }]);
    const other = "d0000000-0000-4000-8000-00000000000f";
    const app = backend.collections.get("destinations", destinationId);
    backend.collections.create("destinations", { ...app, id: other });
    const before = backend.deliveries.trigger({ destinationId, callId: "before" });
    void backend.deliveries.trigger({ destinationId, callId: "held" });
    await before;
    await backend.deliveries.trigger({ destinationId: other, callId: "elsewhere" });
    expect(callsOf(received).map(([, callId]) => callId)).toEqual(["before", "elsewhere"]);
    backend.close();
  });

  it("sends it after 10 seconds if there is no other", async () => {
    const { backend, received } = receiving(doing("reorder"));
    void backend.deliveries.trigger({ destinationId });
    await backend.advance({ by: 60_000 });
    expect(received.map(({ at }) => at)).toEqual([10]);
  });
});

describe("sign", () => {
  const next = "the secret after the rotation";
  async function signatureOf(
    sign: "none" | "wrong_secret" | "previous_secret" | "wrong_first" | "reversed",
    change = {},
  ) {
    const { backend, received } = receiving(doing({ sign }));
    backend.collections.update("destinations", destinationId, change);
    const { body } = await backend.deliveries.trigger({ destinationId });
    return { signature: received[0]?.signature, body };
  }
  const rotated = (previousSecretExpiresAt: string) => ({
    signingSecret: next,
    previousSecret: demo.signingSecret,
    previousSecretExpiresAt,
  });

  it("none sends no signature", async () => {
    expect((await signatureOf("none")).signature).toBeUndefined();
  });

  it("wrong_secret signs with a secret that no destination has", async () => {
    const { signature, body } = await signatureOf("wrong_secret");
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(signature).not.toBe(signedAt(body, 0));
  });

  it.each([
    ["during the overlap", "2026-03-02T13:00:00Z"],
    ["also when it has expired", "2026-03-02T11:00:00Z"],
  ])("previous_secret signs only with the secret before the rotation, %s", async (_, expiry) => {
    const { signature, body } = await signatureOf("previous_secret", rotated(expiry));
    expect(signature).toBe(signedAt(body, 0));
  });

  it("previous_secret is a wrong secret without a rotation", async () => {
    const { signature, body } = await signatureOf("previous_secret");
    expect(signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(signature).not.toBe(signedAt(body, 0));
  });

  it("wrong_first puts a wrong signature before the valid one", async () => {
    const { signature, body } = await signatureOf("wrong_first");
    const [, valid] = signedAt(body, 0).split(",");
    expect(signature?.split(",")).toEqual([expect.stringMatching(/^t=/), expect.stringMatching(/^v1=/), valid]);
  });

  it("reversed reverses the parts of the header", async () => {
    const { signature, body } = await signatureOf("reversed", rotated("2026-03-02T13:00:00Z"));
    expect(signature?.split(",").toReversed().join(",")).toBe(signedAt(body, 0, next, demo.signingSecret));
  });
});

describe("truncate", () => {
  it("sends half of the body with the signature of the whole", async () => {
    const { backend, received } = receiving(doing("truncate"));
    const { body } = await backend.deliveries.trigger({ destinationId, callId: "call-1" });
    expect(() => JSON.parse(body)).toThrow();
    expect(received).toMatchObject([{ body }]);
    const { body: whole } = await backend.deliveries.redeliver(backend.deliveries.list()[0]?.id ?? "");
    expect(whole.startsWith(body) && whole.length >= 2 * body.length).toBe(true);
    expect(received[0]?.signature).toBe(signedAt(whole, 0));
  });
});

describe("copyTo", () => {
  it("sends the same bytes to every address, also to the built-in inbox", async () => {
    const other = "http://127.0.0.1:4012/offers";
    const { backend, received } = receiving(doing({ copyTo: [other, inboxUrl] }));
    const { body } = await backend.deliveries.trigger({ destinationId });
    const copy = { at: 0, signature: signedAt(body, 0), body };
    expect(received).toEqual([
      { ...copy, url: address },
      { ...copy, url: other },
    ]);
    expect(backend.inbox.list()).toMatchObject([{ body }]);
    expect(backend.deliveries.list().map(({ url }) => url)).toEqual([address, other, inboxUrl]);
  });
});

describe("a transfer", () => {
  async function play(action: WebhookFaultAction, statuses: number[], forSecs: number) {
    const { backend, received } = receiving(doing(action), ...statuses);
    const { id } = backend.transfers.start({ groupId: demo.groups.existing });
    await backend.advance({ by: forSecs * 1000 });
    const transfer = backend.transfers.get(id);
    const ring = transfer?.rings.find((one) => one.destinationId === destinationId);
    return { backend, received, transfer, ring };
  }

  it("connects to an app that accepts a retry while it rings", async () => {
    const { transfer, ring } = await play({ retry: { times: 3, afterSecs: 2 } }, [500, 0, 204], 10);
    expect([transfer?.status, ring?.outcome]).toEqual(["connected", "answered"]);
  });

  it("is declined by an app only after the last retry", async () => {
    const { ring, received } = await play({ retry: { times: 2, afterSecs: 2 } }, [500, 500, 409], 10);
    expect(ring).toMatchObject({ outcome: "declined", reason: "the app answered 409", endsAt: start + 6000 });
    expect(received).toHaveLength(3);
  });

  it("takes the first response to any copy", async () => {
    expect((await play({ duplicate: { copies: 2 } }, [409, 204], 1)).ring).toMatchObject({ outcome: "declined" });
    expect((await play({ duplicate: { copies: 2 } }, [204, 409], 1)).ring).toMatchObject({ outcome: "answered" });
  });

  it("waits for the other copies when one gets no response", async () => {
    expect((await play({ duplicate: { copies: 2 } }, [0, 204], 1)).ring).toMatchObject({ outcome: "answered" });
    expect((await play({ duplicate: { copies: 2 } }, [0, 0], 1)).ring).toMatchObject({
      outcome: "declined",
      reason: "refused",
    });
  });

  it("records an acceptance after its ring as late", async () => {
    const { ring } = await play({ delaySecs: 301 }, [204], 400);
    expect(ring).toMatchObject({ outcome: "missed", lateAnswers: [{ code: "offer_expired" }] });
  });
});

describe("closing a backend", () => {
  it("ends a waiting trigger", async () => {
    const { backend } = receiving(doing({ delaySecs: 5 }));
    const triggered = backend.deliveries.trigger({ destinationId });
    backend.close();
    expect(await triggered).toMatchObject({ accepted: false });
  });
});

describe("a reset", () => {
  it("forgets what is held, and ends a waiting trigger", async () => {
    const { backend, received } = receiving(doing({ delaySecs: 5 }));
    const triggered = backend.deliveries.trigger({ destinationId });
    backend.reset();
    expect(await triggered).toMatchObject({
      at: "2026-03-02T12:00:00.000Z",
      url: address,
      headers: {},
      accepted: false,
      error: "The sandbox was reset, restored or closed before this was sent",
    });
    await backend.advance({ by: 60_000 });
    expect([received, backend.deliveries.list()]).toEqual([[], []]);
  });

  it("forgets what waits for the next delivery", async () => {
    const { backend, received } = receiving([]);
    backend.faults.add({ webhooks: {}, do: "reorder" });
    void backend.deliveries.trigger({ destinationId, callId: "before" });
    backend.reset();
    await backend.deliveries.trigger({ destinationId, callId: "after" });
    expect(callsOf(received)).toEqual([[0, "after"]]);
  });

  it("plans no retry for a delivery in flight", async () => {
    let answer = (_: Response): void => {};
    let count = 0;
    const backend = createBackend({
      faults: doing({ retry: { times: 1, afterSecs: 5 } }),
      fetch: () => {
        count += 1;
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    const triggered = backend.deliveries.trigger({ destinationId });
    backend.reset();
    answer(new Response(null, { status: 500 }));
    expect(await triggered).toMatchObject({ status: 500 });
    await backend.advance({ by: 60_000 });
    expect(count).toBe(1);
  });
});

describe("a snapshot", () => {
  it("keeps faults with their counts, without what they hold back", async () => {
    const planned: Fault = { webhooks: { destinationId }, when: { times: 2, nth: 2 }, do: { delaySecs: 5 } };
    const { backend } = receiving([planned]);
    await backend.deliveries.trigger({ destinationId });
    void backend.deliveries.trigger({ destinationId });
    const { backend: other, received } = receiving([]);
    other.restore(backend.snapshot());
    expect(other.faults.list()).toEqual([{ ...planned, id: "fault-1", when: { nth: 1, times: 1 }, hits: 1 }]);
    void other.deliveries.trigger({ destinationId });
    await other.advance({ by: 60_000 });
    expect(received.map(({ at }) => at)).toEqual([5]);
  });

  it("offers again what was held for a ringing app", async () => {
    const { backend, received } = receiving(doing({ delaySecs: 5 }));
    const { id } = backend.transfers.start({ destinationId });
    await backend.advance({ by: 1000 });
    backend.restore(backend.snapshot());
    await backend.advance({ by: 10_000 });
    expect(received.map(({ at }) => at)).toEqual([1]);
    expect(backend.transfers.get(id)?.status).toBe("connected");
  });
});

describe("which deliveries", () => {
  const faultsOf = async (faults: Fault[], deliver: (backend: Backend) => Promise<unknown>) => {
    const { backend } = receiving(faults);
    await deliver(backend);
    return backend.deliveries.list().map(({ fault }) => fault);
  };
  const trigger = async (backend: Backend, ...transferIds: string[]) => {
    for (const transferId of transferIds) await backend.deliveries.trigger({ destinationId, transferId });
  };

  it.each<[object, (string | undefined)[]]>([
    [{}, ["fault-1", "fault-1"]],
    [{ transferId: "t-2" }, [undefined, "fault-1"]],
    [{ destinationId }, ["fault-1", "fault-1"]],
    [{ destinationId: "other" }, [undefined, undefined]],
    [{ url: address }, ["fault-1", "fault-1"]],
    [{ url: "http://127.0.0.1:4012/" }, [undefined, undefined]],
    [{ url: address, transferId: "t-1" }, ["fault-1", undefined]],
  ])("%j matches those with all criteria", async (webhooks, expected) => {
    const faults: Fault[] = [{ webhooks, when: { times: null }, do: "truncate" }];
    expect(await faultsOf(faults, (backend) => trigger(backend, "t-1", "t-2"))).toEqual(expected);
  });

  it("nth and times count deliveries; the first fault that matches applies and the others do not count", async () => {
    const faults: Fault[] = [
      { webhooks: {}, when: { nth: 2, times: 2 }, do: "truncate" },
      { webhooks: {}, do: { sign: "none" } },
      { webhooks: {}, do: { sign: "reversed" } },
    ];
    expect(await faultsOf(faults, (backend) => trigger(backend, "1", "2", "3", "4", "5"))).toEqual([
      "fault-2",
      "fault-1",
      "fault-1",
      "fault-3",
      undefined,
    ]);
  });

  it("faults of requests and of deliveries do not count each other", async () => {
    const { backend } = receiving([{ do: { code: "conflict" } }, { webhooks: {}, when: { nth: 2 }, do: "truncate" }]);
    await trigger(backend, "1");
    expect((await send(backend, "GET /roles")).status).toBe(409);
    expect((await send(backend, "GET /roles")).status).toBe(200);
    expect(backend.faults.list()).toMatchObject([{ id: "fault-2", when: { nth: 1 } }]);
  });
});

it.each<[object, string]>([
  [
    { webhooks: {}, match: {}, do: "truncate" },
    "webhooks: a fault of webhook deliveries has no match. Remove webhooks or match.",
  ],
  [{ webhooks: {}, do: "reset" }, "do: reset is for requests. Use match instead of webhooks."],
  [{ webhooks: {}, do: { latencyMs: 5 } }, "do: latencyMs is for requests. Use match instead of webhooks."],
  [
    { do: { delaySecs: 5 } },
    "do: delaySecs is for webhook deliveries. Use webhooks instead of match, {} for all deliveries.",
  ],
  [
    { webhooks: {}, do: "explode" },
    "do: must be one of truncate, reorder, duplicate, retry, delaySecs, signatureAgeSecs, sign, copyTo",
  ],
  [{ webhooks: {} }, "do: must be one of truncate, reorder, "],
  [
    { webhooks: {}, do: { delaySecs: 1, sign: "none" } },
    "do.sign: a fault does one thing, here delaySecs. Add another fault for sign.",
  ],
  [{ webhooks: {}, do: { duplicate: { copies: 1 } } }, "do.duplicate.copies: "],
  [{ webhooks: {}, do: { duplicate: { copies: 2, gap: 1 } } }, "do.duplicate.gap: is not a known field"],
  [{ webhooks: {}, do: { retry: { times: 11, afterSecs: 1 } } }, "do.retry.times: "],
  [{ webhooks: {}, do: { retry: { times: 1 } } }, "do.retry.afterSecs: "],
  [{ webhooks: {}, do: { delaySecs: 0 } }, "do.delaySecs: "],
  [{ webhooks: {}, do: { signatureAgeSecs: 86_401 } }, "do.signatureAgeSecs: "],
  [{ webhooks: {}, do: { sign: "badly" } }, "do.sign: must be one of none, wrong_secret, "],
  [{ webhooks: {}, do: { copyTo: [] } }, "do.copyTo: "],
  [{ webhooks: {}, do: { copyTo: [address, "ftp://x"] } }, "do.copyTo[1]: must be an http or https address"],
  [{ webhooks: { path: "/" }, do: "truncate" }, "webhooks.path: is not a known field"],
  [{ webhooks: null, do: "truncate" }, "webhooks: "],
  [{ webhooks: {}, when: { nth: 0 }, do: "truncate" }, "when.nth: "],
])("%j is rejected, with the reason", (fault, message) => {
  const add = () => createBackend().faults.add(fault as Fault);
  expect(add).toThrow(InputError);
  expect(add).toThrow(message);
});
