import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  baselineOf,
  commandFile,
  contractFile,
  manifestFile,
  objectsNow,
  parseRecord,
  recordFile,
  suiteFolder,
  surfaceFile,
  vectorsFolder,
} from "../../scripts/release/baseline.ts";

const versions = { "@pack/sdk": "1.0.0" };
const surface = surfaceFile("@pack/sdk");
const caseFile = `${suiteFolder}/index.ts`;

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
function commit(message: string): string {
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "-m", message);
  return git("rev-parse", "HEAD");
}
const record = (facts = {}): void =>
  write(recordFile, `${JSON.stringify({ versions, objects: objectsNow(root, versions), ...facts }, null, 2)}\n`);
const objectsWithout = (path: string): Readonly<Record<string, string>> => {
  const { [path]: _, ...objects } = objectsNow(root, versions);
  return objects;
};
const problem = (): string => {
  try {
    baselineOf(root);
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "call-transfer-baseline-"));
  root = join(folder, "repository");
  mkdirSync(root);
  git("init", "--quiet", "--initial-branch=main");
  write(contractFile, '{ "at": 1 }\n');
  write(caseFile, "export const at = 1;\n");
  write(surface, "declare const at: 1;\n");
  commit("Begin");
  write(contractFile, '{ "at": 2 }\n');
  record();
  commit("Release");
  write(contractFile, '{ "at": 3 }\n');
  write(caseFile, "export const at = 3;\n");
  write(`${suiteFolder}/more.ts`, "export {};\n");
  commit("Go on");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function expectReleased(): void {
  const { read, filesIn } = baselineOf(root);
  expect(read(contractFile)).toBe('{ "at": 2 }\n');
  expect(read(surface)).toBe("declare const at: 1;\n");
  expect([...filesIn(suiteFolder)]).toEqual([[caseFile, "export const at = 1;\n"]]);
}

describe("the last release is the tree of the commit that recorded it", () => {
  it("is unaffected by later commits", () => {
    expectReleased();
  });

  it("is unaffected by the working tree and the index", () => {
    write(contractFile, '{ "at": 4 }\n');
    git("add", "--all");
    write(caseFile, "export const at = 5;\n");
    expectReleased();
  });

  it("is found after a rebase, which changes every commit id", () => {
    const before = git("rev-parse", "HEAD");
    git("-c", "user.name=another", "rebase", "--quiet", "--root", "--force-rebase");
    expect(git("rev-parse", "HEAD")).not.toBe(before);
    expectReleased();
  });

  it("is found after a merge into a branch with newer commits", () => {
    git("branch", "release");
    git("checkout", "--quiet", "-b", "other", "HEAD~2");
    write("other.txt", "more\n");
    commit("Move on");
    git("merge", "--quiet", "--no-ff", "-m", "Merge", "release");
    expectReleased();
  });

  it("is found when a commit edited the record and another reverted it", () => {
    const good = readFileSync(join(root, recordFile), "utf8");
    appendFileSync(join(root, recordFile), "\n");
    commit("Edit");
    write(recordFile, good);
    commit("Take it back");
    expectReleased();
  });

  it("has no files of a package added later", () => {
    expect(baselineOf(root).read(surfaceFile("@pack/new"))).toBe("");
  });

  it("has the manifests and commands that the record names", () => {
    write(manifestFile("@pack/sdk"), '{ "version": "1.0.0" }\n');
    write(commandFile("@pack/sdk"), "{}\n");
    record();
    commit("Release");
    write(commandFile("@pack/sdk"), '{ "later": true }\n');
    commit("Go on");
    expect(baselineOf(root).read(manifestFile("@pack/sdk"))).toBe('{ "version": "1.0.0" }\n');
    expect(baselineOf(root).read(commandFile("@pack/sdk"))).toBe("{}\n");
  });

  it("has no manifest if the record is older than the rule for manifests", () => {
    write(manifestFile("@pack/sdk"), "{}\n");
    commit("Go on");
    expect(baselineOf(root).read(manifestFile("@pack/sdk"))).toBe("");
  });

  it("has vectors that an older record does not name, as its commit has them", () => {
    write(`${vectorsFolder}/hints.json`, "{}\n");
    write(contractFile, '{ "at": 4 }\n');
    record({ objects: objectsWithout(vectorsFolder) });
    commit("Release");
    write(`${vectorsFolder}/hints.json`, '{ "later": true }\n');
    commit("Go on");
    expect(JSON.parse(baselineOf(root).read(vectorsFolder))).toEqual({ [`${vectorsFolder}/hints.json`]: "{}\n" });
  });

  it("is recorded without staging anything", () => {
    write(caseFile, "export const at = 6;\n");
    record();
    expect(git("diff", "--cached", "--name-only")).toBe("");
  });
});

