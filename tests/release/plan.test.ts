import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempDisposableSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { planOf, type ReleaseState, releasedBy } from "../../scripts/release/plan.ts";

const recorded = { "@call-transfer/sdk": "1.0.0", "@call-transfer/backend": "0.2.0" };

describe("the plan of a release", () => {
  it.each<[string, ReleaseState, string[], { propose: boolean; publish: boolean }]>([
    ["nothing to do", { changesets: [], recorded }, ["1.0.0", "0.2.0"], { propose: false, publish: false }],
    ["a change that waits", { changesets: ["a"], recorded }, ["1.0.0", "0.2.0"], { propose: true, publish: false }],
    [
      "a release that failed half-way, before another change",
      { changesets: ["a"], recorded },
      ["0.2.0"],
      { propose: true, publish: true },
    ],
    ["no release yet", { changesets: ["a"] }, [], { propose: true, publish: false }],
    [
      "the end of prereleases",
      { changesets: [], pre: { mode: "exit" }, recorded },
      ["1.0.0", "0.2.0"],
      { propose: true, publish: false },
    ],
  ])("is right for %s", (_, state, published, expected) => {
    expect(planOf(state, (_name, version) => published.includes(version))).toMatchObject(expected);
  });

  it("names the packages that are not released", () => {
    const { unreleased } = planOf({ changesets: [], recorded }, (name) => name === "@call-transfer/sdk");
    expect(unreleased).toEqual(["@call-transfer/backend"]);
  });
});

it("asks npm for every package with a tag but the Python client, which npm never has", () => {
  const asked: string[] = [];
  const isReleased = releasedBy(
    (name) => name !== "@call-transfer/mcp",
    (name) => {
      asked.push(name);
      return false;
    },
  );
  const names = ["sdk", "mcp", "python"].map((name) => `@call-transfer/${name}`);
  expect(names.map((name) => isReleased(name, "1.0.0"))).toEqual([false, false, true]);
  expect(asked).toEqual(["@call-transfer/sdk"]);
});

describe("the step that publishes", () => {
  const workflow = parse(readFileSync(new URL("../../.github/workflows/release.yml", import.meta.url), "utf8"));
  const step: { run: string; env: Record<string, string> } = workflow.jobs.publish.steps.at(-1);
  const content = "the packed files";
  const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "call-transfer-publish-"));
    mkdirSync(join(folder, "packed"));
    for (const name of ["spec", "sdk"]) writeFileSync(join(folder, `packed/${name}.tgz`), content);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const asked = (): string[] => readFileSync(join(folder, "asked"), "utf8").split("\n").filter(Boolean);

  /** Runs the step with an npm that knows some versions of the SDK. Returns what it was asked to publish. */
  function publish(
    version: string,
    published: string[],
    {
      problem = "E404",
      problemOfName = "E404",
      there = integrity,
      unreleased = "@call-transfer/spec @call-transfer/sdk",
      spec = false,
    } = {},
  ): string[] {
    const latest = published.at(-1) ?? "";
    const specLine = spec ? "@call-transfer/spec 1.0.0 spec.tgz\n" : "";
    writeFileSync(join(folder, "packed/order.txt"), `${specLine}@call-transfer/sdk ${version} sdk.tgz\n`);
    const known = published.map((each) => `@call-transfer/sdk@${each}`).join("|") || "none";
    writeFileSync(
      join(folder, "npm"),
      `#!/bin/sh
if [ "$1" = publish ]; then echo "$@" >> asked; exit; fi
case "$2" in
  ${known}) echo "${there}"; exit ;;
  @call-transfer/sdk) [ -n "${latest}" ] && { echo "${latest}"; exit; }; echo "npm error code ${problemOfName}" >&2; exit 1 ;;
esac
echo "npm error code ${problem}" >&2
exit 1
`,
    );
    chmodSync(join(folder, "npm"), 0o755);
    writeFileSync(join(folder, "asked"), "");
    const env = { PATH: `${folder}:${process.env.PATH}`, UNRELEASED: unreleased };
    execFileSync("bash", ["-e", "-o", "pipefail", "-c", step.run], { cwd: folder, env, stdio: "pipe" });
    return asked();
  }

  it.each([
    ["the first version", "1.0.0", [], "latest"],
    ["a newer one", "1.10.0", ["1.9.0"], "latest"],
    ["a fix of an older major", "1.10.1", ["1.10.0", "2.0.0"], "release-1"],
    ["a prerelease", "2.0.0-next.1", ["1.0.0"], "next"],
    ["a release after a prerelease that came first", "2.0.0", ["2.0.0-next.1"], "latest"],
  ])("gives %s its tag", (_, version, published, tag) => {
    expect(publish(version, published)).toEqual([
      expect.stringMatching(new RegExp(`--access public .* --tag ${tag}$`)),
    ]);
  });

  it.each([
    ["which version is the latest", { problemOfName: "ECONNRESET" }],
    ["whether it has a version", { problem: "ECONNRESET" }],
  ])("publishes nothing if npm cannot say %s", (_, problems) => {
    expect(() => publish("1.10.1", [], problems)).toThrow("ECONNRESET");
    expect(asked()).toEqual([]);
  });

  it("publishes nothing at all, and says why, if a version exists with other content", () => {
    const failed = /@call-transfer\/sdk@1\.0\.0 is at npm with other content: sha512-other there/;
    const error = thrownBy(() => publish("1.0.0", ["1.0.0"], { there: "sha512-other", spec: true }));
    expect(String(error.stdout)).toMatch(failed);
    expect(asked()).toEqual([]);
  });

  it("leaves alone what was released before, whatever it contains by now", () => {
    const options = { there: "sha512-other", unreleased: "@call-transfer/spec", spec: true };
    expect(publish("1.0.0", ["1.0.0"], options)).toEqual([expect.stringContaining("spec.tgz")]);
  });
});

describe("the step that publishes the Python client", () => {
  const workflow = parse(readFileSync(new URL("../../.github/workflows/release.yml", import.meta.url), "utf8"));
  const script: string = workflow.jobs.pypi.steps.at(-1).run;

  it.each([
    [
      "publishes what the run packed",
      "true",
      "publish --no-config --trusted-publishing always packed/python/s packed/python/w\n",
    ],
    ["leaves out a version that has its tag", "false", ""],
  ])("%s", (_, isNew, asked) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), "call-transfer-pypi-"));
    mkdirSync(join(folder.path, "packed"));
    mkdirSync(join(folder.path, "uv/bin"), { recursive: true });
    writeFileSync(join(folder.path, "packed/python.txt"), "@call-transfer/python 1.0.0 s w\n");
    writeFileSync(join(folder.path, "asked"), "");
    writeFileSync(join(folder.path, "uv/bin/uv"), '#!/bin/sh\necho "$@" >> asked\n');
    chmodSync(join(folder.path, "uv/bin/uv"), 0o755);
    const env = { ...process.env, IS_NEW: isNew };
    execFileSync("bash", ["-e", "-o", "pipefail", "-c", script], { cwd: folder.path, env, stdio: "pipe" });
    expect(readFileSync(join(folder.path, "asked"), "utf8")).toBe(asked);
  });
});

/** What the failure of a command says. */
function thrownBy(use: () => unknown): { readonly stdout?: unknown } {
  try {
    use();
  } catch (error) {
    return error as { stdout?: unknown };
  }
  throw new Error("It did not fail.");
}
