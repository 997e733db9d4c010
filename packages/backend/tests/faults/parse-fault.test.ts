import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import type { Fault } from "../../src/faults/fault.ts";
import { parseFault } from "../../src/faults/parse-fault.ts";
import { InputError } from "../../src/utils/input-error.ts";
import { send } from "../test-client.ts";

const unavailable = { code: "service_unavailable" } as const;

describe("a fault as a text", () => {
  it.each<[string, Fault]>([
    [
      "POST /api/v1/calls 503, 503, pass",
      { match: { method: "POST", path: "/api/v1/calls" }, do: [unavailable, unavailable, "pass"] },
    ],
    ["createCall 429", { match: { operationId: "createCall" }, do: { code: "rate_limit_exceeded" } }],
    ["createcall RESET", { match: { operationId: "createCall" }, do: "reset" }],
    ["GET * latency 800ms", { match: { method: "GET" }, when: { times: null }, do: { latencyMs: 800 } }],
    ["get latency 1.5s once", { match: { method: "GET" }, when: { times: 1 }, do: { latencyMs: 1500 } }],
    ["* 503 10%", { when: { probability: 0.1, times: null }, do: unavailable }],
    ["503", { do: unavailable }],
    ["504", { do: { status: 504 } }],
    ["* queue_full 3 times nth 2", { when: { times: 3, nth: 2 }, do: { code: "queue_full" } }],
    ["503, pass always", { when: { times: null }, do: [unavailable, "pass"] }],
    ["latency 1s, reset", { do: [{ latencyMs: 1000 }, "reset"] }],
    ["rateLimit 30s", { do: { rateLimit: { retryAfterSecs: 30 } } }],
    [
      'createCall header x-test=slow header "x-run=a, b" 503',
      { match: { operationId: "createCall", headers: { "x-test": "slow", "x-run": "a, b" } }, do: unavailable },
    ],
    [
      'createCall body toNumber=+49* body flowId="a b" query limit=5 reset',
      {
        match: {
          operationId: "createCall",
          body: { toNumber: "+49*", flowId: "a b" },
          query: { limit: "5" },
        },
        do: "reset",
      },
    ],
    [
      "/api/v1/transfers/members/*/availability slow_body",
      { match: { path: "/api/v1/transfers/members/*/availability" }, do: "slow_body" },
    ],
    [
      `DELETE /api/v1/transfers/members/${demo.members.agent}/hours 409`,
      {
        match: { method: "DELETE", path: `/api/v1/transfers/members/${demo.members.agent}/hours` },
        do: { code: "conflict" },
      },
    ],
    ["webhooks sign wrong_secret", { webhooks: {}, do: { sign: "wrong_secret" } }],
    [
      `webhooks destination ${demo.destinations.app} duplicate 2, pass`,
      { webhooks: { destinationId: demo.destinations.app }, do: [{ duplicate: { copies: 2 } }, "pass"] },
    ],
    ["webhooks retry 3 5s always", { webhooks: {}, when: { times: null }, do: { retry: { times: 3, afterSecs: 5 } } }],
    ["webhooks signatureAge -301s", { webhooks: {}, do: { signatureAgeSecs: -301 } }],
    [
      "webhooks url http://127.0.0.1:1/a delay 5m",
      { webhooks: { url: "http://127.0.0.1:1/a" }, do: { delaySecs: 300 } },
    ],
    ["webhooks copyTo http://127.0.0.1:2", { webhooks: {}, do: { copyTo: ["http://127.0.0.1:2"] } }],
  ])("%s", (text, fault) => {
    expect(parseFault(text)).toEqual(fault);
  });

  it("is added like an object, also at the start", async () => {
    const backend = createBackend({ faults: ["listRoles 503, pass"] });
    expect((await send(backend, "GET /roles")).status).toBe(503);
    expect((await send(backend, "GET /roles")).status).toBe(200);
    expect(backend.faults.add("createCall reset")).toBe("fault-2");
    expect(backend.faults.list()).toMatchObject([{ match: { operationId: "createCall" }, do: "reset" }]);
  });
});

describe("a text that is no fault", () => {
  it.each([
    ["", "the text is empty. Write a fault such as createCall 503"],
    [
      "createCall",
      "does not say what happens. Add a status, an error code or one of reset, empty, hang, process_then_reset, truncate, slow_body, wrong_content_type, unknown_enum_value, latency, rateLimit",
    ],
    ["creatCall 503", '"creatCall" is not understood here. Did you mean createCall?'],
    ["createCall queue_ful", '"queue_ful" is not understood here. Did you mean queue_full?'],
    [
      "createCall too_many_calls",
      '"too_many_calls" is not understood here. Use one of these: criteria (header, query, body); what happens (a status such as 503, an error code such as queue_full, reset,',
    ],
    [
      "createCall 503 someday",
      '"someday" is not understood here. Use one of these: criteria (header, query, body); how often (10%, once, 3 times, always, nth 2).',
    ],
    ["createCall 503 504", "there are two actions. Write a comma between the steps of a list"],
    ["createCall 503,", "after a comma comes a status, an error code or one of reset"],
    ["createCall 503, nothing", ', or pass, and not "nothing"'],
    ["createCall latency", "latency needs a duration such as 800ms"],
    ["createCall latency fast", 'latency needs a duration such as 800ms, and not "fast"'],
    ["createCall header x-test 503", 'header needs a name and a value, such as x-test=slow, and not "x-test"'],
    ['createCall header "x-test=slow 503', "a quotation mark is not closed"],
    ["GET /calls 503", "there is no operation GET /calls. Did you mean /api/v1/calls?"],
    ["DELETE /api/v1/calls 503", "there is no operation DELETE /api/v1/calls."],
    ["* 503 200%", "when.probability: "],
    ["* pass", "do: pass is a step of a list"],
    ["webhooks 503", '"503" is not understood here. Use one of these: criteria (destination, url, transfer)'],
    ["webhooks sign badly", "sign needs one of none, wrong_secret, previous_secret, wrong_first, reversed"],
  ])("%s: %s", (text, message) => {
    expect(() => parseFault(text)).toThrow(InputError);
    expect(() => parseFault(text)).toThrow(message);
  });

  it("is refused at the start with its place", () => {
    expect(() => createBackend({ faults: ["503", "nope"] })).toThrow('faults[1]: "nope" is not understood here.');
  });
});
