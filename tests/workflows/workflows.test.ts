import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { isEqual, listIn, objectIn } from "../../scripts/release/json.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")] as const);

/** Commands that run code of others. */
const foreign = /\bnpm (?:ci|install|i|run|exec|test)\b|\bnpx\b|\bpip install (?!.*--require-hashes)|\.ci\/run/;
/** Commands that run the release gate, which needs the whole history. */
const gate = /\brelease -- (?:check|version)\b|\.ci\/run/;

const jobsIn = (text: string) =>
  Object.entries(objectIn(objectIn(parse(text)).jobs)).map(
    ([name, job]) => ({ ...objectIn(job), name }) as Readonly<Record<string, unknown>>,
  );
const mayPublish = (job: Readonly<Record<string, unknown>>): boolean =>
  objectIn(job.permissions)["id-token"] === "write";

/** What zizmor and actionlint (check-workflows.ts) do not know of our jobs. */
function problemsIn(text: string): string[] {
  return jobsIn(text).flatMap((job) => {
    const steps = listIn(job.steps).map(objectIn);
    const rights = objectIn(job.permissions);
    const uses = (name: string) => steps.filter((step) => String(step.uses).startsWith(name));
    // A deployment to Pages needs one right more, and then the job may do nothing else.
    const deploys = steps.length > 0 && uses("actions/deploy-pages@").length === steps.length;
    const mayWrite = mayPublish(job) || rights.contents === "write";
    const runsForeign = steps.some(
      ({ run = "", uses: used = "actions/" }) => foreign.test(`${run}`) || !`${used}`.startsWith("actions/"),
    );
    const isShallow = uses("actions/checkout@").some((step) => objectIn(step.with)["fetch-depth"] !== 0);
    return [
      ...(typeof job["timeout-minutes"] === "number" ? [] : [`${job.name} has no timeout-minutes`]),
      ...(mayWrite && runsForeign ? [`${job.name} runs code of others and can publish or push`] : []),
      ...(mayPublish(job) && !isEqual(rights, { "id-token": "write", ...(deploys && { pages: "write" }) })
        ? [`${job.name} has more permissions than publishing needs`]
        : []),
      ...(gate.test(JSON.stringify(steps)) && isShallow
        ? [`${job.name} runs the release gate without fetch-depth: 0`]
        : []),
    ];
  });
}

describe("the workflows", () => {
  it.each(workflows)("%s follows the rules", (_, text) => {
    expect(problemsIn(text)).toEqual([]);
    expect(text).not.toMatch(/\bsecrets\./);
  });

  it("let one job publish to npm, one to PyPI, and one the site", () => {
    expect(
      workflows.flatMap(([name, text]) =>
        jobsIn(text)
          .filter(mayPublish)
          .map((job) => `${name} ${job.name}`),
      ),
    ).toEqual(["pages.yml deploy", "release.yml publish", "release.yml pypi"]);
  });

  it("check the commit that is published, and publish what was packed from it", () => {
    const jobs = jobsIn(readFileSync(join(folder, "release.yml"), "utf8"));
    const needs = Object.fromEntries(jobs.map((job) => [job.name, [job.needs ?? []].flat()]));
    expect(needs).toMatchObject({
      publish: ["plan", "check"],
      pypi: ["plan", "publish"],
      announce: ["plan", "publish", "pypi"],
    });
    const check = listIn(jobs.find(({ name }) => name === "check")?.steps).map(objectIn);
    expect(objectIn(check[0]?.with).ref).toBe(`$\{{ needs.plan.outputs.commit }}`);
    expect(check.flatMap(({ run }) => (run === undefined ? [] : [run]))).toEqual([
      ".ci/run nightly",
      "npm run release -- pack packed",
    ]);
  });
});

describe("Dependabot", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8"));

  it.each([
    ["npm", /(?:^|\/)package-lock\.json$/],
    ["pip", /(?:^|\/)requirements\.txt$/],
    ["gomod", /(?:^|\/)go\.mod$/],
    ["docker", /(?:^|\/)Dockerfile$/],
  ])("sees every lockfile of %s", (ecosystem, pattern) => {
    const update = updates.find((each: Record<string, unknown>) => each["package-ecosystem"] === ecosystem);
    const folders = tracked
      .filter((path) => pattern.test(path))
      .map((path) => `/${dirname(path)}`.replace(/^\/\.$/, "/"));
    expect([...(update?.directories ?? [update?.directory])].sort()).toEqual(folders.sort());
  });
});
