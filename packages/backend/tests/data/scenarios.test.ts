import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { type ScenarioName, scenarios } from "../../src/data/scenarios.ts";
import type { Seed } from "../../src/model/records.ts";
import { codeOf, overlapEnd, overlapMs, send, type TestAnswer } from "../test-client.ts";

const { app, availableHumans, phone } = demo.destinations;
const names = Object.keys(scenarios) as ScenarioName[];
const placement = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
const placeCall = (backend: Backend) => send(backend, "POST /calls", { body: placement });
const seen = (answer: TestAnswer) => codeOf(answer) ?? answer.status;

/** A backend in a scenario, whose apps accept each offer that is sent to their own address. */
function inScenario(name: ScenarioName): Backend {
  return createBackend({ scenarios: [name], fetch: async () => new Response() });
}

async function manyOf(count: number, request: () => Promise<TestAnswer>): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (let index = 0; index < count; index += 1) answers.push(seen(await request()));
  return answers;
}

describe("app-times-out", () => {
  it("lets each offer time out, so the phone beside the app can answer", async () => {
    const backend = inScenario("app-times-out");
    const script = [{ destinationId: phone, answerAfterSecs: 15 }];
    const { id } = backend.transfers.start({ groupId: demo.groups.existing, script });
    await backend.advance({ by: 15_000 });
    expect(backend.transfers.get(id)?.rings.slice(0, 2)).toMatchObject([
      { destinationId: phone, outcome: "answered" },
      { destinationId: app, outcome: "declined", reason: "No answer within 10 s." },
    ]);
  });
});

describe("slow-app", () => {
  it("lets the app win only if nobody answers within eight seconds", async () => {
    const backend = inScenario("slow-app");
    const { id } = backend.transfers.start({ destinationId: app });
    await backend.advance({ by: 7999 });
    expect(backend.transfers.get(id)?.status).toBe("ringing");
    await backend.advance({ by: 1 });
    expect(backend.transfers.get(id)).toMatchObject({ status: "connected", answeredRingIndex: 0 });
    const script = [{ destinationId: phone, answerAfterSecs: 5 }];
    const other = backend.transfers.start({ groupId: demo.groups.existing, script });
    await backend.advance({ by: 10_000 });
    expect(backend.transfers.get(other.id)?.rings[1]).toMatchObject({ lateAnswers: [{ code: "offer_taken" }] });
  });
});

describe("all-members-away", () => {
  it("rings nobody, for as long as nobody changes that", async () => {
    const backend = inScenario("all-members-away");
    await backend.advance({ by: 48 * 3_600_000 });
    const { body } = await send(backend, `GET /transfers/members/${demo.members.owner}/availability`);
    expect(body).toMatchObject({
      status: "away",
      source: "member",
      until: null,
      updatedAt: "2026-03-02T12:00:00.000Z",
    });
    const { rings } = backend.transfers.start({ destinationId: availableHumans });
    expect(new Set(rings.map(({ outcome }) => outcome))).toEqual(new Set(["skipped"]));
  });
});

describe("secret-rotated", () => {
  const partsOf = async (backend: Backend) => {
    const { headers } = await backend.deliveries.trigger({ destinationId: app });
    return headers["Service-Signature"]?.split(",").length;
  };

  it("sends two signatures for a day, of which the receiver knows the second", async () => {
    const backend = inScenario("secret-rotated");
    expect(await partsOf(backend)).toBe(3);
    expect(backend.collections.get("destinations", app)).toMatchObject({
      previousSecret: demo.signingSecret,
      previousSecretExpiresAt: overlapEnd,
    });
    await backend.advance({ by: overlapMs });
    expect(await partsOf(backend)).toBe(2);
  });

  it("keeps the secret that receivers have, when it is applied again", () => {
    const backend = inScenario("secret-rotated");
    backend.applyScenario("secret-rotated");
    expect(backend.collections.get("destinations", app)).toMatchObject({ previousSecret: demo.signingSecret });
  });
});

describe("daily-limit-reached", () => {
  it("refuses calls until midnight UTC, and then accepts them", async () => {
    const backend = inScenario("daily-limit-reached");
    expect(await manyOf(2, () => placeCall(backend))).toEqual([
      "daily_call_limit_exceeded",
      "daily_call_limit_exceeded",
    ]);
    await backend.advance({ to: "2026-03-02T23:59:59Z" });
    expect(seen(await placeCall(backend))).toBe("daily_call_limit_exceeded");
    await backend.advance({ to: "2026-03-03T00:00:00Z" });
    expect(seen(await placeCall(backend))).toBe(201);
  });
});

describe("queue-full", () => {
  it("refuses each call and says when to try again", async () => {
    const { status, body } = await placeCall(inScenario("queue-full"));
    expect([status, body]).toEqual([
      429,
      expect.objectContaining({ code: "queue_full", meta: { retryAfterSecs: 60 } }),
    ]);
  });
});

