import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  baselineOf,
  contractFile,
  recordFile,
  recordOf,
  recordRelease,
  vectorsFolder,
} from "../../scripts/release/record.ts";

const versions = { "@pack/sdk": "1.0.0" };
const surface = recordOf("@pack/sdk", "api.d.ts");

let folder = "";
let root = "";
const git = (...options: string[]): string => {
  const identity = ["user.name=gate", "user.email=gate@host.invalid", "protocol.file.allow=always"];
  const settings = identity.flatMap((setting) => ["-c", setting]);
  return execFileSync("git", [...settings, ...options], { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();
};
function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
function commit(message: string): void {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "-m", message);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "call-transfer-record-"));
  root = join(folder, "repository");
  mkdirSync(root);
  git("init", "--quiet", "--initial-branch=main");
  write(recordFile, "[]\n");
  write(contractFile, '{ "at": 1 }\n');
  write(surface, "declare const at: 1;\n");
  commit("Begin");
  write(contractFile, '{ "at": 2 }\n');
  write(`${vectorsFolder}/hints.json`, "{}\n");
  recordRelease(root, versions);
  commit("Release");
  write(contractFile, '{ "at": 3 }\n');
  write(`${vectorsFolder}/more.json`, "{}\n");
  commit("Go on");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function expectReleased(): void {
  const { release, read } = baselineOf(root);
  expect(release.versions).toEqual(versions);
  expect(read(contractFile)).toBe('{ "at": 2 }\n');
  expect(read(surface)).toBe("declare const at: 1;\n");
  expect(JSON.parse(read(vectorsFolder))).toEqual({ [`${vectorsFolder}/hints.json`]: "{}\n" });
  expect(read("packages/new/api.d.ts")).toBe("");
}

describe("the last release is the tree of the commit that recorded it", () => {
  it("is unaffected by later commits, the working tree and the index", () => {
    write(contractFile, '{ "at": 4 }\n');
    git("add", "--all");
    write(surface, "declare const at: 5;\n");
    expectReleased();
  });

  it("is found after a rebase, which changes every commit id", () => {
    const before = git("rev-parse", "HEAD");
    git("-c", "user.name=another", "rebase", "--quiet", "--root", "--force-rebase");
    expect(git("rev-parse", "HEAD")).not.toBe(before);
    expectReleased();
  });

  it("is none before the first one", () => {
    git("checkout", "--quiet", "HEAD~2");
    expect(baselineOf(root).read(contractFile)).toBe("");
  });

  it("is recorded without staging anything, in the place of one with the same versions", () => {
    expect(recordRelease(root, versions)).toHaveLength(1);
    expect(recordRelease(root, { "@pack/sdk": "1.0.1" })).toHaveLength(2);
    expect(git("diff", "--cached", "--name-only")).toBe("");
  });
});

describe("a record is refused, with what to do", () => {
  it.each<[string, () => void, string[]]>([
    ["not committed", () => recordRelease(root, versions), ["differs from the last commit", "commit it together"]],
    ["a merge conflict", () => appendFileSync(join(root, recordFile), "<<<<<<<\n"), ["cannot be read", "git restore"]],
    [
      "edited by hand",
      () => {
        write(recordFile, JSON.stringify([{ versions, packages: "0" }]));
        commit("Edit");
      },
      ["edited by hand", "git revert"],
    ],
    [
      "committed together with later changes",
      () => {
        recordRelease(root, versions);
        write(surface, "declare const at: 7;\n");
        commit("Release and change");
      },
      ["took in more changes", "git revert"],
    ],
    [
      "in a shallow clone",
      () => {
        git("clone", "--quiet", "--depth", "1", `file://${root}`, join(folder, "shallow"));
        root = join(folder, "shallow");
      },
      ["This clone is shallow", "git fetch --unshallow", "fetch-depth: 0"],
    ],
  ])("when it is %s", (_, plant, words) => {
    plant();
    let problem = "none";
    try {
      baselineOf(root);
    } catch (error) {
      problem = (error as Error).message;
    }
    for (const each of words) expect(problem).toContain(each);
  });
});
