import { describe, expect, it } from "vitest";
import { schemaViolations } from "../src/document/check-response.ts";
import { at } from "../src/document/document.ts";

/** The pointers to every schema of the document's components that lists its values. */
function* enumsIn(pointer: string): Generator<string> {
  const node = at(pointer);
  if (typeof node !== "object" || node === null) return;
  if (Array.isArray(Reflect.get(node, "enum"))) yield pointer;
  for (const key of Object.keys(node)) yield* enumsIn(`${pointer}/${key}`);
}
const enums = [...enumsIn("#/components/schemas")];
const listed = (pointer: string) => Reflect.get(Object(at(pointer)), "enum") as unknown[];
const violation = ["body must be equal to one of the allowed values"];

describe("the values of an enum", () => {
  it("are checked for every enum that the specification has", () => {
    const names = ["ErrorCode", "FieldErrorCode", "Role", "kind", "strategy", "status", "source"];
    expect(names.filter((name) => !enums.some((pointer) => pointer.endsWith(`/${name}`)))).toEqual([]);
  });

  it.each(enums)("%s are all accepted, and no others", (pointer) => {
    expect(listed(pointer).flatMap((value) => schemaViolations(pointer, value))).toEqual([]);
    for (const value of ["unlisted", "", String(listed(pointer)[0]).toUpperCase()])
      expect(schemaViolations(pointer, value)).toEqual(violation);
  });
});
