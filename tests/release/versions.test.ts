import { describe, expect, it } from "vitest";
import { withCompatibility } from "../../scripts/release/record.ts";
import { notesOf, pythonVersion } from "../../scripts/release/versions.ts";

describe("versions", () => {
  it.each([
    ["1.2.3", "1.2.3"],
    ["2.0.0-next.1", "2.0.0.dev1"],
    ["2.0.0-alpha.0", "2.0.0a0"],
    ["2.0.0-rc.12", "2.0.0rc12"],
  ])("%s is %s in Python", (version, expected) => {
    expect(pythonVersion(version)).toBe(expected);
  });

  it.each(["2.0.0-canary.0", "2.0.0-next"])("has no form in Python: %s", (version) => {
    expect(() => pythonVersion(version)).toThrow(`${version} has no form in Python.`);
  });

  it("have notes of their own", () => {
    const changelog = "# pack\n\n## 1.1.0\n\n### Minor Changes\n\n- A note.\n\n## 1.0.0\n\n- The first.\n";
    expect(["1.1.0", "1.0.0", "2.0.0"].map((version) => notesOf(changelog, version))).toEqual([
      "### Minor Changes\n\n- A note.",
      "- The first.",
      "",
    ]);
  });

  it("stand in a table with a row for each version of the contract, the newest first", () => {
    const release = (spec: string, sdk: string) => ({
      versions: { "@call-transfer/spec": spec, "@call-transfer/sdk": sdk },
      packages: "",
    });
    const page = "<!-- versions, written by `npm run release -- version` -->\n<!-- end of versions -->";
    const releases = [release("1.0.0", "1.0.0"), release("1.0.0", "1.0.1"), release("1.1.0", "1.1.0")];
    expect(withCompatibility(page, releases).match(/^\| \d[^|]*\| \d[^|]*(?= \|)/gm)).toEqual([
      "| 1.1.0 | 1.1.0",
      "| 1.0.0 | 1.0.0 to 1.0.1",
    ]);
  });
});
