import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Bump, Change } from "../../scripts/release/change.ts";
import { getDependencyReleaseLine, getReleaseLine } from "../../scripts/release/changelog-lines.ts";
import {
  type Changeset,
  changesetProblems,
  type Moved,
  parseChangeset,
  shortfallsOf,
  taken,
  takenIn,
} from "../../scripts/release/changesets.ts";

const note = "Groups carry a note that their members can read.";
const parsed = (bumps: Record<string, Bump>, text = note, id = "one"): Changeset =>
  parseChangeset(
    id,
    `---\n${Object.entries(bumps)
      .map(([name, bump]) => `"${name}": ${bump}\n`)
      .join("")}---\n\n${text}\n`,
  );
const change = (bump: Bump, facts: Partial<Change> = {}): Change => ({
  bump,
  place: "Group.note",
  message: "an optional field was added",
  usedIn: [],
  ...facts,
});
const moved = (bump: Bump, name = "sdk", version = "1.0.0"): Moved => ({ name, version, changes: [change(bump)] });

describe("a changeset's text", () => {
  it.each([
    ["no header", "Just words.", ".changeset/one.md: could not parse changeset - missing or invalid frontmatter"],
    ["an override without a reason", '---\n"sdk": minor\n---\n\n<!-- no break: A > b -->\n', "an override of another"],
    ["a word as reason", '---\n"sdk": minor\n---\n\n<!-- no break: A > b: Internal. -->\n', "a reason of a sentence"],
  ])("is refused with %s", (_, text, problem) => {
    expect(() => parseChangeset("one", text)).toThrow(problem);
  });

  it("becomes a list item of the changelog, without what it says to the gate", () => {
    const summary = `${note}\nAnd more.\n\n<!-- no break: A > b: Nobody makes one of these. -->`;
    expect(getReleaseLine({ summary })).toBe(`- ${note}\n  And more.`);
    expect(getDependencyReleaseLine(undefined, [{ name: "sdk", newVersion: "1.1.0" }])).toBe("- Requires `sdk` 1.1.0.");
    expect(getDependencyReleaseLine(undefined, [])).toBe("");
  });
});

describe("the bump of the pending changesets", () => {
  it.each<[string, Moved, Changeset[]]>([
    ["the same bump", moved("minor"), [parsed({ sdk: "minor" })]],
    ["a larger bump", moved("minor"), [parsed({ sdk: "major" })]],
    ["the largest of several", moved("minor"), [parsed({ sdk: "patch" }), parsed({ sdk: "minor" }, note, "two")]],
    ["a minor for what breaks at 0.x", moved("major", "mcp", "0.2.0"), [parsed({ mcp: "minor" })]],
    ["nothing for a package that did not change", { ...moved("none"), changes: [] }, []],
  ])("is enough: %s", (_, each, pending) => {
    expect(shortfallsOf([each], pending)).toEqual([]);
  });

  it.each<[string, Bump, Changeset[], Bump]>([
    ["nothing pending", "patch", [], "none"],
    ["a smaller bump", "major", [parsed({ sdk: "minor" })], "minor"],
    ["a bump of another package", "minor", [parsed({ spec: "major" })], "none"],
  ])("is too little: %s", (_, bump, pending, carried) => {
    expect(shortfallsOf([moved(bump)], pending)).toMatchObject([{ needed: bump, carried }]);
  });

  it("is a patch for what takes in a package that moves", () => {
    const pending = [parsed({ "@call-transfer/backend": "patch" })];
    expect(taken("@call-transfer/mock-server", pending).map(({ bump }) => bump)).toEqual(["patch"]);
    expect(taken("@call-transfer/sdk", pending)).toEqual([]);
  });

  it.each(Object.entries(takenIn))("knows what the build of %s takes in", (name, others) => {
    const build = readFileSync(new URL(`../../packages/${name.split("/")[1]}/tsup.config.ts`, import.meta.url), "utf8");
    expect(build).toContain(others.length > 1 ? String.raw`noExternal: [/^@call-transfer\//` : "openapi");
  });
});

describe("an override", () => {
  const line = change("major", { place: "Answer > size", message: "was removed", isLine: true });
  const broken: Moved = { name: "sdk", version: "1.0.0", changes: [line] };
  const override = (place: string) => `${note}\n\n<!-- no break: ${place}: Only the client makes answers. -->`;

  it.each(["Answer > size", "Answer"])("makes a minor of a line that it names: %s", (place) => {
    expect(shortfallsOf([broken], [parsed({ sdk: "minor" }, override(place))])).toEqual([]);
  });

  it.each<[string, Moved, Changeset]>([
    ["of another line", broken, parsed({ sdk: "minor" }, override("Answer > size2"))],
    ["of another package", broken, parsed({ spec: "minor" }, override("Answer"))],
    [
      "of the contract",
      { ...broken, changes: [{ ...line, isLine: false }] },
      parsed({ sdk: "minor" }, override("Answer")),
    ],
  ])("says nothing %s", (_, each, changeset) => {
    expect(shortfallsOf([each], [changeset])).toMatchObject([{ needed: "major" }]);
  });

  it("must name a line that changed", () => {
    expect(changesetProblems([broken], [parsed({ sdk: "minor" }, override("Answer > id"))], {}).join()).toContain(
      "no such line changed",
    );
  });
});

it.each<[string, Moved[], Changeset[], string]>([
  ["a version moved by hand", [moved("none", "sdk", "1.1.0")], [], "sdk is 1.1.0, but the last release was 1.0.0"],
  ["a missing package", [], [], "sdk was part of the last release"],
  ["a changeset without a note", [moved("none")], [parsed({ sdk: "minor" }, "")], "has no note"],
  ["a changeset for no package", [moved("none")], [parsed({ skd: "minor" })], "moves skd, which is not a package here"],
])("the gate refuses %s", (_, packages, pending, problem) => {
  expect(changesetProblems(packages, pending, { sdk: "1.0.0" }).join()).toContain(problem);
});
