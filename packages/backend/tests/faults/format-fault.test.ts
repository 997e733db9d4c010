import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../src/faults/fault.ts";
import { formatFault } from "../../src/faults/format-fault.ts";
import { parseFault } from "../../src/faults/parse-fault.ts";

const known = Object.values(operations);
const format = (fault: Fault) => formatFault(fault, known);

describe("formatFault", () => {
  it.each([
    "* 503",
    "POST /api/v1/calls 503, 503, pass",
    "createCall 504",
    "createCall queue_full nth 2 3 times",
    "* 503, pass always",
    "GET latency 800ms",
    "GET latency 1.5s once",
    "* 503 10%",
    "* 503 12.5% 4 times",
    "* rateLimit 30s",
    'createCall header x-test=slow header "x-run=a, b" query limit=5 body toNumber=+49* sandbox qa-* reset',
    "* latency 3s on monday, tuesday 09:00-17:00 timeZone Europe/Berlin",
    "webhooks sign wrong_secret",
    "webhooks destination d1 duplicate 2, pass",
    "webhooks retry 3 5s always",
    "webhooks signatureAge -301s",
    "webhooks url http://127.0.0.1:1/a transfer t1 delay 301s",
    "webhooks copyTo http://127.0.0.1:2",
    "webhooks reorder",
  ])("writes %s as it was read", (text) => {
    expect(format(parseFault(text, known))).toBe(text);
  });

  it.each<[string, Fault]>([
    ["field errors", { do: { code: "validation_failed", errors: [{ field: "name", code: "too_long" }] } }],
    ["a body", { do: { status: 503, body: "down" } }],
    ["a status whose text means an error code", { do: { status: 503 } }],
    ["an operation and a method", { match: { operationId: "createCall", method: "POST" }, do: "reset" }],
    ["a number in the body", { match: { body: { limit: 5 } }, do: "reset" }],
    ["a quotation mark", { match: { body: { name: 'a " b' } }, do: "reset" }],
    ["the next step", { when: { step: 2 }, do: ["reset", "pass"] }],
    ["a gap between copies", { webhooks: {}, do: { duplicate: { copies: 2, intervalSecs: 5 } } }],
    ["two more addresses", { webhooks: {}, do: { copyTo: ["http://127.0.0.1:2", "http://127.0.0.1:3"] } }],
  ])("has no text for %s", (_, fault) => {
    expect(format(fault)).toBeUndefined();
  });

  it("does not write defaults", () => {
    expect(format({ match: {}, when: { nth: 1, times: 1, probability: 1, step: 1 }, do: ["reset"] })).toBe("* reset");
  });
});
