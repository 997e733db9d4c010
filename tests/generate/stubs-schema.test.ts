import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { z } from "zod";
import { zStub } from "../../packages/backend/src/generated/schemas.gen.ts";
import { compactJson } from "../../scripts/generate/text/text.ts";

const file = new URL("../../packages/mock-server/stubs.schema.json", import.meta.url);

it("the published JSON Schema of stubs equals the backend's schema (npm run record)", async () => {
  const { $schema: dialect, ...stub } = z.toJSONSchema(zStub(), { io: "input", unrepresentable: "any" });
  const published = {
    title: "Stubs of the call-transfer mock server",
    $schema: dialect,
    type: "object",
    required: ["stubs"],
    properties: { $schema: { type: "string" }, stubs: { type: "array", maxItems: 1000, items: stub } },
    additionalProperties: false,
  };
  await expect(`${compactJson(published)}\n`).toMatchFileSnapshot("../../packages/mock-server/stubs.schema.json");
});

it("accepts a file with a stub, and rejects an unknown field", () => {
  const isValid = new Ajv2020({ strict: false, logger: false }).compile(JSON.parse(readFileSync(file, "utf8")));
  const stub = { method: "GET", path: "/api/v1/contacts/{id}", response: { body: { id: "{{path.id}}" } } };
  expect([isValid({ stubs: [stub] }), isValid.errors]).toEqual([true, null]);
  for (const wrong of [{}, { stubs: {} }, { stubs: [{ ...stub, respons: 1 }] }, { stub: [stub], stubs: [] }])
    expect([wrong, isValid(wrong)]).toEqual([wrong, false]);
});
