import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { codeOf, send } from "../test-client.ts";

const { users, accountId } = demo;
const inAccount = { "x-account-id": accountId };

describe("a credential", () => {
  it.each([
    ["an empty header", { authorization: " " }, "token_missing"],
    ["a bare scheme", { authorization: "Bearer" }, "token_missing"],
    ["two tokens", { authorization: "Bearer a b" }, "token_invalid"],
    ["a key and more", { authorization: `Bearer ${demo.apiKey} b` }, "token_invalid"],
  ])("that is %s is rejected", async (_, headers, code) => {
    const answer = await send(createBackend(), "GET /roles", { token: null, headers });
    expect([answer.status, codeOf(answer)]).toEqual([401, code]);
  });

  it.each([
    ["", "The Authorization header is missing."],
    [
      "Bearer ",
      "The Authorization header has no credential after Bearer. If it is read from a variable such as CALL_TRANSFER_API_KEY or CALL_TRANSFER_ACCESS_TOKEN_OWNER, set that variable.",
    ],
  ])("that is the text '%s' says what is absent", async (authorization, detail) => {
    const headers = new Headers(authorization === "" ? {} : { authorization });
    const answer = await createBackend().fetch("http://mock.test/api/v1/roles", { headers });
    expect([answer.status, await answer.json()]).toMatchObject([401, { code: "token_missing", detail }]);
  });

  it("that is an empty header is not called missing", async () => {
    const answer = await createBackend().fetch("http://mock.test/api/v1/roles", { headers: { authorization: "" } });
    expect(await answer.json()).toMatchObject({
      code: "token_missing",
      detail:
        "The Authorization header is empty. If it is read from a variable such as CALL_TRANSFER_API_KEY or CALL_TRANSFER_ACCESS_TOKEN_OWNER, set that variable.",
    });
  });

  it("of another scheme gets the name of the right one", async () => {
    const answer = await send(createBackend(), "GET /roles", { token: null, headers: { authorization: "Basic abc" } });
    expect(answer.body).toMatchObject({
      detail: "The Authorization header is malformed. Send it as: Bearer <token>.",
    });
  });
});

it("says of an empty X-Account-Id header that it is empty, not missing", async () => {
  const backend = createBackend();
  const token = await backend.credentials.createAccessToken({ userId: users.owner });
  const detailWith = async (more: Record<string, string>) =>
    (await send(backend, "GET /roles", { token, headers: more })).body;
  expect(await detailWith({ "x-account-id": "" })).toMatchObject({
    code: "account_header_missing",
    detail:
      "The X-Account-Id header is empty. If it is read from a variable such as CALL_TRANSFER_ACCOUNT_ID, set that variable.",
  });
  expect(await detailWith({})).toMatchObject({
    code: "account_header_missing",
    detail: "An account-scoped request with a JWT must carry the X-Account-Id header.",
  });
});

describe("an API key", () => {
  const expiries = {
    never: undefined,
    past: "2026-03-02T11:00:00Z",
    now: "2026-03-02T12:00:00Z",
    later: "2026-03-02T12:00:00.001Z",
  };
  it.each(
    (["valid", "expired", "revoked"] as const).flatMap((state) =>
      Object.entries(expiries).map(([when, expiresAt]) => [state, when, expiresAt] as const),
    ),
  )(
    "that is %s and expires %s gets the code of its state first, then that of its time",
    async (state, when, expiresAt) => {
      const backend = createBackend();
      const { key } = backend.credentials.createApiKey({ state, ...(expiresAt !== undefined && { expiresAt }) });
      const isOver = when === "past" || when === "now";
      const expected =
        state === "revoked" ? "api_key_revoked" : state === "expired" || isOver ? "api_key_expired" : undefined;
      expect(codeOf(await send(backend, "GET /roles", { token: key }))).toBe(expected);
    },
  );

  it.each([
    ["10.0.0.1", "::ffff:10.0.0.1", 200],
    ["::FFFF:10.0.0.1", "10.0.0.1", 200],
    ["2001:DB8::1", "2001:db8::1", 200],
    ["::ffff:a:b", "a:b", 403],
    ["10.0.0.1", "1::ffff:0.0.0.1", 403],
    ["10.0.0.1", "10.0.0.11", 403],
    ["", "10.0.0.1", 403],
  ])("allowed from %j answers a request from %j with %i", async (allowed, address, status) => {
    const backend = createBackend();
    const { key } = backend.credentials.createApiKey({ allowedIps: ["192.0.2.1", allowed] });
    expect((await send(backend, "GET /roles", { token: key, address })).status).toBe(status);
  });

  it("with a trusted proxy uses the peer's address if none is forwarded", async () => {
    const backend = createBackend({ policies: { trustForwardedFor: true } });
    const { key } = backend.credentials.createApiKey({ allowedIps: ["10.0.0.2"] });
    const from = (forwarded?: string) =>
      send(backend, "GET /roles", {
        token: key,
        address: "10.0.0.2",
        headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
      });
    expect((await from()).status).toBe(200);
    expect((await from(" ,10.0.0.9")).status).toBe(200);
    expect((await from("10.0.0.2 , 10.0.0.9")).status).toBe(200);
    expect((await from("10.0.0.9")).status).toBe(403);
  });

  it("rejects a token with another last character or with padding", async () => {
    const backend = createBackend();
    const token = await backend.credentials.createAccessToken({ userId: demo.users.owner });
    const headers = { "x-account-id": demo.accountId };
    const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".indexOf(token.at(-1) ?? "");
    const next = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".at(last + 1) ?? "A";
    for (const changed of [token.slice(0, -1) + next, `${token}=`]) {
      expect(codeOf(await send(backend, "GET /roles", { token: changed, headers }))).toBe("token_invalid");
    }
    expect((await send(backend, "GET /roles", { token, headers })).status).toBe(200);
  });
});

describe("an access token", () => {
  it("that is invalid says whether it is no token, of another server, or of a user who is gone", async () => {
    const backend = createBackend();
    const token = await backend.credentials.createAccessToken({ userId: users.owner });
    const read = async (from: Backend, sent: string) => (await send(from, "GET /accounts", { token: sent })).body;
    const saying = (detail: string) => ({ code: "token_invalid", detail });
    expect(await read(backend, "undefined")).toMatchObject(
      saying("The access token is malformed: it is not a JWT of this API."),
    );
    const other = createBackend();
    other.restore({ ...other.snapshot(), tokenSecret: "ab".repeat(32) });
    expect(await read(other, token)).toMatchObject(
      saying(
        "The signature of the access token does not verify. It comes from another server, or from one with other data: get a new token.",
      ),
    );
    backend.state.users.delete(users.owner);
    expect(await read(backend, token)).toMatchObject(saying("The user of the access token does not exist."));
  });

  it("of a role without the permission names the role and those that have it", async () => {
    const backend = createBackend();
    const token = await backend.credentials.createAccessToken({ userId: users.agent });
    const operation = `DELETE /transfers/members/${demo.members.owner}/hours`;
    expect((await send(backend, operation, { token, headers: inAccount })).body).toMatchObject({
      code: "insufficient_permissions",
      detail: "The caller's role agent does not permit this operation. Permitted: owner, admin, the member's own user.",
    });
  });
});
