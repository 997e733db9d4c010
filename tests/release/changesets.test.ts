import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Bump } from "../../scripts/release/change.ts";
import { changesetText, parseChangeset, writeChangeset } from "../../scripts/release/changesets.ts";
import { type WorkspaceCopy, workspaceCopy } from "./workspace-copy.ts";

const note = "Groups carry a note that their members can read.";

describe("a changeset's text", () => {
  it("reads what was written", () => {
    const text = changesetText(["@call-transfer/spec", "@call-transfer/sdk"], "minor", note);
    const { bumps, note: read } = parseChangeset("one", text);
    expect([...bumps]).toEqual([
      ["@call-transfer/spec", "minor"],
      ["@call-transfer/sdk", "minor"],
    ]);
    expect(read).toBe(note);
  });

  it("reads Windows line endings", () => {
    const text = changesetText(["sdk"], "minor", note).replaceAll("\n", "\r\n");
    expect(parseChangeset("one", text)).toMatchObject({ bumps: new Map([["sdk", "minor"]]), note });
  });

  it("may move no package", () => {
    expect(parseChangeset("one", `---\n---\n\n${note}\n`)).toMatchObject({ bumps: new Map(), note });
  });

  it.each([
    ["no header", "Just words.", "does not begin with a header"],
    ["an invalid header", '---\n"sdk: minor\n---\n\nWords.\n', ".changeset/one.md cannot be read"],
    ["a list as header", '---\n- "sdk": minor\n---\n\nWords.\n', 'Write a line for each package: "NAME": BUMP.'],
    ["a text as header", "---\nminor\n---\n\nWords.\n", "has a header of another form"],
    ["an unknown bump", '---\n"sdk": huge\n---\n\nWords.\n', "moves sdk by huge"],
  ])("is refused with %s", (_, text, problem) => {
    expect(() => parseChangeset("one", text)).toThrow(problem);
  });
});

describe("a release of the workspace", () => {
  let copy: WorkspaceCopy;

  /** Versions after a release that carries these bumps, by the package's short name. */
  function versionsAfter(bumps: Record<string, Bump>): Record<string, string> {
    for (const [name, bump] of Object.entries(bumps))
      writeChangeset(copy.changesets, name, changesetText([`@call-transfer/${name}`], bump, note));
    copy.moveVersions();
    return Object.fromEntries(
      readdirSync(join(copy.folder, "packages")).map((name) => [name, copy.manifest(name).version]),
    );
  }

  beforeEach(() => {
    copy = workspaceCopy();
  });

  afterEach(() => rmSync(copy.folder, { recursive: true, force: true }));

  it("leaves the SDK alone when the mock server breaks", () => {
    const after = versionsAfter({ "mock-server": "major" });
    expect(after).toMatchObject({ "mock-server": "2.0.0", sdk: "1.0.0", spec: "1.0.0", backend: "1.0.0" });
  });

  it("gives the contract and the SDK one version when both move", () => {
    const after = versionsAfter({ spec: "minor", sdk: "patch" });
    expect(after).toMatchObject({ spec: "1.1.0", sdk: "1.1.0" });
  });

  it("moves dependents whose range no longer accepts a package", () => {
    const after = versionsAfter({ spec: "minor" });
    expect(after).toMatchObject({
      sdk: "1.0.0",
      backend: "1.0.1",
      contract: "1.0.1",
      mcp: "1.0.1",
      "mock-server": "1.0.1",
    });
    expect(copy.manifest("backend").dependencies?.["@call-transfer/spec"]).toBe("~1.1.0");
  });

  it.each(["sdk", "spec", "backend"])("releases nothing else with a patch of %s", (name) => {
    const moved = Object.entries(versionsAfter({ [name]: "patch" })).filter(([, version]) => version !== "1.0.0");
    expect(moved).toEqual([[name, "1.0.1"]]);
  });

  it("moves the Python client, and never the inspector, which the mock server contains", () => {
    const after = versionsAfter({ python: "minor", "mock-server": "major" });
    expect(after).toMatchObject({ python: "1.1.0", "mock-server": "2.0.0", inspector: "1.0.0" });
  });

  it("is written directly below the title of the changelog", () => {
    versionsAfter({ spec: "patch" });
    expect(copy.changelog("spec")).toMatch(/^# @call-transfer\/spec\n\n## 1\.0\.1\n/);
  });

  it("never overwrites a changeset", () => {
    const names = [1, 2, 3].map(() =>
      writeChangeset(copy.changesets, "minor-sdk", changesetText(["a"], "minor", note)),
    );
    expect(new Set(names).size).toBe(3);
  });
});
