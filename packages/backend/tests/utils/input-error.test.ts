import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkInput, InputError, InUseError, knownFields } from "../../src/utils/input-error.ts";

const schema = z.strictObject({
  count: z.int().min(1).max(9).optional(),
  name: z.string().min(2).optional(),
  isOn: z.boolean().optional(),
  list: z.array(z.string()).optional(),
  mode: z.enum(["frozen", "running"]).optional(),
  version: z.literal(1).optional(),
  day: z.string().regex(/^\d+$/).optional(),
  inner: z.object({ needed: z.string() }).optional(),
});

describe("the error of an invalid field says what the field must be", () => {
  it.each<[unknown, string]>([
    [{ count: "1h" }, 'count: must be a number, not "1h"'],
    [{ count: 1.5 }, "count: must be a whole number, not 1.5"],
    [{ count: 0 }, "count: must be at least 1"],
    [{ count: 10 }, "count: must be at most 9"],
    [{ name: "x" }, "name: must have at least 2 characters"],
    [{ isOn: "yes" }, 'isOn: must be true or false, not "yes"'],
    [{ list: {} }, "list: must be a list, not an object"],
    [{ mode: "froze" }, "mode: must be one of frozen, running. Did you mean frozen?"],
    [{ mode: "still" }, "mode: must be one of frozen, running"],
    [{ version: 2 }, "version: must be 1, not 2"],
    [{ day: "x" }, "day: must match the pattern ^\\d+$"],
    [{ inner: {} }, "inner.needed: is missing"],
    ["seed.json", 'must be an object, not "seed.json"'],
  ])("%j: %s", (value, message) => {
    expect(() => checkInput(schema, value)).toThrow(expect.objectContaining({ message: message }));
  });
});

describe("in a process with two copies of the backend, an error of one", () => {
  const second = "../../src/utils/input-error.ts?second";
  const open = (): Promise<typeof import("../../src/utils/input-error.ts")> => import(second);

  it("is recognized by the other, by kind", async () => {
    const copy = await open();
    expect(copy.InputError).not.toBe(InputError);
    expect(new copy.InputError("name", "is taken")).toBeInstanceOf(InputError);
    expect(new copy.InUseError("name", "is used")).toBeInstanceOf(InputError);
    expect(new copy.InUseError("name", "is used")).toBeInstanceOf(InUseError);
    expect(new copy.InputError("name", "is taken")).not.toBeInstanceOf(InUseError);
  });

  it("of a customer's own subclass is distinguished from its siblings", () => {
    class OwnError extends InputError {}
    expect(new OwnError("name", "is odd")).toBeInstanceOf(InputError);
    expect(new InputError("name", "is taken")).not.toBeInstanceOf(OwnError);
    expect([null, undefined, "text", {}, Object.create(null)].some((value) => value instanceof InputError)).toBe(false);
  });
});

const item = z.object({ name: z.string(), role: z.optional(z.string()) });
const nested = z.object({
  items: z.optional(z.array(item)),
  shape: z.union([z.object({ width: z.number() }), z.string()]),
});

it.each([
  [[], ["items", "shape"]],
  [
    ["items", 0],
    ["name", "role"],
  ],
  [["shape"], ["width"]],
  [["items", 0, "name"], []],
  [["none", "at", "all"], []],
])("lists the fields of an object at %j", (path, names) => {
  expect(knownFields(nested, path)).toEqual(names);
});
