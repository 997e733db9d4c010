import { describe, expect, it } from "vitest";
import { codeGroups } from "../src/screens/faults/code-groups.ts";
import { stepsOf, withSteps } from "../src/screens/faults/fault.ts";
import { withEvents } from "../src/screens/faults/fault-history.ts";
import { criteriaInWords, remainingInWords, stepInWords, targetInWords } from "../src/screens/faults/fault-in-words.ts";

describe("a fault in words", () => {
  it.each([
    [{ do: "reset" }, "Every request"],
    [{ match: { operationId: "createCall" }, do: "reset" }, "createCall"],
    [{ match: { method: "GET", path: "/a" }, do: "reset" }, "GET /a"],
    [{ webhooks: {}, do: "reorder" }, "Every webhook"],
  ] as const)("%j concerns %s", (fault, words) => {
    expect(targetInWords(fault)).toBe(words);
  });

  it("names the other criteria", () => {
    const match = { headers: { "x-test": "slow" }, query: { limit: "5" }, body: { "members[0].id": 1 } };
    expect(criteriaInWords({ match, do: "reset" })).toEqual([
      "header x-test=slow",
      "query limit=5",
      "body members[0].id=1",
    ]);
  });

  it.each([
    ["process_then_reset", "processed, response lost"],
    [{ code: "queue_full" }, "queue_full"],
    [{ latencyMs: 800 }, "delayed by 800 ms"],
    [{ latencyMs: 1500 }, "delayed by 1.5 s"],
    [{ signatureAgeSecs: -5 }, "signed 5 s in the future"],
    [{ retry: { times: 3, afterSecs: 5 } }, "sent again up to 3 times, first after 5 s"],
  ] as const)("%j is: %s", (step, words) => {
    expect(stepInWords(step)).toBe(words);
  });

  it.each([
    [{ do: "reset" }, "1 more request"],
    [{ when: { times: 3 }, webhooks: {}, do: "reorder" }, "3 more webhooks"],
    [{ when: { times: 1 }, do: ["reset", "pass"] }, "1 more run through the steps"],
    [{ when: { times: null, probability: 0.1 }, do: "reset" }, "until removed, each with 10 %"],
    [{ when: { times: 1, nth: 2 }, do: "reset" }, "1 more request, after 1 more that passes"],
  ] as const)("%j remains for: %s", (fault, words) => {
    expect(remainingInWords(fault)).toBe(words);
  });
});

it("writes a single step without a list, but never pass alone", () => {
  expect(withSteps({ do: ["reset", "pass"] }, ["empty"])).toEqual({ do: "empty" });
  expect(withSteps({ do: "reset" }, ["pass"])).toEqual({ do: ["pass"] });
  expect(stepsOf({ do: "reset" })).toEqual(["reset"]);
});

describe("the groups of error codes", () => {
  const code = (name: string, documented = true) => ({ code: name, documented, count: 0 });
  const operations = [
    { operationId: "one", codes: [code("common"), code("a"), code("met", false)] },
    { operationId: "two", codes: [code("b"), code("common")] },
  ];

  it("begin with those of the operation", () => {
    expect(codeGroups(operations, "one")).toEqual([
      ["Codes of one", ["common", "a"]],
      ["Codes of other operations", ["b"]],
    ]);
  });

  it("begin with those that every operation has", () => {
    expect(codeGroups(operations, undefined)).toEqual([
      ["Codes of every operation", ["common"]],
      ["Codes of one", ["a"]],
      ["Codes of two", ["b"]],
    ]);
  });
});

describe("the history of faults", () => {
  const event = (type: string, fields: object = {}) => ({
    eventId: "e",
    at: "2026-03-02T12:00:00.000Z",
    type,
    ...fields,
  });

  it("has hits, newest first, and the end", () => {
    const histories = withEvents(new Map(), [
      event("fault.added", { id: "fault-1", do: "reset" }),
      event("fault.hit", { id: "fault-1", requestId: "first" }),
      event("fault.hit", { id: "fault-1", requestId: "second" }),
      event("fault.removed", { id: "fault-1", hits: 2, isUsedUp: true }),
    ]);
    expect(histories.get("fault-1")).toMatchObject({
      fault: { do: "reset" },
      hits: [{ requestId: "second" }, { requestId: "first" }],
      removed: { hits: 2, isUsedUp: true },
    });
  });

  it("ends with a reset", () => {
    const histories = withEvents(new Map(), [event("fault.added", { id: "fault-1", do: "reset" })]);
    expect(withEvents(histories, [event("sandbox.reset")]).size).toBe(0);
  });
});
