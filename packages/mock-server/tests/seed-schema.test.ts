import { expect, it } from "vitest";
import { z } from "zod";
import { seedSchema } from "../../backend/src/testing/seed.ts";

it("the published JSON Schema of seeds equals the backend's schema (vitest -u updates it)", async () => {
  const { properties, ...schema } = z.toJSONSchema(seedSchema, { io: "input", unrepresentable: "any" });
  const published = {
    title: "Seed of the call-transfer mock server",
    ...schema,
    properties: { $schema: { type: "string" }, ...properties },
  };
  await expect(`${JSON.stringify(published, null, 2)}\n`).toMatchFileSnapshot("../seed.schema.json");
});
