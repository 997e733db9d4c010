import { expect, it } from "vitest";
import { z } from "zod";
import { seedSchema } from "../../packages/backend/src/model/records.ts";
import { compactJson } from "../../scripts/generate/text/text.ts";

it("the published JSON Schema of seeds equals the backend's schema (npm run record)", async () => {
  const { properties, ...schema } = z.toJSONSchema(seedSchema, { io: "input", unrepresentable: "any" });
  const published = {
    title: "Seed of the call-transfer mock server",
    ...schema,
    properties: { $schema: { type: "string" }, ...properties },
  };
  await expect(`${compactJson(published)}\n`).toMatchFileSnapshot("../../packages/mock-server/seed.schema.json");
});
