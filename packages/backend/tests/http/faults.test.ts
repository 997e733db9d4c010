import { fieldErrorCodes } from "@call-transfer/spec";
import { zErrorResponse } from "@call-transfer/spec/schemas";
import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { FaultAction } from "../../src/faults/fault.ts";
import { InputError } from "../../src/utils/input-error.ts";
import { send } from "../test-client.ts";

const headers = { authorization: `Bearer ${demo.apiKey}` };
const roles = (backend: Backend, init: RequestInit = {}) =>
  backend.fetch("http://mock.test/api/v1/roles", { headers, ...init });
const placement = JSON.stringify({
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
});
const placeCall = (backend: Backend) =>
  backend.fetch("http://mock.test/api/v1/calls", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: placement,
  });
const callsOf = (backend: Backend) => backend.state.calls.size - createBackend().state.calls.size;
function failing(action: FaultAction): Backend {
  const backend = createBackend();
  backend.faults.add({ do: action });
  return backend;
}

describe("in a fetch function", () => {
  it.each([
    ["reset", "ECONNRESET", 0],
    ["empty", "UND_ERR_SOCKET", 0],
    ["process_then_reset", "ECONNRESET", 1],
  ] as const)("%s rejects like a lost connection (%s), with %i calls placed", async (action, code, placed) => {
    const backend = failing(action);
    const error = await placeCall(backend).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "fetch failed", cause: { code } });
    expect(callsOf(backend)).toBe(placed);
    expect(backend.requests.list()).toMatchObject([{ status: 0, fault: "fault-1" }]);
  });

  it("hang waits until the client aborts, and processes nothing", async () => {
    const backend = failing("hang");
    const cancel = new AbortController();
    const answer = roles(backend, { signal: cancel.signal });
    cancel.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
  });

  it("truncate cuts the body off in the middle", async () => {
    const response = await roles(failing("truncate"));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    await expect(response.text()).rejects.toThrow("terminated");
  });

  it("slow_body sends the whole body, as the clock advances", async () => {
    const backend = failing("slow_body");
    const response = await roles(backend);
    let text: string | undefined;
    const read = response.text().then((whole) => {
      text = whole;
    });
    await backend.clock.advance({ by: 1500 });
    expect(text).toBeUndefined();
    await backend.clock.advance({ by: 10_000 });
    await read;
    expect(JSON.parse(text ?? "")).toHaveProperty("roles");
  });

  it.each(["slow_body", "wrong_content_type", "unknown_enum_value"] as const)(
    "%s changes nothing of a response without a body",
    async (action) => {
      const url = `http://mock.test/api/v1/transfers/members/${demo.members.agent}/hours`;
      const response = await failing(action).fetch(url, { method: "DELETE", headers });
      expect([response.status, response.body, response.headers.get("content-type")]).toEqual([204, null, null]);
    },
  );

  it("slow_body can be aborted", async () => {
    const cancel = new AbortController();
    const response = await roles(failing("slow_body"), { signal: cancel.signal });
    const text = response.text();
    cancel.abort(new Error("enough"));
    await expect(text).rejects.toThrow("enough");
  });

  it("wrong_content_type labels the JSON as HTML", async () => {
    const response = await roles(failing("wrong_content_type"));
    expect([response.headers.get("content-type"), await response.json()]).toEqual([
      "text/html",
      expect.objectContaining({ roles: expect.any(Array) }),
    ]);
  });

  it("unknown_enum_value replaces enum values with unknown ones", async () => {
    const backend = failing("unknown_enum_value");
    const { body } = await send(backend, `GET /transfers/members/${demo.members.both}/availability`);
    expect(body).toMatchObject({ status: "value_of_a_newer_version", memberId: demo.members.both, busy: true });
    backend.faults.add({ do: "unknown_enum_value" });
    expect((await send(backend, "GET /roles", { token: null })).body).toMatchObject({
      code: "value_of_a_newer_version",
    });
  });
});

