// What the backend does with requests that the specification says nothing about (docs/assumptions.md).
import { describe, expect, it } from "vitest";
import { demo } from "../../src/data/demo-seed.ts";
import { createBackend } from "../../src/index.ts";
import { codeOf, send } from "../test-client.ts";

const groups = "POST /transfers/destination-groups";
const group = { name: "Choices", members: [{ destinationId: demo.destinations.app }] };
const text = JSON.stringify(group);

/** Sends a body as bytes with a content type. Returns the code of the error, or the status of a success. */
async function answerTo(body: BodyInit, headers: Readonly<Record<string, string>>, target = groups): Promise<unknown> {
  const [method = "", path = ""] = target.split(" ");
  const authorization = `Bearer ${demo.apiKey}`;
  const init = { method, body, headers: { authorization, ...headers } };
  const response = await createBackend().fetch(`http://mock.test/api/v1${path}`, init);
  return response.ok ? response.status : Reflect.get(await response.json(), "code");
}

describe("a time (A-11)", () => {
  const answer = async (time: string) =>
    codeOf(await send(createBackend(), `GET /calls?startDate=${encodeURIComponent(time)}`)) ?? "accepted";

  it.each([
    "2026-03-02T12:00:00Z",
    "2026-03-02T12:00:00.123456789Z",
    "2026-03-02T12:00:00+02:00",
    "2026-03-02T12:00:00-00:00",
    "2024-02-29T12:00:00Z",
  ])("%s is accepted", async (time) => {
    expect(await answer(time)).toBe("accepted");
  });

  it.each([
    ["without a time", "2026-03-02"],
    ["without a zone", "2026-03-02T12:00:00"],
    ["without seconds", "2026-03-02T12:00Z"],
    ["without separators", "20260302T120000Z"],
    ["with the number of a week", "2026-W10-1T12:00:00Z"],
    ["with the number of a day", "2026-061T12:00:00Z"],
    ["with a decimal comma", "2026-03-02T12:00:00,5Z"],
    ["with an offset in hours", "2026-03-02T12:00:00+02"],
    ["with an offset without a colon", "2026-03-02T12:00:00+0200"],
    ["at hour 24", "2026-03-02T24:00:00Z"],
    ["in a leap second", "2026-06-30T23:59:60Z"],
    ["on a day that does not exist", "2026-02-29T12:00:00Z"],
    ["in lower case", "2026-03-02t12:00:00z"],
    ["with a space", "2026-03-02 12:00:00Z"],
    ["in a year of six digits", "+002026-03-02T12:00:00Z"],
  ])("%s is rejected: %s", async (_, time) => {
    expect(await answer(time)).toBe("validation_failed");
  });

  it("is written in UTC with milliseconds", async () => {
    const { body } = await send(createBackend(), groups, { body: group });
    expect(body).toMatchObject({ createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) });
  });
});

describe("an id (A-6)", () => {
  const availability = (id: string) => send(createBackend(), `GET /transfers/members/${id}/availability`);

  it("of no version in the path has the form of a UUID, and is unknown", async () => {
    expect(codeOf(await availability("00000000-0000-0000-0000-000000000000"))).toBe("resource_not_found");
  });

  it.each(["x", `%7B${demo.members.owner}%7D`, demo.members.owner.replaceAll("-", ""), `${demo.members.owner}0`])(
    "such as %s in the path has another form",
    async (id) => {
      expect(codeOf(await availability(id))).toBe("invalid_id_format");
    },
  );

  it("of another form is unknown in a header and in a body", async () => {
    const headers = { "x-account-id": "x" };
    expect(codeOf(await send(createBackend(), "GET /roles", { headers }))).toBe("account_access_denied");
    const body = { ...group, members: [{ destinationId: "x" }] };
    expect((await send(createBackend(), groups, { body })).body).toMatchObject({
      errors: [{ field: "members[0].destinationId", code: "invalid_format" }],
    });
  });
});

describe("the account list (A-10)", () => {
  it.each([demo.foreignAccountId, demo.suspendedAccountId, "x", ""])("ignores X-Account-Id: %j", async (id) => {
    const backend = createBackend();
    const token = await backend.credentials.createAccessToken({ userId: demo.users.agent });
    for (const credential of [token, demo.apiKey]) {
      const plain = await send(backend, "GET /accounts", { token: credential });
      const named = await send(backend, "GET /accounts", { token: credential, headers: { "x-account-id": id } });
      expect(named).toMatchObject({ status: 200, body: plain.body });
    }
  });
});

