import { describe, expect, it } from "vitest";
import type { Schema } from "../src/document/document.ts";
import { absent, type Field, fieldName, fieldPath, probesOf, rulesOf } from "../src/document/fields.ts";

const fieldOf = (schema: Schema, changes: Partial<Field> = {}): Field => ({
  operation: "createDestinationGroup",
  where: "body",
  steps: ["items", 0, "size"],
  schema,
  required: false,
  ...changes,
});

const items = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The probes of one keyword, as pairs of value and expected field error. */
const pairs = (schema: Schema, keyword: string, changes: Partial<Field> = {}) => {
  const rule = rulesOf(fieldOf(schema, changes)).find((candidate) => candidate.keyword === keyword);
  return rule && probesOf(rule, "base", items).map(({ value, code }) => [value, code]);
};

describe("probesOf", () => {
  it("tests both sides of a minimum", () => {
    expect(pairs({ type: "integer", minimum: 5 }, "minimum")).toEqual([
      [5, undefined],
      [4, "below_minimum"],
    ]);
  });

  it("tests both sides of a maximum", () => {
    expect(pairs({ type: "integer", maximum: 45 }, "maximum")).toEqual([
      [45, undefined],
      [46, "above_maximum"],
    ]);
  });

  it("counts characters, not UTF-16 code units", () => {
    const lengths = pairs({ type: "string", maxLength: 3 }, "maxLength")?.map(([value, code]) => [
      [...String(value)].length,
      code,
    ]);
    expect(lengths).toEqual([
      [3, undefined],
      [3, undefined],
      [4, "too_long"],
      [4, "too_long"],
    ]);
  });

  it("tests the empty string for a minimum length of 1", () => {
    expect(pairs({ type: "string", minLength: 1 }, "minLength")?.at(-1)).toEqual(["", "too_short"]);
  });

  it("tests lists with exactly the maximum and one more", () => {
    expect(pairs({ type: "array", maxItems: 2 }, "maxItems")).toEqual([
      [[0, 1], undefined],
      [[0, 1, 2], "too_long"],
    ]);
  });

  it("removes a required field", () => {
    expect(pairs({ type: "string" }, "required", { required: true })?.at(-1)).toEqual([absent, "required"]);
  });

  it("accepts null only when the schema does", () => {
    expect(pairs({ type: ["string", "null"] }, "null")).toEqual([[null, undefined]]);
    expect(pairs({ type: "string" }, "null")).toEqual([[null, "required"]]);
  });

  it("expects the field code of a pattern", () => {
    const refused = pairs({ type: "string", pattern: "^base$", "x-pattern-error-code": "phone_not_e164" }, "pattern");
    expect(refused?.at(-1)?.[1]).toBe("phone_not_e164");
  });

  it("has no value of the field's type among the wrong types", () => {
    const wrong = pairs({ type: "integer" }, "type")?.slice(1);
    expect(wrong?.some(([value]) => Number.isInteger(value))).toBe(false);
  });

  it("has no probes for an unknown keyword, which still gives a rule", () => {
    const schema: Schema = { type: "integer", ...{ multipleOf: 5 } };
    expect(pairs(schema, "multipleOf")).toEqual([]);
  });
});

describe("fieldPath and fieldName", () => {
  it("include the index in errors, and not in the coverage", () => {
    const field = fieldOf({ type: "integer" });
    expect(fieldPath(field)).toBe("items[0].size");
    expect(fieldName(field)).toBe("items[].size");
  });
});