describe("latency", () => {
  it("delays the request until the frozen clock advances", async () => {
    const backend = failing({ latencyMs: 2500 });
    let status: number | undefined;
    const answer = roles(backend).then((response) => {
      status = response.status;
    });
    await backend.clock.advance({ by: 2499 });
    expect(status).toBeUndefined();
    await backend.clock.advance({ by: 1 });
    await answer;
    expect(status).toBe(200);
  });

  it("can be aborted", async () => {
    const cancel = new AbortController();
    const answer = roles(failing({ latencyMs: 1000 }), { signal: cancel.signal });
    cancel.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
  });

  it("adds up, and comes before another fault", async () => {
    const backend = failing({ latencyMs: 1000 });
    backend.faults.add({ do: { latencyMs: 1000 } });
    backend.faults.add({ do: { code: "region_saturated" } });
    const answer = send(backend, "GET /roles");
    await backend.clock.advance({ by: 2000 });
    expect((await answer).body).toMatchObject({ code: "region_saturated" });
    expect(backend.faults.list()).toEqual([]);
  });

  it("does not keep the clock from waiting for other work", async () => {
    const fetch = () => new Promise<Response>((resolve) => setTimeout(resolve, 5, new Response()));
    const backend = createBackend({ fetch, faults: [{ do: { latencyMs: 1000 } }] });
    const answer = roles(backend);
    while (backend.clock.pendingTimers === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    void backend.deliveries.trigger({ destinationId: demo.destinations.app });
    await backend.clock.advance({ by: 500 });
    expect(backend.deliveries.list()).toHaveLength(1);
    await backend.clock.advance({ by: 500 });
    expect((await answer).status).toBe(200);
  });

  it("ends at a reset", async () => {
    const backend = failing({ latencyMs: 1000 });
    const answer = roles(backend);
    while (backend.clock.pendingTimers === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    backend.reset();
    expect((await answer).status).toBe(200);
  });
});

describe("a fault", () => {
  it("with a rate limit responds with retryAfterSecs", async () => {
    const backend = failing({ rateLimit: { retryAfterSecs: 7 } });
    expect((await send(backend, "GET /roles")).body).toMatchObject({
      code: "rate_limit_exceeded",
      meta: { retryAfterSecs: 7 },
    });
  });

  it("with a probability matches the same requests in every run, and does not change later ids", async () => {
    const run = async (probability: number | undefined) => {
      const backend = createBackend({ randomSeed: 3 });
      if (probability !== undefined)
        backend.faults.add({
          match: { operationId: "listRoles" },
          when: { times: null, probability },
          do: { code: "conflict" },
        });
      const statuses: number[] = [];
      for (let index = 0; index < 40; index += 1) statuses.push((await send(backend, "GET /roles")).status);
      await placeCall(backend);
      return { statuses, callId: [...backend.state.calls.keys()].at(-1) };
    };
    const half = await run(0.5);
    expect(await run(0.5)).toEqual(half);
    const met = half.statuses.filter((status) => status === 409).length;
    expect(met).toBeGreaterThan(8);
    expect(met).toBeLessThan(32);
    expect((await run(undefined)).callId).toBe(half.callId);
  });
});

describe("a fault with an error code", () => {
  it.each(fieldErrorCodes)("sends the field error code %s", async (code) => {
    const errors = [{ field: "members[0].name", code, message: "is wrong" }];
    const { status, body } = await send(failing({ code: "validation_failed", errors }), "GET /roles");
    expect([status, body]).toEqual([400, expect.objectContaining({ code: "validation_failed", errors })]);
    expect(zErrorResponse.safeParse(body).error).toBeUndefined();
  });

  it.each([
    ["rate_limit_exceeded", { retryAfterSecs: 17 }],
    ["assistant_quota_exceeded", { resetsAt: "2026-03-03T00:00:00Z" }],
    ["conflict", { seenBy: "a newer version" }],
    ["queue_full", {}],
  ] as const)("%s sends the meta %j instead of its default", async (code, meta) => {
    const { body } = await send(failing({ code, meta }), "GET /roles");
    expect((body as { meta: unknown }).meta).toEqual(meta);
    expect(zErrorResponse.safeParse(body).error).toBeUndefined();
  });

  it("survives a snapshot with its field errors and meta", async () => {
    const errors = [{ field: "name", code: "too_long" }] as const;
    const backend = failing({ code: "validation_failed", errors, meta: { limit: 5 } });
    const other = createBackend();
    other.restore(backend.snapshot());
    expect((await send(other, "GET /roles")).body).toMatchObject({ errors, meta: { limit: 5 } });
  });

  it.each<[object, string]>([
    [{ code: "validation_faild" }, 'do.code: unknown error code "validation_faild". Did you mean validation_failed?'],
    [{ code: 5 }, "do.code: "],
    [
      { code: "validation_failed", errors: [{ field: "name", code: "to_short" }] },
      'do.errors[0].code: unknown field error code "to_short". Did you mean too_short?',
    ],
    [
      { code: "validation_failed", errors: [{ field: "name", code: "conflict" }] },
      'do.errors[0].code: unknown field error code "conflict"',
    ],
    [{ code: "validation_failed", errors: [{ code: "required" }] }, "do.errors[0].field: "],
    [{ code: "validation_failed", errors: [{ field: "name", code: "required", why: "" }] }, "do.errors[0].why: "],
    [{ code: "validation_failed", errors: [{ feild: "name" }] }, "do.errors[0]."],
    [{ code: "validation_failed", errors: [] }, "do.errors: "],
    [{ code: "validation_failed", erors: [] }, "do.erors: is not a known field"],
    [
      { code: "conflict", errors: [{ field: "name", code: "required" }] },
      "do.errors: conflict has no field errors. Remove them, or use flow_structure_invalid or validation_failed.",
    ],
    [{ code: "rate_limit_exceeded", meta: { retryAfterSecs: -1 } }, "do.meta.retryAfterSecs: "],
    [{ code: "rate_limit_exceeded", meta: { retryAfterSecs: "5" } }, "do.meta.retryAfterSecs: "],
    [{ code: "assistant_quota_exceeded", meta: { resetsAt: "tomorrow" } }, "do.meta.resetsAt: "],
    [{ code: "conflict", meta: [] }, "do.meta: "],
  ])("is rejected as %j, with the reason", (action, message) => {
    const add = () => createBackend().faults.add({ do: action as FaultAction });
    expect(add).toThrow(InputError);
    expect(add).toThrow(message);
  });
});

describe("the request log records the request body for", () => {
  it.each<[string, FaultAction]>([
    ["an error code", { code: "queue_full" }],
    ["a rate limit", { rateLimit: { retryAfterSecs: 1 } }],
    ["a raw status", { status: 504, body: "late" }],
    ["a reset connection", "reset"],
    ["a closed connection", "empty"],
    ["a connection that hangs", "hang"],
    ["a connection that is dropped after processing", "process_then_reset"],
    ["a truncated response", "truncate"],
  ])("%s", async (_, action) => {
    const backend = failing(action);
    await backend.handle(
      new Request("http://mock.test/api/v1/calls", {
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify({ ...JSON.parse(placement), apiKey: "svc_live_hidden" }),
      }),
    );
    expect(backend.requests.get(1)).toMatchObject({
      fault: "fault-1",
      requestBody: { toNumber: demo.recipients.anyone, apiKey: "[redacted]" },
    });
  });

  it("a latency that the client aborts, without processing the request", async () => {
    const backend = failing({ latencyMs: 1000 });
    const cancel = new AbortController();
    const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body: placement };
    const answer = backend.fetch("http://mock.test/api/v1/calls", { ...init, signal: cancel.signal });
    cancel.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    await expect.poll(() => backend.requests.get(1)).toBeDefined();
    const recorded = backend.requests.get(1, { redact: false });
    expect(recorded).toMatchObject({ status: 0, fault: "fault-1", requestBody: JSON.parse(placement) });
    expect(recorded?.decidedBy.detail).toContain("delayed the response, and the client disconnected");
    expect(callsOf(backend)).toBe(0);
  });
});
