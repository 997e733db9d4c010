// The JSON Schemas that the mock server publishes, and the demo data in Python, follow from the backend.
import { readFileSync } from "node:fs";
import { demo } from "@call-transfer/backend";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { z } from "zod";
import { zFault, zStub } from "../../packages/backend/src/generated/schemas.gen.ts";
import { seedSchema } from "../../packages/backend/src/model/records.ts";
import { describeOption, type OptionRow, settings } from "../../packages/mock-server/src/cli/options.ts";
import { policySchemas } from "../../scripts/generate/policies.ts";
import { compactJson } from "../../scripts/generate/text/text.ts";

const file = new URL("../../packages/mock-server/config.schema.json", import.meta.url);

/** What the help says about an option. */
function sentence(option: OptionRow): string {
  const text = describeOption(option).replace(/; repeatable$/, "");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const policies = { type: "object", properties: policySchemas(), additionalProperties: false };

function schemaOf({ value, repeats, kind, choices, fallback }: OptionRow, name: string): object {
  if (kind === "policies") return { $ref: "#/$defs/policies" };
  if (kind === "faults")
    return {
      anyOf: [{ $ref: "#/$defs/faultOrText" }, { type: "array", items: { $ref: "#/$defs/faultOrText" } }],
    };
  if (repeats) return { type: "array", items: { type: "string" } };
  if (value === undefined) return { type: "boolean", default: false };
  if (kind === "number") return { type: "integer", ...(fallback !== undefined && { default: Number(fallback) }) };
  if (name === "seed") return { anyOf: [{ type: "string" }, { $ref: "./seed.schema.json" }], default: fallback };
  return { type: "string", ...(choices && { enum: choices }), ...(fallback !== undefined && { default: fallback }) };
}

const { $schema: dialect, ...fault } = z.toJSONSchema(zFault(), { io: "input", unrepresentable: "any" });
const schema = {
  title: "Settings of the call-transfer mock server",
  $schema: dialect,
  type: "object",
  properties: {
    $schema: { type: "string" },
    ...Object.fromEntries(
      Object.entries(settings)
        .filter(([name]) => name !== "config")
        .map(([name, facts]) => [name, { description: sentence(facts), ...schemaOf(facts, name) }]),
    ),
  },
  additionalProperties: false,
  $defs: { policies, fault, faultOrText: { anyOf: [{ type: "string" }, { $ref: "#/$defs/fault" }] } },
};

it("the published JSON Schema of the config file equals the options (npm run record)", async () => {
  await expect(`${compactJson(schema, [schema.properties, policies.properties])}\n`).toMatchFileSnapshot(
    "../../packages/mock-server/config.schema.json",
  );
});

it("the schema of the config file accepts a file with policies, faults and a seed, and rejects an unknown field", () => {
  const ajv = new Ajv2020({ strict: false, logger: false });
  ajv.addSchema(JSON.parse(readFileSync(new URL("seed.schema.json", file), "utf8")), "seed.schema.json");
  const isValid = ajv.compile(JSON.parse(readFileSync(file, "utf8")));
  const good = {
    port: 4020,
    corsOrigin: ["http://localhost:5173"],
    clock: "frozen",
    policy: { callQueueLimit: 0 },
    fault: [{ do: { code: "queue_full" } }],
    seed: { accounts: [] },
  };
  expect([isValid(good), isValid.errors]).toEqual([true, null]);
  for (const wrong of [
    { prot: 1 },
    { port: "4020" },
    { clock: "stopped" },
    { policy: { none: 1 } },
    { fault: { do: 5 } },
  ])
    expect([wrong, isValid(wrong)]).toEqual([wrong, false]);
});

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
