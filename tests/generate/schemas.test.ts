// The JSON Schemas that the mock server publishes, and the demo data in Python, follow from the backend.
import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { z } from "zod";
import { zStub } from "../../packages/backend/src/generated/schemas.gen.ts";
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

const stubsFile = new URL("../../packages/mock-server/stubs.schema.json", import.meta.url);

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

it("the schema of stubs accepts a file with a stub, and rejects an unknown field", () => {
  const isValid = new Ajv2020({ strict: false, logger: false }).compile(JSON.parse(readFileSync(stubsFile, "utf8")));
  const stub = { method: "GET", path: "/api/v1/contacts/{id}", response: { body: { id: "{{path.id}}" } } };
  expect([isValid({ stubs: [stub] }), isValid.errors]).toEqual([true, null]);
  for (const wrong of [{}, { stubs: {} }, { stubs: [{ ...stub, respons: 1 }] }, { stub: [stub], stubs: [] }])
    expect([wrong, isValid(wrong)]).toEqual([wrong, false]);
});

type Value = string | readonly string[] | { readonly [name: string]: Value };

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The lines of a class whose attributes are those of an object, and what they hold. */
function classLines(name: string, docs: string, value: { readonly [name: string]: Value }): string[] {
  const lines = Object.entries(value).flatMap(([key, held]) => {
    if (typeof held === "string") return [`${snakeCase(key)}: Final = ${JSON.stringify(held)}`];
    if (isList(held)) return [`${snakeCase(key)}: Final = (`, ...held.map((one) => `    ${JSON.stringify(one)},`), ")"];
    return ["", ...classLines(snakeCase(key), `IDs of ${snakeCase(key).replaceAll("_", " ")}.`, held), ""];
  });
  return [`class ${name}:`, ...[`"""${docs}"""`, "", ...lines].map((line) => (line === "" ? "" : `    ${line}`))];
}

const isList = (value: Value): value is readonly string[] => Array.isArray(value);

const head = `# Recorded from packages/backend/src/data/demo-seed.ts by \`npm run record\`.
# ruff: noqa: N801, S105
"""The demo data of the mock server."""

from __future__ import annotations

from typing import Final


`;

it("the ids of the demo data are the same in Python: npm run record", async () => {
  const lines = classLines("demo", "IDs, numbers and credentials of the demo data.", demo);
  const body = lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trimEnd();
  await expect(`${head}${body}\n`).toMatchFileSnapshot("../../packages/python/src/call_transfer/testing/_demo.py");
});
