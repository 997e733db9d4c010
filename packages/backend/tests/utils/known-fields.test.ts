import { expect, it } from "vitest";
import * as z from "zod";
import { knownFields } from "../../src/utils/input-error.ts";

const item = z.object({ name: z.string(), role: z.optional(z.string()) });
const schema = z.object({
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
  expect(knownFields(schema, path)).toEqual(names);
});
