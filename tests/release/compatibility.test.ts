import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { recordIn } from "../../scripts/release/baseline.ts";
import { changesetsIn } from "../../scripts/release/changesets.ts";
import {
  compatibilityPage,
  firstVersions,
  historyFile,
  historyIn,
  withCompatibility,
} from "../../scripts/release/compatibility.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(`${root}${compatibilityPage}`, "utf8");
const release = (spec: string, sdk: string, python?: string) => ({
  "@call-transfer/spec": spec,
  "@call-transfer/sdk": sdk,
  ...(python !== undefined && { "@call-transfer/python": python }),
});
const rowsOf = (text: string): string[] =>
  text.split("\n").flatMap((line) => (/^\| \d/.test(line) ? [line.split(" | ").slice(0, 3).join(" | ")] : []));

describe("the table of versions that fit together", () => {
  it("is that of the releases, and of the first one until it is out (npm run record)", async () => {
    const planned = firstVersions(recordIn(root), changesetsIn(`${root}.changeset`));
    const history = historyIn(readFileSync(`${root}${historyFile}`, "utf8"));
    await expect(withCompatibility(page, history, planned)).toMatchFileSnapshot(`${root}${compatibilityPage}`);
  });

  it("has a row for each version of the contract, the newest first", () => {
    const history = [release("1.0.0", "1.0.0"), release("1.0.0", "1.0.1", "1.0.0"), release("1.1.0", "1.1.0", "1.2.0")];
    expect(rowsOf(withCompatibility(page, history))).toEqual([
      "| 1.1.0 | 1.1.0 | 1.2.0",
      "| 1.0.0 | 1.0.0 to 1.0.1 | 1.0.0",
    ]);
  });

  it("shows what the first release will have, by its changeset", () => {
    const record = {
      versions: { "@call-transfer/spec": "0.1.0" },
      objects: {},
      bootstrap: { changeset: "first", version: "1.0.0" },
    };
    const bumps = new Map([
      ["@call-transfer/spec", "major"],
      ["@call-transfer/sdk", "minor"],
    ] as const);
    const planned = firstVersions(record, [{ id: "first", bumps, note: "" }]);
    expect(rowsOf(withCompatibility(page, [], planned))).toEqual(["| 1.0.0, to come | 0.2.0 | –"]);
    expect(firstVersions({ versions: {}, objects: {} }, [])).toBeUndefined();
  });

  it("refuses a page without its comments", () => {
    expect(() => withCompatibility("# Versions", [])).toThrow("lacks <!-- versions");
  });
});
