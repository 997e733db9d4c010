import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/contents/demo-seed.ts";
import { codeOf, send } from "../test-client.ts";

const { destinations } = demo;
const path = "POST /transfers/destination-groups";
const members = [{ destinationId: destinations.app }];

function membersOf(count: number): { destinationId: string }[] {
  return [destinations.app, ...destinations.extra].slice(0, count).map((destinationId) => ({ destinationId }));
}

describe("creating a group", () => {
  it("returns the group with its defaults, members in ring order", async () => {
    const backend = createBackend();
    const ring = [
      { destinationId: destinations.phone, ringTimeoutSecs: 45 },
      { destinationId: destinations.app },
      { destinationId: destinations.disabled, ringTimeoutSecs: 5 },
    ];
    const answer = await send(backend, path, { body: { name: "Front desk", members: ring, colour: "red" } });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "Front desk",
      strategy: "simultaneous",
      totalTimeoutSecs: 30,
      members: ring,
      createdAt: "2026-03-02T12:00:00.000Z",
      updatedAt: "2026-03-02T12:00:00.000Z",
    });
  });

  it("refuses a name that the account has already, compared exactly", async () => {
    const backend = createBackend();
    const taken = await send(backend, path, { body: { name: demo.groupName, members } });
    expect([taken.status, codeOf(taken)]).toEqual([409, "resource_already_exists"]);
    expect(taken.body).toMatchObject({ detail: "The account has a destination group of this name." });
    const other = await send(backend, path, { body: { name: demo.groupName.toUpperCase(), members } });
    expect(other.status).toBe(201);
  });

  it.each([
    ["1 character", { name: "x" }],
    ["100 characters", { name: "x".repeat(100) }],
    ["100 characters beyond the basic plane", { name: "📞".repeat(100) }],
    ["5 seconds", { totalTimeoutSecs: 5 }],
    ["60 seconds", { totalTimeoutSecs: 60 }],
    ["10 members", { members: membersOf(10) }],
  ])("accepts %s", async (_, change) => {
    const answer = await send(createBackend(), path, { body: { name: "A", members, ...change } });
    expect(answer.status).toBe(201);
  });

  it.each([
    ["no name", { name: undefined }, "name", "required"],
    ["a null name", { name: null }, "name", "required"],
    ["a name that is a number", { name: 5 }, "name", "invalid_format"],
    ["an empty name", { name: "" }, "name", "too_short"],
    ["101 characters", { name: "x".repeat(101) }, "name", "too_long"],
    ["101 characters beyond the basic plane", { name: "📞".repeat(101) }, "name", "too_long"],
    ["no members", { members: [] }, "members", "too_short"],
    ["11 members", { members: membersOf(11) }, "members", "too_long"],
    ["members that are no list", { members: {} }, "members", "invalid_format"],
    ["a member that is null", { members: [null] }, "members[0]", "required"],
    ["a member without an id", { members: [{}] }, "members[0].destinationId", "required"],
    ["an unknown strategy", { strategy: "sequential" }, "strategy", "invalid_format"],
    ["4 seconds in all", { totalTimeoutSecs: 4 }, "totalTimeoutSecs", "below_minimum"],
    ["61 seconds in all", { totalTimeoutSecs: 61 }, "totalTimeoutSecs", "above_maximum"],
    ["half a second", { totalTimeoutSecs: 5.5 }, "totalTimeoutSecs", "invalid_format"],
    ["seconds as text", { totalTimeoutSecs: "30" }, "totalTimeoutSecs", "invalid_format"],
    ["4 seconds", ring(4), "members[0].ringTimeoutSecs", "below_minimum"],
    ["46 seconds", ring(46), "members[0].ringTimeoutSecs", "above_maximum"],
    ["a null ring time", ring(null), "members[0].ringTimeoutSecs", "required"],
    [
      "a foreign destination",
      { members: [{ destinationId: destinations.foreign }] },
      "members[0].destinationId",
      "invalid_format",
    ],
    ["a destination named twice", { members: [...members, ...members] }, "members[1].destinationId", "already_in_use"],
  ])("refuses %s and names the field", async (_, change, field, code) => {
    const answer = await send(createBackend(), path, { body: { name: "A", members, ...change } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: "validation_failed", errors: [{ field, code }] });
  });

  it("says what is wrong with a destination", async () => {
    const named = [...members, { destinationId: destinations.foreign }, ...members];
    const answer = await send(createBackend(), path, { body: { name: "A", members: named } });
    expect(answer.body).toMatchObject({
      errors: [{ message: "must be the id of a destination of this account" }, { message: "is in the list already" }],
    });
  });
});

function ring(ringTimeoutSecs: number | null) {
  return { members: [{ destinationId: destinations.app, ringTimeoutSecs }] };
}
