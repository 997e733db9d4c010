// What generated modules contain: the major of the contract, and schemas made at their first use.
import { describe, expect, it } from "vitest";
import { zClockSetting, zTime } from "../../packages/backend/src/generated/schemas.gen.ts";
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
