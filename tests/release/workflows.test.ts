import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { publishersIn, workflowProblems } from "./workflows.ts";

const folder = fileURLToPath(new URL("../../.github/workflows/", import.meta.url));
const names = readdirSync(folder);
const textOf = (name: string): string => readFileSync(`${folder}${name}`, "utf8");

describe("the workflows", () => {
  it.each(names)("%s keeps to the rules", (name) => {
    expect(workflowProblems(textOf(name))).toEqual([]);
  });

  it("let one job publish, and only it", () => {
    expect(names.flatMap((name) => publishersIn(textOf(name)).map((job) => `${name} ${job}`))).toEqual([
      "release.yml publish",
    ]);
  });

  it("run in CI what a change must pass here", () => {
    expect(textOf("ci.yml")).toContain("run: .ci/run");
  });
});

const expression = (text: string): string => `$\{{ ${text} }}`;

describe("the rules see through", () => {
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

  it("nothing in a good workflow", () => {
    expect(workflowProblems(good)).toEqual([]);
  });

  it.each([
    ["rights for all jobs", "permissions: {}", "permissions: write-all", "permissions: {}"],
    [
      "a job without rights of its own",
      "    permissions:\n      contents: read\n",
      "",
      "does not name its permissions",
    ],
    ["a job without an end", "    timeout-minutes: 5\n", "", "has no timeout-minutes"],
    ["an action by its tag", "@08c6903cd8c0fde910a37f88322edcfb5dd907a8", "@v5", "not pinned"],
    ["an action by a short commit", "@08c6903cd8c0fde910a37f88322edcfb5dd907a8", "@08c6903", "not pinned"],
    ["a pin that says no version", " # v5.0.0", "", "does not say which version"],
    [
      "credentials left behind",
      "persist-credentials: false",
      "persist-credentials: true",
      "leaves the checkout's credentials",
    ],
    ["text from outside in a shell", "run: npm ci", `run: echo ${expression("github.head_ref")}`, "into a shell"],
    ["foreign code beside the right to publish", "contents: read", "id-token: write", "runs code of other packages"],
    [
      "more than the right to publish",
      "contents: read",
      "id-token: write\n      contents: write",
      "and more than that",
    ],
    ["the gate in a shallow clone", "run: npm ci", "run: npm run release:check", "release gate without fetch-depth: 0"],
    ["strangers with rights", "on: push", "on:\n  pull_request_target:", "strangers"],
    [
      "a secret",
      "      - run: npm ci",
      `      - run: npm ci\n        env:\n          TOKEN: ${expression("secrets.TOKEN")}`,
      "secrets have no place",
    ],
  ])("%s", (_, from, to, problem) => {
    expect(good).toContain(from);
    expect(workflowProblems(good.replace(from, () => to)).join("\n")).toContain(problem);
  });
});