describe("what is sent twice (A-55)", () => {
  const joined = (name: string, ...values: string[]) => ({ [name]: values.join(", ") });
  const bearer = `Bearer ${demo.apiKey}`;

  it.each([
    "limit=1&limit=2",
    "limit=1&limit=1",
    "status=a&status=b",
    "startDate=2026-03-02T12:00:00Z&startDate=2026-03-03T12:00:00Z",
  ])("?%s is a validation error on the parameter", async (query) => {
    const answer = await send(createBackend(), `GET /calls?${query}`);
    expect(answer.body).toMatchObject({
      code: "validation_failed",
      errors: [{ field: query.split("=")[0], code: "invalid_format" }],
    });
  });

  it("is ignored in a parameter that no operation has", async () => {
    expect((await send(createBackend(), "GET /calls?other=1&other=2")).status).toBe(200);
  });

  it.each([
    ["token_invalid", joined("authorization", bearer, bearer)],
    ["account_access_denied", joined("x-account-id", demo.accountId, demo.accountId)],
    ["bad_request", joined("content-type", "application/json", "application/json")],
  ])("is %s in a header that fetch joined with a comma", async (code, headers) => {
    expect(await answerTo(text, { "content-type": "application/json", ...headers })).toBe(code);
  });

  it("counts as its last value in a body (A-46)", async () => {
    const body = text.replace("{", '{"name":"First",');
    expect((await send(createBackend(), groups, { body })).body).toMatchObject({ name: group.name });
  });
});

describe("an encoded body (A-56)", () => {
  const json = { "content-type": "application/json" };
  const utf16 = new Uint8Array(Uint16Array.from(text, (letter) => letter.charCodeAt(0)).buffer);
  const latin1 = Uint8Array.from(text.replace("Choices", "Chöices"), (letter) => letter.charCodeAt(0));

  it.each([
    ["utf-16", utf16],
    ["iso-8859-1", latin1],
  ])("in %s is no JSON", async (charset, bytes) => {
    expect(await answerTo(bytes, { "content-type": `application/json; charset=${charset}` })).toBe("invalid_json");
  });

  it.each([
    ["a charset", { "content-type": "application/json; charset=utf-16" }],
    ["an encoding", { ...json, "content-encoding": "gzip" }],
  ])("that is plain UTF-8 is read, whatever %s says", async (_, headers) => {
    expect(await answerTo(text, headers)).toBe(201);
  });

  it("may start with a byte order mark", async () => {
    expect(await answerTo(`\ufeff${text}`, json)).toBe(201);
  });
});

describe("a body of an operation that has none (A-57)", () => {
  const rotate = `POST /transfers/destinations/${demo.destinations.app}/rotate-secret`;
  const removeHours = `DELETE /transfers/members/${demo.members.owner}/hours`;

  it.each([rotate, removeHours])("is ignored by %s", async (target) => {
    const plain = target === rotate ? 200 : 204;
    expect(await answerTo('{"kind":"phone"}', { "content-type": "application/json" }, target)).toBe(plain);
    expect(await answerTo("{", { "content-type": "text/plain" }, target)).toBe(plain);
    expect(await answerTo("x".repeat(2 ** 20 + 1), {}, target)).toBe(plain);
  });
});

describe("the rate limit (A-18)", () => {
  it("counts no request that an earlier check refuses", async () => {
    const backend = createBackend({ policies: { rateLimit: { requests: 1, windowSecs: 60 } } });
    const token = await backend.credentials.createAccessToken({ userId: demo.users.agent });
    const inAccount = { "x-account-id": demo.accountId };
    expect(codeOf(await send(backend, "GET /roles", { token }))).toBe("account_header_missing");
    expect(codeOf(await send(backend, groups, { token, headers: inAccount, body: group }))).toBe(
      "insufficient_permissions",
    );
    expect((await send(backend, "GET /roles", { token, headers: inAccount })).status).toBe(200);
    expect(codeOf(await send(backend, "GET /roles", { token, headers: inAccount }))).toBe("rate_limit_exceeded");
  });
});
