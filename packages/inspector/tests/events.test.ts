import { type BackendEvent, createBackend, demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { CallTransfer } from "@call-transfer/sdk";
import { describe, expect, it } from "vitest";
import {
  addEntries,
  type EventEntry,
  entryOfEvent,
  entryOfRequest,
  sampleCallOf,
  shownEntries,
} from "../src/data/events.ts";
import { changedFields, matchesWords, parseDuration } from "../src/data/format.ts";

type Request = Parameters<typeof entryOfRequest>[0];

const at = "2026-03-02T12:00:00.000Z";
const plain: Request = {
  id: 1,
  at,
  method: "GET",
  path: "/api/calls",
  status: 200,
  requestId: "r-1",
  durationMs: 1,
  decidedBy: { step: "operation" },
};
const request = (about: Partial<Request> = {}): EventEntry =>
  entryOfRequest({ ...plain, operationId: "listCalls", ...about });
const entryOf = (type: string, about: Readonly<Record<string, unknown>>): EventEntry => {
  const event: BackendEvent = { eventId: "s-1", at, type, ...about };
  const entry = entryOfEvent(event);
  if (entry === undefined) throw new Error(`${type} has no entry.`);
  return entry;
};
const delivery = (about: Readonly<Record<string, unknown>> = {}) =>
  entryOf("delivery.completed", { id: "w1", url: "http://app/offers", status: 204, accepted: true, ...about });

describe("the chips and the filter", () => {
  const none = { errors: false, webhooks: false, calls: false };
  const refused = request({ id: 2, status: 422, code: "contact_on_dnc_list" });
  const failed = delivery({ id: "w2", status: 503, accepted: false, responseText: "out of memory" });
  const call = entryOf("call.started", { id: "c1" });
  const unanswered = entryOf("transfer.unanswered", { id: "t1" });
  const moved = entryOf("clock.changed", { by: 60_000, now: at, mode: "frozen", rate: 1 });
  const all = [request(), refused, delivery(), failed, call, unanswered, moved];

  it("Errors leaves refused requests, failed deliveries and transfers that nobody answered", () => {
    expect(shownEntries(all, { ...none, errors: true }, "")).toEqual([refused, failed, unanswered]);
  });

  it("Webhooks and Calls add up, and Errors narrows them", () => {
    expect(shownEntries(all, { ...none, webhooks: true }, "")).toEqual([delivery(), failed]);
    expect(shownEntries(all, { ...none, webhooks: true, calls: true }, "")).toEqual([
      delivery(),
      failed,
      call,
      unanswered,
    ]);
    expect(shownEntries(all, { errors: true, webhooks: false, calls: true }, "")).toEqual([unanswered]);
  });

  it("the filter takes words of any column, and a minus leaves out", () => {
    expect(shownEntries(all, none, "DNC listcalls")).toEqual([refused]);
    expect(shownEntries(all, none, "listCalls -422")).toEqual([request()]);
    expect(shownEntries(all, none, "memory")).toEqual([failed]);
    expect(matchesWords("POST createCall 503", "post -")).toBe(true);
  });
});

describe("the rows of the list", () => {
  const added = (limit: number, ...batches: readonly (readonly EventEntry[])[]) => {
    const keys = new Set<string>();
    let entries: readonly EventEntry[] = [];
    for (const batch of batches) entries = addEntries(entries, keys, batch, limit);
    return { entries, keys };
  };
  const requests = (...ids: number[]) => ids.map((id) => request({ id }));

  it("stand newest first, each once", () => {
    const { entries } = added(10, requests(1, 2), requests(2, 3));
    expect(entries.map(({ id }) => id)).toEqual(["3", "2", "1"]);
  });

  it("are no more than the limit, and what was dropped leaves nothing behind", () => {
    const { entries, keys } = added(3, requests(1, 2, 3), requests(4, 5));
    expect(entries.map(({ id }) => id)).toEqual(["5", "4", "3"]);
    expect([...keys]).toEqual(["3", "4", "5"]);
  });

  it("show a delivery once, with the time at which it was sent and the answer", () => {
    const sent = entryOf("delivery.started", { id: "w1", url: "http://app/offers?key=1" });
    const { entries } = added(10, [sent], [{ ...delivery(), at: "2026-03-02T12:00:01.000Z" }]);
    expect(entries).toMatchObject([{ at, key: "webhook/w1", status: 204, code: "", address: "http://app/offers" }]);
    expect(sent).toMatchObject({ status: undefined, code: "sending", address: "http://app/offers" });
  });

  it("say why there is no status, and what the app answered", () => {
    expect(delivery({ status: undefined, accepted: false, error: "refused" })).toMatchObject({
      status: 0,
      code: "no response",
      reason: "refused",
    });
    expect(delivery({ status: 500, accepted: false, response: { body: "\nboom\nat x" } }).reason).toBe("boom");
    expect(request({ status: 0 })).toMatchObject({ code: "no response", isError: true });
  });

  it("mark two signatures, from the list and from the event", () => {
    const listed = delivery({ signature: { t: 1, v1: [{}, {}] } });
    const announced = delivery({ signature: { t: 1, v1: 2 } });
    expect([listed.marks, announced.marks]).toEqual([["two signatures"], ["two signatures"]]);
  });

  it("name the caller by role or by the end of the key", () => {
    expect(request({ caller: { kind: "key", key: "0001", role: "owner" } }).caller).toBe("key …0001");
    expect(request({ caller: { kind: "user", userId: "u", role: "agent" } }).caller).toBe("agent");
  });

  it("come from no event that another row shows", () => {
    for (const type of ["timer.set", "timer.fired", "fault.hit", "record.changed"])
      expect(entryOfEvent({ eventId: "s-1", at, type }), type).toBeUndefined();
    expect(entryOfEvent({ eventId: "s-1", at, type: "clock.changed", now: at, mode: "frozen" })).toBeUndefined();
  });
});

describe("the changed fields of a record", () => {
  it("are those that differ, by their paths", () => {
    const before = { id: "m", availability: { status: "away", until: at }, hours: [1] };
    const after = { id: "m", availability: { status: "available" }, hours: [1, 2] };
    expect(changedFields(before, after)).toEqual([
      { field: "availability.status", before: "away", after: "available" },
      { field: "availability.until", before: at },
      { field: "hours", before: "[1]", after: "[1,2]" },
    ]);
  });

  it("are all of a record that was added or removed", () => {
    expect(changedFields(undefined, { id: "a", on: true })).toEqual([
      { field: "id", after: "a" },
      { field: "on", after: "true" },
    ]);
    expect(changedFields({ id: "a" }, undefined)).toEqual([{ field: "id", before: "a" }]);
  });
});

it.each([
  ["90s", 90_000],
  ["1h 30m", 5_400_000],
  ["2d", 172_800_000],
  ["5", 5000],
  ["soon", undefined],
])("reads %j as a duration", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

describe("the sample call", () => {
  const { accounts = [], flows = [], numbers = [] } = demoSeed;

  it("of the demo data is a call that is placed", async () => {
    const call = sampleCallOf(accounts, flows, numbers);
    if (call === undefined) throw new Error("There is no sample.");
    const { fetch } = createBackend();
    const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch });
    expect((await client.calls.create(call)).type).toBe("initiated");
  });

  it("has no record that a placement would refuse, and none of another account", () => {
    const own = { accountId: "a" };
    const flow = { ...own, id: "f" };
    const number = { ...own, number: "+1" };
    const sample = (one: object, other: object) => sampleCallOf([{ id: "a" }], [{ ...one }], [{ ...other }]);
    expect(sample(flow, number)).toMatchObject({ flowId: "f", fromNumber: "+1" });
    expect(sample({ ...flow, published: false }, number)).toBeUndefined();
    expect(sample({ ...flow, accountId: "b" }, number)).toBeUndefined();
    for (const flag of ["active", "verified", "canInitiateCalls"])
      expect(sample(flow, { ...number, [flag]: false }), flag).toBeUndefined();
  });
});
