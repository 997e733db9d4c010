import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { isLike } from "../../src/faults/match-fault.ts";
import type { FaultMatch, FaultWhen } from "../../src/generated/models.gen.ts";
import { codeOf, send } from "../test-client.ts";

const placement = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
const group = {
  name: "Evening",
  totalTimeoutSecs: 20,
  members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: 15 }],
};

/** A backend that answers all requests that match with 503. */
function failing(match: FaultMatch, when: FaultWhen = {}): Backend {
  const backend = createBackend();
  backend.faults.add({ match, when: { times: null, ...when }, do: { code: "service_unavailable" } });
  return backend;
}

const isFailed = async (backend: Backend, target: string, request: Parameters<typeof send>[2] = {}) =>
  codeOf(await send(backend, target, request)) === "service_unavailable";

describe("a text with *", () => {
  it.each([
    ["slow", "slow", true],
    ["slow", "slower", false],
    ["sl*", "slow", true],
    ["*ow", "slow", true],
    ["*", "", true],
    ["*lo*", "slow", true],
    ["s*w", "s", false],
    ["s*w", "slot", false],
    ["a*a", "a", false],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "a-c-b", false],
    ["+49*", "+4930", true],
    [".*", "slow", false],
  ])("%s and %s: %s", (pattern, text, expected) => {
    expect(isLike(pattern, text)).toBe(expected);
  });
});

describe("a fault that matches headers", () => {
  it("ignores the case of names and needs each value", async () => {
    const backend = failing({ headers: { "X-Test": "slow", "x-run": "7*" } });
    expect(await isFailed(backend, "GET /roles", { headers: { "x-test": "slow", "X-Run": "71" } })).toBe(true);
    expect(await isFailed(backend, "GET /roles", { headers: { "x-test": "slow" } })).toBe(false);
    expect(await isFailed(backend, "GET /roles", { headers: { "x-test": "SLOW", "x-run": "7" } })).toBe(false);
  });

  it("matches headers that have their names in lower case only, as those of a server", async () => {
    const backend = failing({ headers: { "X-Test": "slow" } });
    const sent = new Map([["x-test", "slow"]]);
    const headers = { get: (name: string) => sent.get(name) ?? null, [Symbol.iterator]: () => sent.entries() };
    const request = { method: "GET", url: "http://mock.test/api/v1/roles", body: null, headers };
    expect((await backend.handle(request)).response.status).toBe(503);
  });
});

describe("a fault that matches query parameters", () => {
  it("needs each value, of which a repeated parameter has several", async () => {
    const backend = failing({ query: { limit: "5" } });
    expect(await isFailed(backend, "GET /calls?limit=5&offset=0")).toBe(true);
    expect(await isFailed(backend, "GET /calls?limit=7&limit=5")).toBe(true);
    expect(await isFailed(backend, "GET /calls?limit=50")).toBe(false);
    expect(await isFailed(backend, "GET /calls")).toBe(false);
  });
});

describe("a fault that matches fields of the body", () => {
  it("finds them by the paths that field errors have", async () => {
    const backend = failing({ body: { "members[0].destinationId": demo.destinations.phone, totalTimeoutSecs: 20 } });
    const target = "POST /transfers/destination-groups";
    expect(await isFailed(backend, target, { body: group })).toBe(true);
    expect(await isFailed(backend, target, { body: { ...group, totalTimeoutSecs: 21 } })).toBe(false);
    expect(await isFailed(backend, target, { body: { ...group, name: "Late", members: [] } })).toBe(false);
  });

  it("compares a text with a number that reads the same, and a number only with a number", async () => {
    const target = "POST /transfers/destination-groups";
    expect(await isFailed(failing({ body: { totalTimeoutSecs: "2*" } }), target, { body: group })).toBe(true);
    expect(await isFailed(failing({ body: { name: 5 } }), target, { body: { ...group, name: "5" } })).toBe(false);
  });

  it("finds null, and nothing in a body that is not JSON", async () => {
    const backend = failing({ body: { strategy: null } });
    const target = "POST /transfers/destination-groups";
    expect(await isFailed(backend, target, { body: { ...group, strategy: null } })).toBe(true);
    expect(codeOf(await send(backend, target, { body: "{" }))).toBe("invalid_json");
    expect(await isFailed(backend, "GET /roles")).toBe(false);
  });

  it("keeps the order of checks and what the request log records", async () => {
    const backend = failing({ body: { toNumber: "nobody" } });
    const answers = [
      await send(backend, "POST /calls", { body: placement }),
      await send(backend, "POST /calls", { body: "{", token: null }),
      await send(backend, "POST /calls", { body: { ...placement, toNumber: "1" } }),
    ];
    expect(answers.map((answer) => codeOf(answer) ?? answer.status)).toEqual([
      201,
      "token_missing",
      "validation_failed",
    ]);
    expect([1, 2, 3].map((id) => backend.requests.get(id, { redact: false })?.requestBody)).toEqual([
      placement,
      undefined,
      { ...placement, toNumber: "1" },
    ]);
  });

  it("answers a body that is too large, and one that breaks off, as without the fault", async () => {
    const url = "http://mock.test/api/v1/calls";
    const stream = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
      ({
        method: "POST",
        headers: { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" },
        body: new ReadableStream({ start }),
        duplex: "half",
      }) as RequestInit;
    const large = stream((controller) => {
      controller.enqueue(new Uint8Array(2 ** 20));
      controller.enqueue(new Uint8Array(1));
      controller.close();
    });
    const broken = stream((controller) => controller.error(new Error("The line is cut.")));
    const backend = failing({ body: { toNumber: "nobody" } });
    const answers = [await backend.fetch(url, large), await backend.fetch(url, broken)];
    expect(answers.map(({ status }) => status)).toEqual([400, 500]);
    expect(await answers[0]?.json()).toMatchObject({ detail: "The request body exceeds 1 MiB. Send a smaller one." });
    expect(backend.requests.list()[1]?.error).toContain("The line is cut.");
  });
});

describe("criteria that cannot be", () => {
  it.each<[FaultMatch, string]>([
    [{ path: "/calls" }, "match.path: there is no operation /calls. Did you mean /api/v1/calls?"],
    [{ method: "delete", path: "/api/v1/calls" }, "match.path: there is no operation DELETE /api/v1/calls."],
    [{ headers: { "x test": "1" } }, 'match.headers: "x test" is not a header name'],
    [
      { body: { "members[x]": "1" } },
      'match.body: "members[x]" is not the path of a field, such as members[0].destinationId',
    ],
  ])("%j: %s", (match, message) => {
    expect(() => failing(match)).toThrow(message);
  });

  it.each<[FaultWhen, string]>([[{ step: 2 }, "when.step: do is not a list of steps"]])("%j: %s", (when, message) => {
    expect(() => failing({}, when)).toThrow(message);
  });
});
