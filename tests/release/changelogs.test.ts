import { rmSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { ReleaseRecord } from "../../scripts/release/baseline.ts";
import type { Bump } from "../../scripts/release/change.ts";
import { correctChangelogs, firstText, missingTexts } from "../../scripts/release/changelogs.ts";
import { changesetsIn, changesetText, writeChangeset } from "../../scripts/release/changesets.ts";
import { followersOf, writeFollowers } from "../../scripts/release/follow.ts";
import { type WorkspaceCopy, workspaceCopy } from "./workspace-copy.ts";

const names = ["spec", "sdk", "backend", "mock-server", "contract", "mcp"];
const scoped = (name: string): string => `@call-transfer/${name}`;
const recordOf = (version: string): ReleaseRecord => ({
  versions: Object.fromEntries(names.map((name) => [scoped(name), version])),
  objects: {},
});
const titled = (name: string): string => `# ${name}\n\n## 1.0.0\n\nThe first text.\n`;

let copy: WorkspaceCopy;
const remove = (): void => rmSync(copy.folder, { recursive: true, force: true });

/** Releases changesets as `npm run release -- version` does, and returns the newest entry of each package that moved. */
function entriesAfter(bumps: Record<string, Bump>, contractBump: Bump = "none"): Record<string, string> {
  copy = workspaceCopy("1.0.0", titled);
  for (const [name, bump] of Object.entries(bumps))
    writeChangeset(copy.changesets, name, changesetText([scoped(name)], bump, `What a reader of ${name}\nmust know.`));
  const record = recordOf("1.0.0");
  writeFollowers(copy.changesets, followersOf(names.map(scoped), contractBump, changesetsIn(copy.changesets), record));
  copy.moveVersions();
  correctChangelogs(copy.folder, record);
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = copy.changelog(name).slice(`# ${scoped(name)}\n\n`.length);
      const newest = text.slice(0, text.indexOf("## 1.0.0")).trimEnd();
      return newest === "" ? [] : [[name, newest]];
    }),
  );
}

const own = (name: string): string => `- What a reader of ${name}\n  must know.`;

describe("the changelogs of a release after the first", () => {
  afterEach(remove);

  it("say which contract each package covers when the contract moves", () => {
    expect(entriesAfter({ spec: "minor", sdk: "patch" }, "minor")).toEqual({
      spec: `## 1.1.0\n\n### Minor Changes\n\n${own("spec")}`,
      sdk: `## 1.1.0\n\nCovers contract 1.1.0.\n\n### Patch Changes\n\n${own("sdk")}`,
      backend: "## 1.1.0\n\nCovers contract 1.1.0.",
      "mock-server": "## 1.1.0\n\nCovers contract 1.1.0.",
      contract: "## 1.1.0\n\nCovers contract 1.1.0.",
      mcp: "## 1.1.0\n\nCovers contract 1.1.0.",
    });
  });

  it("have only the entry of a package that nothing takes in when it alone is fixed", () => {
    expect(entriesAfter({ sdk: "patch" })).toEqual({ sdk: `## 1.0.1\n\n### Patch Changes\n\n${own("sdk")}` });
  });

  it("name what a package takes in, with the versions", () => {
    expect(entriesAfter({ spec: "patch", backend: "patch" })).toEqual({
      spec: `## 1.0.1\n\n### Patch Changes\n\n${own("spec")}`,
      backend: `## 1.0.1\n\n### Patch Changes\n\n${own("backend")}`,
      "mock-server": "## 1.0.1\n\nTakes in `@call-transfer/spec` 1.0.1 and `@call-transfer/backend` 1.0.1.",
      contract: "## 1.0.1\n\nTakes in `@call-transfer/spec` 1.0.1.",
      mcp: "## 1.0.1\n\nTakes in `@call-transfer/spec` 1.0.1.",
    });
  });

  it("name the version that a package requires when its range no longer accepts another", () => {
    expect(entriesAfter({ sdk: "minor" })).toEqual({
      sdk: `## 1.1.0\n\n### Minor Changes\n\n${own("sdk")}`,
      contract: "## 1.0.1\n\nRequires `@call-transfer/sdk` 1.1.0.",
      mcp: "## 1.0.1\n\nRequires `@call-transfer/sdk` 1.1.0.",
    });
  });
});

describe("the changelogs of the first release", () => {
  afterEach(remove);

  const first = { ...recordOf("0.1.0"), bootstrap: { changeset: "first-release", version: "1.0.0" } };
  const byHand = (name: string): string =>
    `# ${name}\n\n## The first release\n\nIt is new.\n\n### Start\n\nInstall it.\n`;

  it("have the text written by hand as their one entry, and nothing of the changesets", () => {
    copy = workspaceCopy("0.1.0", byHand);
    writeChangeset(
      copy.changesets,
      "first-release",
      changesetText(names.map(scoped), "major", "The first one of all."),
    );
    writeChangeset(copy.changesets, "another", changesetText([scoped("sdk")], "minor", "A name that never shipped."));
    copy.moveVersions();
    correctChangelogs(copy.folder, first);
    for (const name of names)
      expect(copy.changelog(name)).toBe(`# ${scoped(name)}\n\n## 1.0.0\n\nIt is new.\n\n### Start\n\nInstall it.\n`);
    expect(changesetsIn(copy.changesets)).toEqual([]);
  });

  it("are asked for before the changesets are gone", () => {
    copy = workspaceCopy("0.1.0", (name) => (name === scoped("mcp") ? `# ${name}\n` : byHand(name)));
    expect(missingTexts(copy.folder, names.map(scoped))).toEqual([
      "packages/mcp/CHANGELOG.md has no text for the first release. Write it below the heading `## The first release`.",
    ]);
  });
});

it.each([
  ["title alone", "# one\n", ""],
  ["heading alone", "# one\n\n## The first release\n", ""],
  ["text", "# one\n\n## The first release\n\nIt is new.\n", "It is new."],
])("the text for the first release is read from a changelog with a %s", (_, changelog, text) => {
  expect(firstText(changelog)).toBe(text);
});
