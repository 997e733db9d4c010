import { expect, it } from "vitest";
import type { Schema } from "../src/document/document.ts";
import { absent, type Field, fieldName, fieldPath, probesOf, rulesOf } from "../src/document/fields.ts";

const fieldOf = (schema: Schema, required = false): Field => ({
  operation: "createDestinationGroup",
  where: "body",
  steps: ["items", 0, "size"],
  schema,
  required,
});
const items = (count: number) => Array.from({ length: count }, (_, index) => index);
const astral = "\u{1F4DE}";

// The reference passes whatever is valid, so a probe that is missing here would be missed by nothing else.
it.each<[keyword: string, schema: Schema, probes: readonly (readonly [value: unknown, code?: string])[]]>([
  ["minimum", { type: "integer", minimum: 5 }, [[5], [4, "below_minimum"]]],
  ["maximum", { type: "integer", maximum: 45 }, [[45], [46, "above_maximum"]]],
  [
    "maxLength",
    { type: "string", maxLength: 3 },
    [["nnn"], [astral.repeat(3)], ["nnnn", "too_long"], [astral.repeat(4), "too_long"]],
  ],
  ["minLength", { type: "string", minLength: 1 }, [["n"], [astral], ["", "too_short"]]],
  ["maxItems", { type: "array", maxItems: 2 }, [[[0, 1]], [[0, 1, 2], "too_long"]]],
  ["required", { type: "string" }, [["base"], [absent, "required"]]],
  ["null", { type: ["string", "null"] }, [[null]]],
  ["null", { type: "string" }, [[null, "required"]]],
  [
    "pattern",
    { type: "string", pattern: "^base$", "x-pattern-error-code": "phone_not_e164" },
    [["base"], ["basex", "phone_not_e164"], ["", "phone_not_e164"]],
  ],
  ["multipleOf", { type: "integer", ...{ multipleOf: 5 } }, []],
])("the keyword %s of %j is tested on both sides of its limit", (keyword, schema, probes) => {
  const rule = rulesOf(fieldOf(schema, keyword === "required")).find((candidate) => candidate.keyword === keyword);
  const found = rule && probesOf(rule, "base", items).map(({ value, code }) => (code ? [value, code] : [value]));
  expect(found).toEqual(probes);
});

it("a field has its index in errors, and not in the coverage", () => {
  const field = fieldOf({ type: "integer" });
  expect([fieldPath(field), fieldName(field)]).toEqual(["items[0].size", "items[].size"]);
});
