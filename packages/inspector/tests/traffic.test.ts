import type { BackendEvent } from "@call-transfer/backend";
import { describe, expect, it } from "vitest";
import { entryOfEvent, entryOfRequest, type TrafficEntry } from "../src/data/records/traffic-entry.ts";
import { parseTrafficFilter, trafficWords } from "../src/data/records/traffic-filter.ts";
import { addEntries } from "../src/data/records/traffic-store.ts";
import { changedFields } from "../src/data/values/record-fields.ts";

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
const request = (about: Partial<Request> = {}): TrafficEntry =>
  entryOfRequest({ ...plain, operationId: "listCalls", ...about });
const event = (type: string, about: Readonly<Record<string, unknown>>): BackendEvent => ({
  eventId: "s-1",
  at,
  type,
  ...about,
});
const delivery = (about: Readonly<Record<string, unknown>> = {}) =>
  entryOfEvent(
    event("delivery.completed", { id: "w1", url: "http://app/offers", status: 204, accepted: true, ...about }),
  ) ?? request();

describe("the filter of the traffic", () => {
  const shown = (text: string, entry: TrafficEntry) => parseTrafficFilter(text)?.(entry) ?? true;
  const busyCaller = { kind: "user", role: "agent", userId: "u-1" } as const;
  const busy = request({
    id: 7,
    method: "POST",
    operationId: "createCall",
    status: 503,
    code: "service_unavailable",
    fault: "fault-1",
    caller: busyCaller,
  });

  it.each([
    ["", true],
    ["status:503", true],
    ["status:5xx", true],
    ["status:4xx", false],
    ["op:createCall", true],
    ["op:list", false],
    ["code:unavailable", true],
    ["caller:agent", true],
    ["caller:none", false],
    ["method:post", true],
    ["is:fault", true],
    ["is:error", true],
    ["is:webhook", false],
    ["-is:webhook", true],
    ["-status:5xx", false],
    ["u-1 CREATECALL", true],
    ["createCall owner", false],
    ["unknown:word", false],
  ])("takes %j", (text, isShown) => {
    expect(shown(text, busy)).toBe(isShown);
  });

  it("finds webhooks, requests without a caller, and those that match no operation", () => {
    const unmatched = entryOfRequest({ ...plain, status: 404, decidedBy: { step: "route" } });
    expect([
      shown("is:webhook", delivery()),
      shown("op:transfer", delivery()),
      shown("caller:none", delivery()),
    ]).toEqual([true, false, false]);
    expect([shown("is:unmatched", unmatched), shown("caller:none", unmatched)]).toEqual([true, true]);
  });

  it("finds what stubs answered, by their id too, and not among the unmatched", () => {
    const stubbed = entryOfRequest({ ...plain, stub: "stub-1", decidedBy: { step: "stub" } });
    const words = ["is:stub", "op:stub-1", "stub-1", "is:unmatched"];
    expect(words.map((word) => shown(word, stubbed))).toEqual([true, true, true, false]);
  });

  it("finds a response that a fault withheld among the errors", () => {
    expect(shown("is:error", request({ status: 0 }))).toBe(true);
  });

  it("offers only words that it takes", () => {
    const full = request({
      operationId: "createCall",
      status: 503,
      code: "queue_full",
      method: "POST",
      fault: "fault-1",
      caller: busyCaller,
    });
    for (const [word] of trafficWords) {
      // A word that is taken for text is found nowhere.
      const results = [full, delivery()].map((entry) => shown(word, entry));
      expect(results, word).toContain(true);
      expect(results, word).toContain(false);
    }
  });
});

describe("the rows of the traffic", () => {
  const added = (limit: number, ...batches: readonly (readonly TrafficEntry[])[]) => {
    const keys = new Set<string>();
    let entries: readonly TrafficEntry[] = [];
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

  it("stay within the limit when one batch is longer", () => {
    const { entries, keys } = added(2, requests(1, 2, 3, 4));
    expect([entries.map(({ id }) => id), keys.size]).toEqual([["4", "3"], 2]);
  });

  it("show a delivery once, with the time at which it was sent and the answer", () => {
    const sent = entryOfEvent(event("delivery.started", { id: "w1", url: "http://app/offers?key=1" })) ?? request();
    const { entries } = added(10, [sent], [{ ...delivery(), at: "2026-03-02T12:00:01.000Z" }]);
    expect(entries).toMatchObject([{ at, key: "webhook/w1", status: 204, code: "", address: "http://app/offers" }]);
    expect(sent).toMatchObject({ status: undefined, code: "sending", address: "http://app/offers" });
  });

  it("say why there is no status", () => {
    expect(delivery({ status: undefined, accepted: false, error: "refused" })).toMatchObject({
      status: 0,
      code: "no response",
    });
    expect(request({ status: 0 })).toMatchObject({ code: "no response" });
  });

  it("name the caller by role or by the end of the key", () => {
    expect(request({ caller: { kind: "key", key: "0001", role: "owner" } }).caller).toBe("key …0001");
    expect(request({ caller: { kind: "user", userId: "u", role: "agent" } }).caller).toBe("agent");
  });

  it("come from no other events", () => {
    expect(entryOfEvent(event("call.started", { id: "1" }))).toBeUndefined();
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