describe("a record is refused, with a command to run", () => {
  const bootstrap = { changeset: "first", version: "1.0.0" };

  it.each<[string, () => void, string[]]>([
    ["not committed", () => record(), ["differs from the last commit", "commit it together"]],
    [
      "not committed but staged",
      () => {
        record();
        git("add", "--all");
      },
      ["differs from the last commit"],
    ],
    [
      "not in the last commit",
      () => {
        git("rm", "--quiet", "--cached", recordFile);
        git("commit", "--quiet", "-m", "Lose it");
      },
      ["differs from the last commit"],
    ],
    ["missing", () => rmSync(join(root, recordFile)), [`${recordFile} is missing`, "git restore --source=HEAD"]],
    [
      "a merge conflict",
      () => appendFileSync(join(root, recordFile), "<<<<<<<\n"),
      [`${recordFile} cannot be read`, "git restore --source=HEAD"],
    ],
    [
      "edited by hand",
      () => {
        const { objects } = parseRecord(readFileSync(join(root, recordFile), "utf8"));
        write(recordFile, JSON.stringify({ versions, objects: { ...objects, [contractFile]: "0" } }));
        commit("Edit");
      },
      [`${contractFile} differ`, "edited by hand", "git revert"],
    ],
    [
      "short of a path",
      () => {
        const { objects } = parseRecord(readFileSync(join(root, recordFile), "utf8"));
        const { [surface]: _, ...left } = objects;
        write(recordFile, JSON.stringify({ versions, objects: left }));
        commit("Edit");
      },
      [surface, "edited by hand"],
    ],
    [
      "short of a command, although it names manifests",
      () => {
        write(manifestFile("@pack/sdk"), "{}\n");
        write(commandFile("@pack/sdk"), "{}\n");
        record({ objects: objectsWithout(commandFile("@pack/sdk")) });
        commit("Release");
      },
      [commandFile("@pack/sdk"), "edited by hand"],
    ],
    [
      "short of a manifest, although it names vectors",
      () => {
        write(manifestFile("@pack/sdk"), "{}\n");
        write(`${vectorsFolder}/hints.json`, "{}\n");
        record({ objects: objectsWithout(manifestFile("@pack/sdk")) });
        commit("Release");
      },
      [manifestFile("@pack/sdk"), "edited by hand"],
    ],
    [
      "committed together with later changes",
      () => {
        record();
        write(caseFile, "export const at = 7;\n");
        commit("Release and change");
      },
      [`${suiteFolder} differ`, "took in more changes", "git revert", "npm run release -- version"],
    ],
    [
      "committed together with later changes before the first release",
      () => {
        record({ bootstrap });
        write(caseFile, "export const at = 7;\n");
        commit("Record and change");
      },
      [`${suiteFolder} differ`, "Run `npm run release -- check --record` and commit"],
    ],
    [
      "in a shallow clone",
      () => {
        git("clone", "--quiet", "--depth", "1", `file://${root}`, join(folder, "shallow"));
        root = join(folder, "shallow");
      },
      ["This clone is shallow", "git fetch --unshallow", "fetch-depth: 0"],
    ],
    [
      "in a folder without a repository",
      () => {
        cpSync(root, join(folder, "unpacked"), { recursive: true, filter: (path) => !path.endsWith(".git") });
        root = join(folder, "unpacked");
      },
      ["not the root of a git repository", "Clone the repository"],
    ],
    [
      "in sources unpacked inside another repository",
      () => {
        mkdirSync(join(root, "unpacked"));
        root = join(root, "unpacked");
      },
      ["not the root of a git repository"],
    ],
  ])("when it is %s", (_, plant, words) => {
    plant();
    for (const each of words) expect(problem()).toContain(each);
  });
});

describe("parseRecord", () => {
  it.each([
    { versions, objects: { [contractFile]: "1" } },
    { versions: {}, objects: {}, bootstrap: { changeset: "first", version: "1.0.0" } },
  ])("reads what was written", (kept) => {
    expect(parseRecord(JSON.stringify(kept))).toEqual(kept);
  });
});