describe("rate-limited", () => {
  it("refuses the sixth request in 20 seconds", async () => {
    const backend = inScenario("rate-limited");
    const answers = await manyOf(6, () => send(backend, "GET /roles"));
    expect(answers).toEqual([200, 200, 200, 200, 200, "rate_limit_exceeded"]);
    await backend.advance({ by: 20_000 });
    expect(seen(await send(backend, "GET /roles"))).toBe(200);
  });
});

describe("flaky-503", () => {
  it("fails some requests of every kind, and goes on", async () => {
    const backend = inScenario("flaky-503");
    const answers = await manyOf(100, () => send(backend, "GET /roles"));
    expect(new Set(answers)).toEqual(new Set([200, "service_unavailable"]));
    expect(new Set(await manyOf(30, () => placeCall(backend)))).toContain("service_unavailable");
    expect(backend.faults.list()).toMatchObject([{ name: "flaky-503", when: { times: null, probability: 0.2 } }]);
  });
});

describe("lost-responses", () => {
  it("places each call, of which the client sees no answer", async () => {
    const backend = inScenario("lost-responses");
    for (let index = 0; index < 2; index += 1) await expect(placeCall(backend)).rejects.toThrow("fetch failed");
    const { body } = await send(backend, "GET /calls?status=in_progress");
    expect(body).toMatchObject({ meta: { total: 2 } });
  });
});

describe("every scenario", () => {
  it.each(names)("%s is applied again after a reset", (name) => {
    const backend = inScenario(name);
    const before = backend.snapshot();
    backend.reset();
    expect(backend.snapshot()).toEqual(before);
  });

  it.each(names)("%s that is applied later ends with a reset", (name) => {
    const backend = createBackend();
    const before = backend.snapshot();
    backend.applyScenario(name);
    expect(backend.snapshot()).not.toEqual(before);
    backend.reset();
    expect(backend.snapshot()).toEqual(before);
  });

  it.each(names)("%s changes nothing more when it is applied twice", (name) => {
    const withoutIds = (backend: Backend) => {
      const { faults, random: _, ...rest } = backend.snapshot();
      return { ...rest, faults: faults.waiting.map(({ id: __, ...fault }) => fault) };
    };
    const backend = inScenario(name);
    const once = withoutIds(backend);
    backend.applyScenario(name);
    expect(withoutIds(backend)).toEqual(once);
  });

  it.each(names)("%s leaves the ids of records created later as they are", (name) => {
    const idAfter = (backend: Backend) => {
      backend.faults.clear();
      return backend.credentials.createApiKey().id;
    };
    expect(idAfter(inScenario(name))).toBe(idAfter(createBackend()));
  });

  it.each(names)("%s is announced", (name) => {
    const backend = createBackend();
    const { lastId } = backend.events;
    backend.applyScenario(name);
    expect(backend.events.latest({ after: lastId }).events).toMatchObject([{ type: "scenario.applied", name }]);
  });

  it("is announced at the start and after a reset", () => {
    const backend = inScenario("queue-full");
    backend.reset();
    expect(backend.events.latest().events.map(({ type }) => type)).toEqual([
      "scenario.applied",
      "sandbox.reset",
      "scenario.applied",
    ]);
  });

  it("keeps a fault that happens to have its name, also after a snapshot", () => {
    const backend = createBackend();
    const own = backend.faults.add({ name: "flaky-503", match: { operationId: "listRoles" }, do: "reset" });
    backend.applyScenario("flaky-503");
    backend.restore(backend.snapshot());
    backend.applyScenario("flaky-503");
    const addedBy = backend.faults.list().map(({ id, scenario }) => (id === own ? "own" : scenario));
    expect(addedBy).toEqual(["own", "flaky-503"]);
  });
});

describe("a scenario that cannot be applied", () => {
  const accounts = [{ id: demo.accountId, name: "A" }];
  it.each<[ScenarioName, Seed, string]>([
    ["app-times-out", { accounts }, "destination of kind app"],
    ["slow-app", { accounts }, "destination of kind app"],
    ["secret-rotated", { accounts }, "destination of kind app"],
    ["all-members-away", { accounts }, "member"],
    ["daily-limit-reached", {}, "account"],
  ])("%s says what the seed lacks, and changes nothing", (name, seed, what) => {
    const backend = createBackend({ seed });
    const before = backend.snapshot();
    const message = `${name} needs at least one ${what}, and the sandbox has none. Add one to the seed.`;
    expect(() => backend.applyScenario(name)).toThrow(message);
    expect(backend.snapshot()).toEqual(before);
    expect(() => createBackend({ seed, scenarios: [name] })).toThrow(`scenarios[0]: ${message}`);
  });
});
