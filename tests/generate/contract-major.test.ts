import { describe, expect, it } from "vitest";
import { renderContractMajor } from "../../scripts/generate/resources.ts";

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
