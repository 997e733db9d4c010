// What generated modules contain: the major of the contract, and schemas made at their first use.
import { expect, it } from "vitest";
import { zClockSetting, zTime } from "../../packages/backend/src/generated/schemas.gen.ts";
import { renderContractMajor } from "../../scripts/generate/resources.ts";

const linesFor = (version: string): string[] =>
  renderContractMajor(JSON.stringify({ version })).match(/(?<=^export const ).*(?=;$)/gm) ?? [];

it.each([
  ["2.0.0", 2, ""],
  ["2.0.0-next.1", 2, "next"],
  ["2.1.0-next.0", 2, ""],
])("the backend names the tag of a prerelease only while its major is not released: %s", (version, major, tag) => {
  expect(linesFor(version)).toEqual([`contractMajor = ${major}`, `contractTag: string = "${tag}"`]);
});

it("a schema is made once, and shared by those that name it", () => {
  expect(zClockSetting()).toBe(zClockSetting());
  expect(zClockSetting().shape.now.unwrap()).toBe(zTime());
});
