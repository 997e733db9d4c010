import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/contents/demo-seed.ts";
import { codeOf, send } from "../test-client.ts";

const { members, users, accountId } = demo;
const inAccount = { "x-account-id": accountId };

describe("reading availability", () => {
  const availability = (id: string) => `GET /transfers/members/${id}/availability`;

  it("shows who set an away status, why and until when", async () => {
    const answer = await send(createBackend(), availability(members.agent));
    expect(answer.body).toEqual({
      memberId: members.agent,
      userId: users.agent,
      status: "away",
      busy: false,
      source: "auto",
      reason: "missed_calls",
      until: "2026-03-02T12:15:00Z",
      updatedAt: "2026-03-02T12:00:00Z",
    });
  });

  it("reads available exactly from until on", async () => {
    const backend = createBackend();
    await backend.clock.advance({ to: "2026-03-02T12:14:59.999Z" });
    expect((await send(backend, availability(members.agent))).body).toMatchObject({ status: "away" });
    await backend.clock.advance({ by: 1 });
    expect((await send(backend, availability(members.agent))).body).toEqual({
      memberId: members.agent,
      userId: users.agent,
      status: "available",
      busy: false,
      source: null,
      reason: null,
      until: null,
      updatedAt: null,
    });
  });

  it("shows who made a member available, and neither a reason nor an end", async () => {
    const backend = createBackend();
    backend.collections.update("members", members.agent, {
      availability: { status: "available", source: "member", reason: "lunch", updatedAt: "2026-03-02T11:00:00Z" },
    });
    expect((await send(backend, availability(members.agent))).body).toMatchObject({
      status: "available",
      source: "member",
      reason: null,
      until: null,
      updatedAt: null,
    });
  });

  it("lasts without an until", async () => {
    const backend = createBackend();
    await backend.clock.advance({ by: 365 * 86_400_000 });
    const answer = await send(backend, availability(members.admin));
    expect(answer.body).toMatchObject({ status: "offline", source: "admin", until: null });
  });

  it("shows a member on a transferred call as busy", async () => {
    expect((await send(createBackend(), availability(members.both))).body).toMatchObject({ busy: true });
  });

  it("lets an agent read another member's availability", async () => {
    const backend = createBackend();
    const token = await backend.keys.issueToken({ userId: users.agent });
    expect((await send(backend, availability(members.owner), { token, headers: inAccount })).status).toBe(200);
  });

  it("does not find a member of another account", async () => {
    const answer = await send(createBackend(), availability(members.foreign));
    expect([answer.status, codeOf(answer)]).toEqual([404, "resource_not_found"]);
  });
});

describe("removing hours", () => {
  const hours = (id: string) => `DELETE /transfers/members/${id}/hours`;

  it("removes them, and answers the same if none are set", async () => {
    const backend = createBackend();
    const first = await send(backend, hours(members.agent));
    const second = await send(backend, hours(members.agent));
    expect([first.status, first.body, second.status]).toEqual([204, undefined, 204]);
    expect(backend.state.members.get(members.agent)?.hours).toBeUndefined();
  });

  it.each([
    ["owner", 204],
    ["admin", 204],
    ["agent", 204],
    ["member", 403],
    ["both", 403],
  ] as const)("answers the %s's request for the agent's hours with %i", async (who, status) => {
    const backend = createBackend();
    const token = await backend.keys.issueToken({ userId: users[who] });
    expect((await send(backend, hours(members.agent), { token, headers: inAccount })).status).toBe(status);
  });

  it("never takes an API key for the member themselves", async () => {
    const backend = createBackend();
    const { key } = backend.keys.issueApiKey({ role: "agent" });
    const answer = await send(backend, hours(members.agent), { token: key });
    expect(codeOf(answer)).toBe("insufficient_permissions");
  });
});
