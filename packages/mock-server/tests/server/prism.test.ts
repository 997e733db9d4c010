import { errorCodes, type OperationDescription, type OperationId, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PrismServer, startPrismServer } from "../../src/server/prism.ts";

const id = "2a9b6c1e-3f4d-4e5a-8b6c-7d8e9f0a1b2c";
const credential = { authorization: "Bearer any" };
const every = Object.entries(operations) as [OperationId, OperationDescription][];

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

  it("returns the response that the header Prefer selects", async () => {
    const { status } = errorCodes.resource_not_found;
    const response = await send(operations.getMemberAvailability, { ...credential, prefer: `code=${status}` });
    expect(response.status).toBe(status);
  });
});

it("names a port that is in use", async () => {
  await expect(startPrismServer({ port: prism.port })).rejects.toThrow(`Port ${prism.port} on 127.0.0.1 is in use`);
});
