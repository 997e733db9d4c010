import { errorCodes } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { record } from "../src/suite/recorder.ts";
import type { Target } from "../src/suite/target.ts";

/** A target that gives every request the same answer. */
const answering = (response: () => Response): Target => ({
  name: "fake",
  baseUrl: "http://localhost",
  fetch: async () => response(),
  unsupported: {},
  credentialsFor: async () => ({}),
  seed: async () => {},
  faults: { add: async () => {} },
});

const headers = { "X-Request-Id": "r1", "Content-Type": "application/json" };
const problem = (code: keyof typeof errorCodes, changes: object = {}) => ({
  code,
  status: errorCodes[code].status,
  title: "Title",
  detail: "Detail",
  requestId: "r1",
  ...changes,
});
const answer = (status: number, body: unknown, changes: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { ...headers, ...changes } });

async function violationsOf(response: () => Response, path = "/api/v1/accounts"): Promise<readonly string[]> {
  const { target, violations } = record(answering(response));
  await target.fetch(`http://localhost${path}`);
  return violations;
}

describe("the recorder", () => {
  it("finds nothing wrong with an answer that fits the contract", async () => {
    expect(await violationsOf(() => answer(200, { accounts: [{ id: "1", name: "A" }] }))).toEqual([]);
  });

  it("finds nothing wrong with an error that fits the contract", async () => {
    expect(await violationsOf(() => answer(401, problem("token_missing")))).toEqual([]);
  });

  it.each([
    ["a body that the schema refuses", () => answer(200, { accounts: [{ id: "1" }] }), "name"],
    ["a body that is no JSON", () => new Response("{", { status: 200, headers }), "no JSON"],
    ["another content type", () => answer(200, { accounts: [] }, { "Content-Type": "text/plain" }), "content type"],
    ["a missing request id", () => Response.json({ accounts: [] }), "X-Request-Id"],
    ["another request id in the body", () => answer(401, problem("token_missing", { requestId: "r2" })), "requestId"],
    ["another status in the body", () => answer(401, problem("token_missing", { status: 400 })), "status line"],
    ["a code that goes with another status", () => answer(403, problem("token_missing", { status: 403 })), "table"],
    ["a code that nobody knows", () => answer(401, { ...problem("token_missing"), code: "nope" }), "no code"],
    ["a validation error that names no fields", () => answer(400, problem("validation_failed")), "names no fields"],
  ])("reports %s", async (_what, response, words) => {
    expect((await violationsOf(response)).join("\n")).toContain(words);
  });

  it("tells an answer that a fault gave from the platform's own", async () => {
    const recording = record(answering(() => answer(401, problem("token_missing"))));
    await recording.target.fetch("http://localhost/api/v1/accounts");
    await recording.target.faults?.add({ do: { code: "token_missing" } });
    await recording.target.fetch("http://localhost/api/v1/accounts");
    expect(recording.exchanges.map(({ byFault: onDemand }) => onDemand)).toEqual([false, true]);
  });

  it("knows the operation of a path with parameters, below any prefix", async () => {
    const recording = record(answering(() => new Response(null, { status: 204, headers })));
    await recording.target.fetch("http://localhost/prefix/api/v1/transfers/members/1/hours", { method: "DELETE" });
    expect(recording.exchanges[0]?.operation).toBe("deleteMemberHours");
  });

  it("leaves the answer's body to the caller", async () => {
    const { target } = record(answering(() => answer(200, { accounts: [] })));
    const response = await target.fetch("http://localhost/api/v1/accounts");
    expect(await response.json()).toEqual({ accounts: [] });
  });
});
