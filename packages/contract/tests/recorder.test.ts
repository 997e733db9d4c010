import { errorCodes } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { accounts, destinations, firstSecret } from "../src/fixtures/names.ts";
import { record } from "../src/suite/recorder.ts";
import type { Target } from "../src/suite/target.ts";

/** A target that returns the same response to every request. */
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
  it("does not judge a success at a path of no operation, such as that of a stub", async () => {
    const text = () => new Response("hello", { status: 200, headers: { "Content-Type": "text/plain" } });
    expect(await violationsOf(text, "/api/v1/contacts")).toEqual([]);
    expect(await violationsOf(text)).not.toEqual([]);
  });

  // A live server may have both, so its tests do not prove it.
  it.each([
    [
      "another type of JSON",
      () => answer(200, { accounts: [] }, { "Content-Type": "application/problem+json" }),
      "type",
    ],
    ["no request id", () => Response.json({ accounts: [] }), "X-Request-Id is missing"],
  ])("reports %s", async (_what, response, words) => {
    expect((await violationsOf(response)).join("\n")).toContain(words);
  });

  it("reports an unlisted value of an enum", async () => {
    const roles = () => answer(200, { roles: [{ role: "janitor", permissions: [] }] });
    expect((await violationsOf(roles, "/api/v1/roles")).join("\n")).toContain("one of the allowed values");
  });

  it("distinguishes responses of faults from behaviour", async () => {
    const recording = record(answering(() => answer(401, problem("token_missing"))));
    await recording.target.fetch("http://localhost/api/v1/accounts");
    await recording.target.faults?.add({ do: { code: "token_missing" } });
    await recording.target.fetch("http://localhost/api/v1/accounts");
    expect(recording.exchanges.map(({ byFault }) => byFault)).toEqual([false, true]);
  });

  it("finds the operation of a path with parameters, below any prefix", async () => {
    const recording = record(answering(() => new Response(null, { status: 204, headers })));
    await recording.target.fetch("http://localhost/prefix/api/v1/transfers/members/1/hours", { method: "DELETE" });
    expect(recording.exchanges[0]?.operation).toBe("deleteMemberHours");
  });
});

describe("the recorder, for secrets", () => {
  const secret = "a-secret-of-this-test";
  const rotatePath = "/api/v1/transfers/destinations/1/rotate-secret";
  const destination = {
    id: "1",
    name: "App",
    kind: "app",
    enabled: true,
    config: {},
    createdAt: "2026-03-02T12:00:00Z",
    updatedAt: "2026-03-02T12:00:00Z",
  };
  const accountsWith = (changes: object) => answer(200, { accounts: [{ id: "1", name: "A", ...changes }] });

  /** The violations after a rotation with this secret, and a list of accounts. */
  async function afterRotation(shown: string, accounts: Response): Promise<readonly string[]> {
    const responses = [answer(200, { ...destination, signingSecret: shown }), accounts];
    const { target, violations } = record(answering(() => responses.shift() ?? accounts));
    await target.fetch(`http://localhost${rotatePath}`, { method: "POST" });
    await target.fetch("http://localhost/api/v1/accounts");
    return violations;
  }

  it("accepts a secret in the response of a rotation", async () => {
    expect(await afterRotation(secret, accountsWith({}))).toEqual([]);
  });

  it("reports the field in another response, at any depth", async () => {
    const violations = await violationsOf(() => accountsWith({ inner: [{ signingSecret: secret }] }));
    expect(violations.join("\n")).toContain("has signingSecret, which only rotateDestinationSecret may show");
  });

  it("accepts the field if it is null", async () => {
    expect(await violationsOf(() => accountsWith({ signingSecret: null }))).toEqual([]);
  });

  it("reports a secret under another name after a rotation showed it", async () => {
    const violations = await afterRotation(secret, accountsWith({ note: `It is ${secret}.` }));
    expect(violations).toEqual(["GET /api/v1/accounts → 200: the response contains a secret that was shown before"]);
  });

  it("reports a secret of the initial state, also in the response of a rotation", async () => {
    expect((await afterRotation(firstSecret, accountsWith({}))).join("\n")).toContain("a secret that was shown before");
  });

  it("reports a secret of a seed", async () => {
    const { target, violations } = record(answering(() => accountsWith({ name: secret })));
    await target.seed({
      destinations: [{ id: "1", accountId: "1", name: "App", kind: "app", signingSecret: secret }],
    });
    await target.fetch("http://localhost/api/v1/accounts");
    expect(violations.join("\n")).toContain("a secret that was shown before");
  });
});

describe("the recorder, for other accounts", () => {
  const rolesWith = (extra: unknown) => answer(200, { roles: [], extra });
  const fetchRoles = async (extra: unknown, headers: Record<string, string>, query = "") => {
    const { target, violations } = record({
      ...answering(() => rolesWith(extra)),
      credentialsFor: async () => ({ apiKey: "key" }),
    });
    await target.credentialsFor({ keyAccountId: accounts.home });
    await target.fetch(`http://localhost/api/v1/roles${query}`, { headers });
    return violations;
  };
  const found = [
    `GET /api/v1/roles → 200: the response contains ${destinations.foreignApp.slice(0, 12)}… of another account`,
  ];

  it("reports an id of an account other than that of the header", async () => {
    expect(await fetchRoles(destinations.foreignApp, { "X-Account-Id": accounts.home })).toEqual(found);
  });

  it("reports an id of an account other than that of the key", async () => {
    expect(await fetchRoles(destinations.foreignApp, { Authorization: "Bearer key" })).toEqual(found);
  });

  it("accepts an id of the account", async () => {
    expect(await fetchRoles(destinations.foreignApp, { "X-Account-Id": accounts.foreign })).toEqual([]);
  });

  it("accepts an id that the request contains", async () => {
    const query = `?id=${destinations.foreignApp}`;
    expect(await fetchRoles(destinations.foreignApp, { "X-Account-Id": accounts.home }, query)).toEqual([]);
  });
});
