import { describe, expect, it } from "vitest";
import { pythonVersion, tagProblem } from "../../scripts/release/python-package.ts";

describe("a version as Python writes it", () => {
  it.each([
    ["1.2.3", "1.2.3"],
    ["2.0.0-next.1", "2.0.0.dev1"],
    ["2.0.0-alpha.0", "2.0.0a0"],
    ["2.0.0-beta.0", "2.0.0b0"],
    ["2.0.0-rc.12", "2.0.0rc12"],
  ])("%s is %s", (version, expected) => {
    expect(pythonVersion(version)).toBe(expected);
  });

  it.each(["2.0.0-canary.0", "2.0.0-next", "2.0.0-1", "2.0.0-next.1.2", "2.0.0-beta-rc.1"])(
    "is refused: %s",
    (version) => {
      expect(() => pythonVersion(version)).toThrow(
        `${version} has no form in Python. Possible: 2.0.0-TAG.NUMBER, with the tag next, alpha, beta, rc.`,
      );
    },
  );
});

describe("the tag of prereleases", () => {
  it.each(["next", "alpha", "beta", "rc"])("may be %s", (tag) => {
    expect(tagProblem(tag)).toBeUndefined();
  });

  it.each(["canary", "", "constructor"])("is refused before a release: %j", (tag) => {
    expect(tagProblem(tag)).toBe(
      `Prereleases are tagged ${tag}, which has no form in Python. Run \`npx changeset pre exit\`, and enter prereleases as next, alpha, beta, rc.`,
    );
  });
});
