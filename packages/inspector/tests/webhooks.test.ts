import { limits } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import type { Delivery } from "../src/data/control.ts";
import { adviceOn, ageOf, headerParts, outcomeOf, overlapOf } from "../src/data/webhooks.ts";

const delivery: Delivery = {
  id: "d1",
  destinationId: "app",
  at: "2026-03-02T12:00:00.000Z",
  url: "http://127.0.0.1:4011/offers",
  headers: { "content-type": "application/json", "Service-Signature": "t=1772452800,v1=aa,v1=bb" },
  body: '{"type":"transfer.offer"}',
  signature: {
    t: 1772452800,
    v1: [
      { value: "aa", secret: "current" },
      { value: "bb", secret: "previous" },
    ],
  },
  durationMs: 3,
  status: 204,
  accepted: true,
};
const at = Date.parse(delivery.at);
const { status, ...unanswered } = { ...delivery, accepted: false };

describe("outcomes of deliveries", () => {
  it("are told apart: accepted, refused, without an answer, never sent", () => {
    expect(outcomeOf(delivery)).toEqual({ tone: "ok", text: "Accepted 204" });
    expect(outcomeOf({ ...delivery, status: 401, accepted: false })).toEqual({ tone: "bad", text: "Refused 401" });
    expect(outcomeOf({ ...unanswered, error: "no answer within 10 s" }).text).toBe("No answer");
    expect(outcomeOf({ ...unanswered, error: "The sandbox was reset before this was sent" }).text).toBe("Not sent");
  });

  it("come with what to do, unless the delivery was accepted", () => {
    const advice = (change: Partial<Delivery>, realTime = at) =>
      adviceOn({ ...delivery, accepted: false, ...change }, realTime);
    expect(adviceOn(delivery, at)).toBeUndefined();
    expect(adviceOn({ ...unanswered, error: "nothing listens (ECONNREFUSED)" }, at)).toMatch(/^Start the app's server/);
    expect(advice({ status: 404 })).toMatch(/path/);
    expect(advice({ status: 302 })).toMatch(/Redirects/);
    expect(advice({ status: 500 })).toMatch(/app/);
    expect(advice({ status: 401 })).toMatch(/compare its secret/);
    expect(advice({ status: 401, fault: "f1" })).toMatch(/fault/);
  });

  it("blame the clocks when the sandbox's time is out of a receiver's tolerance", () => {
    const advice = adviceOn({ ...delivery, status: 401, accepted: false }, at - 86_400_000);
    expect(advice).toMatch(/^The sandbox's clock is 1 d ahead of the real time, and an app accepts 5 m\./);
  });
});

describe("a signature", () => {
  it("is taken apart with the secret of each part", () => {
    expect(headerParts(delivery)).toEqual([
      { name: "t", value: "1772452800" },
      { name: "v1", value: "aa", secret: "current" },
      { name: "v1", value: "bb", secret: "previous" },
    ]);
  });

  it("is in time up to the tolerance, before and after", () => {
    const age = (secs: number) => ageOf(1772452800, at + secs * 1000);
    expect([-301, -300, 0, 300, 301].map((secs) => age(secs).isValid)).toEqual([false, true, true, true, false]);
    expect(age(60).text).toBe("1 m old. An app may accept it for 4 m more");
    expect(age(360).text).toBe("6 m old, more than 5 m: an app must refuse it now");
    expect(age(-360).text).toBe("6 m in the future, more than 5 m: an app must refuse it now");
  });
});

it("the overlap of two secrets ends when the old one expires", () => {
  expect(overlapOf({})).toBeUndefined();
  expect(overlapOf({ previousSecretExpiresAt: "2026-03-02T12:00:00Z" })).toEqual({
    from: at - limits.previousSecretOverlapHours * 3_600_000,
    to: at,
  });
});
