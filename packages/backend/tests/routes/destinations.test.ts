import { operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { zErrorResponse } from "@call-transfer/spec/schemas";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/contents/demo-seed.ts";
import { codeOf, send } from "../test-client.ts";

const day = 24 * 3_600_000;
const { destinations } = demo;

function rotate(id: string): string {
  return `POST /transfers/destinations/${id}/rotate-secret`;
}

function collect() {
  const requests: { url: string; signature: string | null; body: string }[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push({
      url: request.url,
      signature: request.headers.get("service-signature"),
      body: await request.text(),
    });
    return new Response(null, { status: 204 });
  };
  return { requests, fetch };
}

function partsOf(signature: string | null | undefined): number {
  return signature?.split("v1=").length ?? 0;
}

describe("rotating a secret", () => {
  it("ends the older of two secrets if rotated again within the overlap", async () => {
    const backend = createBackend();
    await send(backend, rotate(destinations.app));
    const second = backend.state.destinations.get(destinations.app)?.signingSecret;
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
    expect(backend.state.destinations.get(destinations.app)?.previousSecret).toBe(second);
  });

  it("is refused within the overlap if the policy says so, and keeps both secrets", async () => {
    const backend = createBackend({ policies: { rotationDuringOverlap: "refuse" } });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
    const before = structuredClone(backend.state.destinations.get(destinations.app));
    await backend.clock.advance({ by: day - 1 });
    const { status, body } = await send(backend, rotate(destinations.app));
    expect([status, zErrorResponse.safeParse(body).error]).toEqual([409, undefined]);
    expect(body).toMatchObject({ code: "conflict", detail: expect.stringContaining("2026-03-03T12:00:00.000Z") });
    expect(JSON.stringify(body)).not.toContain(before?.signingSecret);
    expect(backend.state.destinations.get(destinations.app)).toEqual(before);
    await backend.clock.advance({ by: 1 });
    expect((await send(backend, rotate(destinations.app))).status).toBe(200);
  });

  it("checks owner and kind before the overlap", async () => {
    const backend = createBackend({ policies: { rotationDuringOverlap: "refuse" } });
    await send(backend, rotate(destinations.app));
    expect((await send(backend, rotate(destinations.phone))).status).toBe(400);
    expect((await send(backend, rotate(destinations.app), { token: null })).status).toBe(401);
  });

  it("has every error code of the API description", () => {
    const operation = operations.rotateDestinationSecret;
    const { responses } = document.paths[operation.path][operation.method.toLowerCase() as "post"];
    expect(responses.default).toBeDefined();
  });

  it("refuses a destination of another kind", async () => {
    const answer = await send(createBackend(), rotate(destinations.phone));
    expect([answer.status, codeOf(answer)]).toEqual([400, "bad_request"]);
    expect(answer.body).toMatchObject({ detail: "Only a destination of kind app has a signing secret." });
  });
});

describe("the overlap after a rotation", () => {
  it("signs with the new secret, then with the previous one, until a day has passed", async () => {
    const { requests, fetch } = collect();
    const backend = createBackend({ fetch });
    const trigger = () => backend.deliveries.trigger({ destinationId: destinations.app, callId: "call" });
    await trigger();
    await send(backend, rotate(destinations.app));
    await backend.clock.advance({ by: day - 1 });
    await trigger();
    await backend.clock.advance({ by: 1 });
    await trigger();
    expect(requests.map(({ signature }) => partsOf(signature) - 1)).toEqual([1, 2, 1]);
  });

  it("never signs three times: the oldest secret stops at the second rotation", async () => {
    const { requests, fetch } = collect();
    const backend = createBackend({ fetch });
    await send(backend, rotate(destinations.app));
    const before = backend.state.destinations.get(destinations.app)?.signingSecret;
    await send(backend, rotate(destinations.app));
    await backend.deliveries.trigger({ destinationId: destinations.app });
    expect(partsOf(requests[0]?.signature) - 1).toBe(2);
    expect(backend.state.destinations.get(destinations.app)?.previousSecret).toBe(before);
  });
});
