// What generated modules contain: the major of the contract, schemas made at their first use, and fields that an operation hides.
import { describe, expect, it } from "vitest";
import { zClockSetting, zTime } from "../../packages/backend/src/generated/schemas.gen.ts";
import { loadDocument } from "../../scripts/generate/read/document.ts";
import { hiddenFieldsOf } from "../../scripts/generate/read/hidden-fields.ts";
import { renderContractMajor } from "../../scripts/generate/resources.ts";
import { madeAtFirstUse } from "../../scripts/generate/schemas.ts";

const linesFor = (version: string): string[] =>
  renderContractMajor(JSON.stringify({ version })).match(/(?<=^export const ).*(?=;$)/gm) ?? [];

describe("the backend's module with the major of the contract", () => {
  it.each([
    ["2.0.0", 2, ""],
    ["2.0.0-next.1", 2, "next"],
    ["2.0.0-alpha.0", 2, "alpha"],
    ["2.1.0-next.0", 2, ""],
  ])("names the tag of a prerelease only while the major is not released: %s", (version, major, tag) => {
    expect(linesFor(version)).toEqual([`contractMajor = ${major}`, `contractTag: string = "${tag}"`]);
  });
});

it("each schema becomes a function, and is called where another one names it", () => {
  const text = "import * as z from 'zod';\n\nexport const zTime = z.string();\nexport const zTimes = z.array(zTime);\n";
  const [imports, ...rest] = madeAtFirstUse(text).split("\n");
  expect(imports).toBe("import * as z from 'zod';");
  expect(rest.join("\n")).toContain(
    "export const zTime = once(() => z.string());\nexport const zTimes = once(() => z.array(zTime()));\n",
  );
});

it("a schema is made once, and shared by those that name it", () => {
  expect(zClockSetting()).toBe(zClockSetting());
  expect(zClockSetting().shape.now.unwrap()).toBe(zTime());
});

const document = await loadDocument();

/** The document with an operation that lists destinations. */
function withList(schema: object) {
  const changed = structuredClone(document);
  changed.components.schemas.DestinationList = { type: "object", properties: { destinations: schema } };
  const content = { "application/json": { schema: { $ref: "#/components/schemas/DestinationList" } } };
  changed.paths["/api/v1/transfers/destinations"] = {
    get: { operationId: "listDestinations", responses: { "200": { description: "All", content } } },
  };
  return changed;
}

describe("the fields that an operation must not show", () => {
  it("are none for the operation that x-returned-by names", () => {
    expect(hiddenFieldsOf(document).get("rotateDestinationSecret")).toBeUndefined();
  });

  it("are found behind references and in lists", () => {
    const changed = withList({ type: "array", items: { $ref: "#/components/schemas/TransferDestination" } });
    expect(hiddenFieldsOf(changed).get("listDestinations")).toEqual(["signingSecret"]);
  });

  it("are found in the schema itself", () => {
    const changed = withList({ type: "object", properties: { key: { type: "string", "x-returned-by": [] } } });
    expect(hiddenFieldsOf(changed).get("listDestinations")).toEqual(["key"]);
  });
});
