import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it } from "vitest";
import { z } from "zod";
import { zFault } from "../../packages/backend/src/generated/schemas.gen.ts";
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

it("accepts a file with policies, faults and a seed, and rejects an unknown field", () => {
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
