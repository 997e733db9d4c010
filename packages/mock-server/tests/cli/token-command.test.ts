import { demo } from "@call-transfer/backend";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startMockServer } from "../../src/server/server.ts";
import { runLine } from "./run-line.ts";

const server = await startMockServer({
  port: 0,
  clockMode: "frozen",
  now: "2026-03-02T12:00:00Z",
  autoSandboxes: true,
});
const { url, backend, sandboxes } = server;
beforeEach(() => backend.reset());
afterAll(() => server.close());

async function token(...args: string[]) {
  const { stdout: text } = await runLine(url, "credentials", "token", ...args);
  const { stdout } = await runLine(url, "credentials", "token", ...args, "--json");
  return { data: JSON.parse(stdout), text };
}

async function read(path: string, bearer: string, method = "GET") {
  const headers = { authorization: `Bearer ${bearer}`, "x-account-id": demo.accountId };
  const response = await fetch(`${url}${path}`, { method, headers });
  const { code } = (await response.json()) as { code?: string };
  return code ?? response.status;
}

describe("credentials token", () => {
  it("issues a token with the permissions of the role", async () => {
    const { text } = await token("agent");
    const rotate = `/api/v1/transfers/destinations/${demo.destinations.app}/rotate-secret`;
    expect(await read("/api/v1/roles", text)).toBe(200);
    expect(await read(rotate, text, "POST")).toBe("insufficient_permissions");
  });

  it("applies --expires-in on the sandbox's clock", async () => {
    const { text } = await token("admin", "--expires-in", "90m");
    await backend.advance({ by: 90 * 60_000 - 1 });
    expect(await read("/api/v1/roles", text)).toBe(200);
    await backend.advance({ by: 1 });
    expect(await read("/api/v1/roles", text)).toBe("token_expired");
  });

  it("issues an owner's token for a year by default", async () => {
    const { data, text } = await token();
    expect(text).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(data).toEqual({
      accessToken: expect.any(String),
      userId: demo.users.owner,
      accountId: demo.accountId,
      expiresAt: "2027-03-02T12:00:00.000Z",
    });
  });

  it("issues a token for a user, and for a role in another account", async () => {
    const { outsider, both } = demo.users;
    expect((await token("--user", outsider, "--expires-in", "1d")).data).toEqual({
      accessToken: expect.any(String),
      userId: outsider,
      expiresAt: "2026-03-03T12:00:00.000Z",
    });
    const accountId = demo.foreignAccountId;
    expect((await token("owner", "--account", accountId)).data).toMatchObject({ userId: both, accountId });
  });

  it("uses the clock of the sandbox given by --sandbox", async () => {
    const later = sandboxes.get("later") ?? sandboxes.create("later", { now: "2030-01-01T00:00:00Z" });
    const { data, text } = await token("--sandbox", "later", "--expires-in", "1h");
    expect(data).toMatchObject({ expiresAt: "2030-01-01T01:00:00.000Z" });
    expect(await read("/_sandbox/later/api/v1/roles", text)).toBe(200);
    expect(later.clock.iso()).toBe("2030-01-01T00:00:00.000Z");
  });

  it.each([
    [["boss"], "credentials token boss: must be one of agent, member, admin, owner."],
    [["ownr"], "credentials token ownr: must be one of agent, member, admin, owner. Did you mean owner?"],
    [["owner", "admin"], 'Unexpected argument "admin".'],
    [
      ["--expires-in", "soon"],
      "--expires-in soon: must be a duration above 0, such as 30m, 24h or 365d, at most 36500d.",
    ],
    [["--expired", "--expires-in", "1h"], "--expired does not work with --expires-in. Remove one of them."],
    [["--expires-in", "36501d"], "--expires-in 36501d: must be a duration above 0, such as"],
    [["--user", "nobody"], 'There is no user "nobody". Closest: '],
    [["--account", "nothing"], 'There is no account "nothing". Known: '],
    [
      ["admin", "--account", demo.foreignAccountId],
      "credentials token admin: no member of the account has the role admin.",
    ],
  ])("rejects %j", async (args, message) => {
    await expect(token(...args)).rejects.toThrow(message);
  });

  it("names --expires-in when the token would expire after the year 9999", async () => {
    backend.clock.set({ now: "9998-12-31T00:00:00Z" });
    await expect(token()).rejects.toThrow("--expires-in: not a time before the year 9999.");
  });
});
