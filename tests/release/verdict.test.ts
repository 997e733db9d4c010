import { describe, expect, it } from "vitest";
import type { ReleaseRecord } from "../../scripts/release/baseline.ts";
import type { Bump, Change } from "../../scripts/release/change.ts";
import { type Changeset, parseChangeset } from "../../scripts/release/changesets.ts";
import { changesetFor, explain, type Moved, recordProblems, shortfallsOf } from "../../scripts/release/verdict.ts";

const change = (bump: Bump): Change => ({
  bump,
  place: "Group.note",
  message: "an optional field was added",
  usedIn: [],
});
const moved = (bump: Bump, name = "sdk"): Moved => ({ name, changes: [change(bump)] });
const note = "Groups carry a note that their members can read.";
const pending = (bumps: Record<string, Bump>, id = "one"): Changeset => ({
  id,
  bumps: new Map(Object.entries(bumps)),
  note,
});
const record = { versions: { spec: "1.0.0", sdk: "1.0.0" }, objects: {} };
const packages = Object.entries(record.versions).map(([name, version]) => ({ name, version }));

describe("the bump of the pending changesets", () => {
  it.each<[string, Bump, Changeset[]]>([
    ["a minor covered by the same bump", "minor", [pending({ sdk: "minor" })]],
    ["a minor covered by a larger bump", "minor", [pending({ sdk: "major" })]],
    [
      "a change covered by the largest of several",
      "minor",
      [pending({ sdk: "patch" }), pending({ sdk: "minor" }, "two")],
    ],
  ])("is enough: %s", (_, bump, changesets) => {
    expect(shortfallsOf([moved(bump)], changesets, record)).toEqual([]);
  });

  it.each<[string, Bump, Changeset[], Bump]>([
    ["nothing pending", "patch", [], "none"],
    ["a smaller bump", "major", [pending({ sdk: "minor" })], "minor"],
    ["a bump of another package", "minor", [pending({ spec: "major" })], "none"],
  ])("is too little: %s", (_, bump, changesets, carried) => {
    expect(shortfallsOf([moved(bump)], changesets, record)).toMatchObject([{ needed: bump, carried }]);
  });

  it("may be missing for packages that did not change", () => {
    expect(shortfallsOf([{ name: "mock", changes: [] }], [], record)).toEqual([]);
  });

  it.each<[string, ReleaseRecord, Changeset[], Bump | undefined]>([
    ["is a minor for packages at 0.x", { versions: { spec: "0.2.0", sdk: "0.2.0" }, objects: {} }, [], "minor"],
    ["is a major for packages at 1.0.0", record, [], "major"],
    [
      "is a minor for packages that the first release leaves at 0.x",
      { ...record, bootstrap: { changeset: "first", version: "1.0.0" } },
      [pending({ spec: "minor", sdk: "minor" }, "first")],
      "minor",
    ],
    [
      "is a major for packages that the first release moves to 1.0.0",
      { versions: { spec: "0.1.0", sdk: "0.1.0" }, objects: {}, bootstrap: { changeset: "first", version: "1.0.0" } },
      [pending({ spec: "major", sdk: "major" }, "first")],
      "major",
    ],
  ])("%s when something is removed", (_, last, changesets, needed) => {
    expect(shortfallsOf([moved("major")], changesets, last)).toMatchObject([{ needed }]);
  });

  it("does not count the changeset of the first release", () => {
    const first = { ...record, bootstrap: { changeset: "first", version: "1.0.0" } };
    expect(shortfallsOf([moved("minor")], [pending({ sdk: "major" }, "first")], first)).toHaveLength(1);
  });
});

describe("a changeset that was committed before", () => {
  const late = { ...change("major"), place: "Group.name", message: "a field was removed" };
  const both = [{ name: "sdk", changes: [change("minor"), late] }];
  const major = pending({ sdk: "major" });

  it("covers what had changed then, and nothing that changed later", () => {
    expect(shortfallsOf(both, [major], record, () => [change("minor"), late])).toEqual([]);
    const [found] = shortfallsOf(both, [major], record, () => [change("minor")]);
    expect(found).toMatchObject({ needed: "major", changes: [late], isLater: true });
    expect(found && explain(found)).toContain("changed after its pending changesets were committed");
  });

  it("covers together with others", () => {
    const added = pending({ sdk: "minor" }, "two");
    const at = ({ id }: Changeset) => (id === "two" ? [change("minor")] : [late]);
    expect(shortfallsOf(both, [major, added], record, at)).toEqual([]);
  });

  it("does not cover what needs a larger bump", () => {
    const [found] = shortfallsOf(both, [major, pending({ sdk: "minor" }, "two")], record, ({ id }) =>
      id === "two" ? [change("minor"), late] : [],
    );
    expect(found).toMatchObject({ needed: "major", changes: [late] });
  });

  it("covers patches for as long as it is pending", () => {
    expect(shortfallsOf([moved("patch")], [pending({ sdk: "patch" })], record, () => [])).toEqual([]);
  });
});

describe("the explanation of a shortfall", () => {
  const [shortfall] = shortfallsOf([moved("minor")], [], record);
  const text = shortfall ? explain(shortfall) : "";

  it("names the change, the bump, the command and the changeset", () => {
    expect(text).toContain("minor  Group.note: an optional field was added");
    expect(text).toContain("needs a minor bump. Pending changesets: none");
    expect(text).toContain("npm run release -- check --write");
    expect(text).toContain('"sdk": minor');
  });

  it("contains a changeset that covers it", () => {
    const written = parseChangeset("one", shortfall ? changesetFor(shortfall) : "");
    expect(shortfallsOf([moved("minor")], [written], record)).toEqual([]);
  });

  it("summarizes patches beside a larger change", () => {
    const changes = [change("minor"), ...Array.from({ length: 40 }, () => change("patch"))];
    const [found] = shortfallsOf([{ name: "sdk", changes }], [], record);
    expect(found && explain(found)).toContain("and 40 that need a patch");
  });
});

describe("the record of the last release", () => {
  it("fits packages with the recorded versions", () => {
    expect(recordProblems(packages, [pending({ sdk: "minor" })], record)).toEqual([]);
  });

  it.each([
    ["a version moved by hand", packages.with(1, { name: "sdk", version: "1.1.0" }), [], "sdk is 1.1.0"],
    ["a missing package", packages.slice(0, 1), [], "sdk was part of the last release"],
    ["a changeset without a note", packages, [{ ...pending({ sdk: "minor" }), note: "" }], "has no note"],
    ["a changeset for no package", packages, [pending({ skd: "minor" })], "moves skd, which is not a package here"],
  ])("does not fit %s", (_, present, changesets, problem) => {
    expect(recordProblems(present, changesets, record).join()).toContain(problem);
  });

  it.each([
    ["gone", [], "first.md is missing"],
    ["incomplete", [pending({ sdk: "major" }, "first")], "must move spec: by major"],
    ["too small", [pending({ sdk: "major", spec: "patch" }, "first")], "must move spec: by major"],
    [
      "smaller than another changeset",
      [pending({ sdk: "minor", spec: "minor" }, "first"), pending({ sdk: "major" })],
      "one.md moves sdk by major, but first leaves it at 0.x",
    ],
  ])("notices a changeset of the first release that is %s", (_, changesets, problem) => {
    const first = { ...record, bootstrap: { changeset: "first", version: "1.0.0" } };
    expect(recordProblems(packages, changesets, first).join()).toContain(problem);
  });
});
