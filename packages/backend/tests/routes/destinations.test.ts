import { zErrorResponse } from "@call-transfer/spec/schemas";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { codeOf, overlapEnd, overlapMs, send } from "../test-client.ts";

const { destinations } = demo;

function rotate(id: string): string {
  return `POST /transfers/destinations/${id}/rotate-secret`;
}

describe("rotating a secret", () => {
  it("is refused within the overlap if the policy says so, and keeps both secrets", async () => {
    const backend = createBackend({ policies: { secondRotation: "reject" } });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
    const before = structuredClone(backend.state.destinations.get(destinations.app));
    await backend.clock.advance({ by: overlapMs - 1 });
    const { status, body } = await send(backend, rotate(destinations.app));
    expect([status, zErrorResponse.safeParse(body).error]).toEqual([409, undefined]);
    expect(body).toMatchObject({ code: "conflict", detail: expect.stringContaining(overlapEnd) });
    expect(JSON.stringify(body)).not.toContain(before?.signingSecret);
    expect(backend.state.destinations.get(destinations.app)).toEqual(before);
    await backend.clock.advance({ by: 1 });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
  });

  it("checks owner and kind before the overlap", async () => {
    const backend = createBackend({ policies: { secondRotation: "reject" } });
    await send(backend, rotate(destinations.app));
    expect((await send(backend, rotate(destinations.phone))).status).toBe(400);
    expect((await send(backend, rotate(destinations.app), { token: null })).status).toBe(401);
  });

  it("refuses a destination of another kind", async () => {
    const answer = await send(createBackend(), rotate(destinations.phone));
    expect([answer.status, codeOf(answer)]).toEqual([400, "bad_request"]);
    expect(answer.body).toMatchObject({ detail: "Only a destination of kind app has a signing secret." });
  });
});
