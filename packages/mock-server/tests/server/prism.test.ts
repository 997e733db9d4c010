import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import {
  type ErrorCode,
  errorCodes,
  type OperationDescription,
  type OperationId,
  operations,
} from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../../build/free-port.ts";
import { loadPrism, type PrismServer, startPrismServer } from "../../src/server/prism.ts";

const id = "2a9b6c1e-3f4d-4e5a-8b6c-7d8e9f0a1b2c";
const credential = { authorization: "Bearer any" };
const every = Object.entries(operations) as [OperationId, OperationDescription][];
const writing = every.filter(([, { hasBody }]) => hasBody);

let prism: PrismServer;
beforeAll(async () => {
  prism = await startPrismServer({ port: 0 });
});
afterAll(() => prism.close());

/** A request of an operation, with the example body of the OpenAPI document. */
function send(operation: OperationDescription, headers: Record<string, string>, body = exampleOf(operation)) {
  const { method, path, hasBody } = operation;
  const json = hasBody
    ? { headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(body) }
    : {};
  return fetch(prism.url + path.replace(/\{[^}]+\}/g, id), { method, headers, ...json });
}

function exampleOf({ path, method }: OperationDescription): unknown {
  const item = (document.paths as Record<string, Record<string, unknown>>)[path]?.[method.toLowerCase()] as {
    requestBody?: { content: { "application/json": { examples: Record<string, { value: unknown }> } } };
  };
  return Object.values(item.requestBody?.content["application/json"].examples ?? {})[0]?.value;
}

describe("Prism as a mock", () => {
  it.each(every)("%s answers a valid request with the document's example", async (_id, operation) => {
    const response = await send(operation, credential);
    const text = await response.text();
    const [success] = operation.successes;
    expect([response.status, text === "" ? null : JSON.parse(text)]).toEqual([success?.status, success?.example]);
  });

  it.each(every)("%s refuses a request without a credential", async (_id, operation) => {
    expect((await send(operation, {})).status).toBe(errorCodes.token_missing.status);
  });

  // Prism prefers the status of the business rules when an operation documents it.
  it.each(writing)("%s refuses a body that breaks the contract, and says where", async (_id, operation) => {
    const response = await send(operation, credential, {});
    const codes: ErrorCode[] = ["unprocessable_entity", "validation_failed"];
    const refusals = codes
      .map((code) => errorCodes[code].status)
      .filter((status) => operation.statuses.includes(status ?? 0));
    expect(response.status).toBe(refusals[0]);
    expect(response.headers.get("sl-violations")).toContain("must have required property");
  });

  it("returns the response that the header Prefer selects", async () => {
    const { status } = errorCodes.resource_not_found;
    const response = await send(operations.getMemberAvailability, { ...credential, prefer: `code=${status}` });
    expect(response.status).toBe(status);
  });

  it("allows other origins only with cors", async () => {
    const open = await startPrismServer({ port: 0, cors: true });
    const headers = { origin: "http://localhost:5173" };
    const [closedTo, openTo] = await Promise.all([fetch(prism.url, { headers }), fetch(open.url, { headers })]);
    await open.close();
    const name = "access-control-allow-origin";
    expect([closedTo.headers.get(name), openTo.headers.get(name)]).toEqual([null, headers.origin]);
  });
});

describe("Prism as a proxy", () => {
  it("forwards requests unchanged, and lists violations in responses", async () => {
    const seen: (string | undefined)[] = [];
    const upstream = createServer((request, response) => {
      seen.push(request.url);
      response
        .writeHead(200, { "content-type": "application/json" })
        .end('{"roles":[{"role":"boss","permissions":["all"]}]}');
    }).listen(0, "127.0.0.1");
    await once(upstream, "listening");
    const { port } = upstream.address() as AddressInfo;
    const proxy = await startPrismServer({ port: 0, upstream: `http://127.0.0.1:${port}` });
    const response = await fetch(proxy.url + operations.listRoles.path);
    await proxy.close();
    upstream.close();
    expect(seen).toEqual([operations.listRoles.path]);
    expect(await response.json()).toEqual({ roles: [{ role: "boss", permissions: ["all"] }] });
    const violations: unknown = JSON.parse(response.headers.get("sl-violations") ?? "[]");
    // The list of roles is open, so a new one is no violation.
    expect(violations).toMatchObject([
      { location: ["response", "body", "roles", "0", "permissions", "0"], code: "pattern" },
    ]);
  });
});

it("names a port that is in use", async () => {
  await expect(startPrismServer({ port: prism.port })).rejects.toThrow(`Port ${prism.port} on 127.0.0.1 is in use`);
});

it("frees its port when closed", async () => {
  // Between the two, nobody else may take it.
  const port = await freePort();
  const first = await startPrismServer({ port });
  await first.close();
  const second = await startPrismServer({ port });
  await second.close();
  expect([first.port, second.port]).toEqual([port, port]);
});

it("says how to install Prism when it is missing", () => {
  expect(() => loadPrism(createRequire("file:///nowhere/at-all.js"))).toThrow(
    "npm install --save-dev @stoplight/prism-cli",
  );
});
