import { demo } from "@call-transfer/backend";
import { demoSeed } from "@call-transfer/backend/unstable";
import { limits } from "@call-transfer/spec";
import { describe, expect, it, onTestFinished } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

const { app } = demo.destinations;

/** Starts a server. Returns what runs the command for it. */
async function start(options: Parameters<typeof startMockServer>[0] = {}) {
  const server = await startMockServer({ port: 0, clockMode: "frozen", now: "2026-03-02T12:00:00Z", ...options });
  onTestFinished(() => server.close());
  const credentials = (...args: string[]) => runLine(server.url, "credentials", ...args);
  const codeFor = async (path: string, bearer: string, method = "GET") => {
    const headers = { authorization: `Bearer ${bearer}`, "x-account-id": demo.accountId };
    const response = await fetch(`${server.url}${path}`, { method, headers });
    const { code } = (await response.json()) as { code?: string };
    return code ?? response.status;
  };
  return { ...server, credentials, codeFor };
}

describe("credentials token", () => {
  it("issues a token with the permissions of the role, for a year by default", async () => {
    const { credentials, codeFor } = await start();
    const { stdout: text } = await credentials("token", "agent");
    const rotate = `/api/v1/transfers/destinations/${app}/rotate-secret`;
    expect(await codeFor("/api/v1/roles", text)).toBe(200);
    expect(await codeFor(rotate, text, "POST")).toBe("insufficient_permissions");
    expect(JSON.parse((await credentials("token", "--json")).stdout)).toEqual({
      accessToken: expect.any(String),
      userId: demo.users.owner,
      accountId: demo.accountId,
      expiresAt: "2027-03-02T12:00:00.000Z",
    });
  });

  it("applies --expires-in on the clock of the sandbox", async () => {
    const { credentials, codeFor, sandboxes } = await start();
    const later = sandboxes.create("later", { now: "2030-01-01T00:00:00Z" });
    const { stdout: text } = await credentials("token", "admin", "--expires-in", "90m", "--sandbox", "later");
    const path = "/_sandbox/later/api/v1/roles";
    await later.advance({ by: 90 * 60_000 - 1 });
    expect(await codeFor(path, text)).toBe(200);
    await later.advance({ by: 1 });
    expect(await codeFor(path, text)).toBe("token_expired");
  });

  it("issues a token that has expired with --expired", async () => {
    const { credentials, codeFor } = await start();
    expect(await codeFor("/api/v1/roles", (await credentials("token", "--expired")).stdout)).toBe("token_expired");
  });

  it("issues a token for a user, and for a role in another account", async () => {
    const { credentials } = await start();
    const read = async (...args: string[]) => JSON.parse((await credentials("token", ...args, "--json")).stdout);
    const { outsider, both } = demo.users;
    expect(await read("--user", outsider, "--expires-in", "1d")).toEqual({
      accessToken: expect.any(String),
      userId: outsider,
      expiresAt: "2026-03-03T12:00:00.000Z",
    });
    const accountId = demo.foreignAccountId;
    expect(await read("owner", "--account", accountId)).toMatchObject({ userId: both, accountId });
  });

  it.each([
    [["ownr"], "credentials token ownr: must be one of agent, member, admin, owner. Did you mean owner?"],
    [["--expires-in", "36501d"], "--expires-in 36501d: must be a duration above 0, such as 30m, 24h or 365d, at most"],
    [["--expired", "--expires-in", "1h"], "--expired does not work with --expires-in. Remove one of them."],
    [["--user", "nobody"], 'There is no user "nobody". Known: '],
    [["admin", "--account", demo.foreignAccountId], "no member of the account has the role admin"],
  ])("rejects %j", async (args, message) => {
    const { credentials } = await start();
    await expect(credentials("token", ...args)).rejects.toThrow(message);
  });
});

it("credentials keys prints an API key of a state", async () => {
  const { credentials, codeFor } = await start();
  expect(await codeFor("/api/v1/roles", (await credentials("keys")).stdout)).toBe(200);
  expect(await codeFor("/api/v1/roles", (await credentials("keys", "revoked")).stdout)).toBe("api_key_revoked");
  await expect(credentials("keys", "revokd")).rejects.toThrow("credentials keys revokd: must be one of valid, expired");
});

describe("credentials rotate", () => {
  it("prints the new secret, with which offers are signed beside the previous one", async () => {
    const { credentials, backend } = await start({ fetch: async () => new Response() });
    const { stdout } = await credentials("rotate");
    const { signingSecret = "", previousSecret } = backend.state.destinations.get(app) ?? {};
    expect(signingSecret).not.toBe(demo.signingSecret);
    expect(previousSecret).toBe(demo.signingSecret);
    const ends = Date.parse("2026-03-02T12:00:00Z") + limits.previousSecretOverlapHours * 3_600_000;
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
      ["id", app],
      ["name", "Front desk app"],
      ["signingSecret", signingSecret],
      ["previous one ends", new Date(ends).toISOString()],
    ]);
    const { signature } = await backend.deliveries.trigger({ destinationId: app });
    expect(signature?.v1.map(({ secret }) => secret)).toEqual(["current", "previous"]);
  });

  it("finds the destination by name in the sandbox that it is given, and prints JSON for programs", async () => {
    const { credentials, backend, sandboxes } = await start();
    const other = sandboxes.create("other");
    const { stdout } = await credentials("rotate", "front", "--json", "--sandbox", "other");
    const secretIn = (one: typeof backend) => one.state.destinations.get(app)?.signingSecret;
    expect(JSON.parse(stdout)).toMatchObject({ id: app, signingSecret: secretIn(other) });
    expect([secretIn(backend), secretIn(other) === demo.signingSecret]).toEqual([demo.signingSecret, false]);
  });

  it("works with a control token, and in an account without an owner", async () => {
    const members = demoSeed.members?.filter(({ role }) => role !== "owner") ?? [];
    const controlToken = "0123456789abcdef";
    const { credentials, backend } = await start({ controlToken, seed: { ...demoSeed, members } });
    await credentials("rotate", "--control-token", controlToken);
    expect(backend.state.destinations.get(app)?.previousSecret).toBe(demo.signingSecret);
  });

  it("says why the API refuses, and what is missing", async () => {
    const { credentials } = await start({ policies: { secondRotation: "reject" } });
    await credentials("rotate");
    await expect(credentials("rotate")).rejects.toThrow("another rotation would end it");
    await expect(credentials("rotate", "nobody")).rejects.toThrow('There is no app "nobody". Known: Front desk app');
    const empty = await start({ seed: {} });
    await expect(empty.credentials("rotate")).rejects.toThrow(
      "The sandbox has no app destination. Add one to the seed.",
    );
  });
});
