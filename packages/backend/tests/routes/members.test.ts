import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { send } from "../test-client.ts";

const { members } = demo;

describe("reading availability", () => {
  const availability = (id: string) => `GET /transfers/members/${id}/availability`;

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
});
