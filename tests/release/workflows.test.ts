import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { publishersIn, workflowProblems } from "./workflows.ts";

const folder = fileURLToPath(new URL("../../.github/workflows/", import.meta.url));
const names = readdirSync(folder);
const textOf = (name: string): string => readFileSync(`${folder}${name}`, "utf8");

/** The text of each job. */
const jobsIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^ {2}(\w+):\n((?: {4}.*\n|\n)+)/gm)].map(([, name = "", lines = ""]) => [name, lines]),
  );

describe("the workflows", () => {
  it.each(names)("%s follows the rules", (name) => {
    expect(workflowProblems(textOf(name))).toEqual([]);
  });

  it("let one job publish to npm, one to PyPI, and one the site", () => {
    expect(names.flatMap((name) => publishersIn(textOf(name)).map((job) => `${name} ${job}`))).toEqual([
      "pages.yml deploy",
      "release.yml publish",
      "release.yml pypi",
    ]);
  });

  it("check the commit that is published, and publish what was packed from it", () => {
    const { check, publish, pypi, announce } = jobsIn(textOf("release.yml"));
    expect(check).toMatch(
      /ref: \$\{\{ needs\.plan\.outputs\.commit \}\}[\s\S]*run: \.ci\/run nightly\n[\s\S]*release -- pack packed/,
    );
    expect([publish, pypi, announce]).toEqual([
      expect.stringContaining("needs: [plan, check]"),
      expect.stringContaining("needs: [plan, publish]"),
      expect.stringContaining("needs: [plan, publish, pypi]"),
    ]);
  });

  it("run in CI what a change must pass here", () => {
    expect(textOf("ci.yml")).toContain("run: .ci/run");
  });
});

describe("Dependabot", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const foldersOf = (pattern: RegExp) =>
    tracked.filter((path) => pattern.test(path)).map((path) => `/${dirname(path)}`.replace(/^\/\.$/, "/"));
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8"));

  it.each([
    ["npm", /(?:^|\/)package-lock\.json$/],
    ["pip", /(?:^|\/)requirements\.txt$/],
    ["gomod", /(?:^|\/)go\.mod$/],
    ["docker", /(?:^|\/)Dockerfile$/],
  ])("sees every lockfile of %s", (ecosystem, pattern) => {
    const update = updates.find((each: Record<string, unknown>) => each["package-ecosystem"] === ecosystem);
    expect([...(update?.directories ?? [update?.directory])].sort()).toEqual(foldersOf(pattern).sort());
  });
});

const expression = (text: string): string => `$\{{ ${text} }}`;

describe("the rules report", () => {
  const good = `on: push
permissions: {}
jobs:
  work:
    timeout-minutes: 5
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - run: npm ci
`;

  it("no problem in a good workflow", () => {
    expect(workflowProblems(good)).toEqual([]);
  });

  it("no problem in a job that only deploys the site, but in one that also runs a command", () => {
    const uses = "actions/deploy-pages@d6db90164ac5ed86f2b6aed7e0febac5b3c0c03e # v4.0.5";
    const deploys = `on: push
permissions: {}
jobs:
  deploy:
    timeout-minutes: 5
    permissions:
      pages: write
      id-token: write
    steps:
      - uses: ${uses}
`;
    expect(workflowProblems(deploys)).toEqual([]);
    const reusing = deploys.replace(/ {4}steps:[\s\S]*/, "    uses: someone/else/.github/workflows/x.yml@main\n");
    expect(workflowProblems(reusing).join()).toContain("more permissions than publishing needs");
    expect(workflowProblems(`${deploys}      - run: echo\n`).join()).toContain(
      "more permissions than publishing needs",
    );
  });

  it.each([
    ["permissions for all jobs", "permissions: {}", "permissions: write-all", "permissions: {}"],
    ["a job without permissions", "    permissions:\n      contents: read\n", "", "has no permissions"],
    ["a job without a timeout", "    timeout-minutes: 5\n", "", "has no timeout-minutes"],
    ["an action by its tag", "@08c6903cd8c0fde910a37f88322edcfb5dd907a8", "@v5", "not pinned"],
    ["an action by a short commit", "@08c6903cd8c0fde910a37f88322edcfb5dd907a8", "@08c6903", "not pinned"],
    ["a pin without a version", " # v5.0.0", "", "does not name the version"],
    ["kept credentials", "persist-credentials: false", "persist-credentials: true", "keeps the credentials"],
    ["untrusted text in a shell", "run: npm ci", `run: echo ${expression("github.head_ref")}`, "into a shell"],
    ["third-party code in a job that can publish", "contents: read", "id-token: write", "runs third-party code"],
    ["third-party code in a job that can push", "contents: read", "contents: write", "runs third-party code"],
    [
      "a package of Python without its digest in a job that can publish",
      "contents: read\n    steps:\n",
      "id-token: write\n    steps:\n      - run: pip install uv\n",
      "step 1, runs third-party code",
    ],
    [
      "an action of others in a job that can push",
      "contents: read\n    steps:\n      - uses: actions/checkout@",
      "contents: write\n    steps:\n      - uses: someone/checkout@",
      "an action of others",
    ],
    [
      "extra permissions in a job that can publish",
      "contents: read",
      "id-token: write\n      contents: write",
      "more permissions than publishing needs",
    ],
    [
      "the gate in a shallow clone",
      "run: npm ci",
      "run: npm run release -- check",
      "release gate without fetch-depth: 0",
    ],
    ["permissions for untrusted code", "on: push", "on:\n  pull_request_target:", "untrusted code"],
    [
      "a secret",
      "      - run: npm ci",
      `      - run: npm ci\n        env:\n          TOKEN: ${expression("secrets.TOKEN")}`,
      "uses a secret",
    ],
  ])("%s", (_, from, to, problem) => {
    expect(good).toContain(from);
    expect(workflowProblems(good.replace(from, () => to)).join("\n")).toContain(problem);
  });
});
