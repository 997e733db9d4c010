import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { checks } from "../../scripts/commands/check.ts";
import { experiments } from "../../scripts/commands/lab.ts";
import { releaseSteps } from "../../scripts/commands/release.ts";
import { siteCommands } from "../../scripts/commands/site.ts";
import {
  anchorOf,
  anchorsIn,
  citationsIn,
  relativeLinksIn,
  tablesIn,
  unlinkedCitationsIn,
} from "../../scripts/markdown.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string) => readFileSync(join(root, path), "utf8");
const git = (...options: string[]) =>
  execFileSync("git", ["ls-files", ...options], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter(Boolean);

const deleted = new Set(git("--deleted"));
const tracked = git().filter((path) => !deleted.has(path));
// Untracked files count too, so that problems appear before the commit.
const present = [...new Set([...tracked, ...git("--others", "--exclude-standard")])];
const isTest = (path: string) => /\.test\.[a-z]+$|^packages\/[^/]+\/tests\//.test(path);
const handWritten = present.filter((path) => /\.(tsx?|mts|mjs|js)$/.test(path) && !path.endsWith(".gen.ts"));
// The programs in these folders are examples of customer code. Compilers and test runners check their names. The facts are the
// one deliberate second writing of the specification.
const isCustomersCode = (path: string) =>
  /^(?:tests\/packages\/(?:consumers|runners)|examples\/migrating)\//.test(path);
const shipped = handWritten.filter(
  (path) => !isTest(path) && !isCustomersCode(path) && !path.startsWith("packages/contract/src/facts/"),
);

const findings = (paths: string[], check: (text: string) => string[]) =>
  paths.flatMap((path) => check(read(path)).map((found) => `${path}: ${found}`));

it("hand-written code takes the paths of operations from the contract", () => {
  const own = Object.values(operations).map(({ path }) => path.replace(/\{[^}]+\}/g, "[^/\"'`]+"));
  const written = new RegExp(`["'\`](?:https?://[^/"'\`]*|\\$\\{[^}]*\\})?(?:${own.join("|")})["'\`?#]`, "g");
  expect(findings(shipped, (text) => text.replaceAll(/^ *(?:\*|\/\*|\/\/).*$/gm, "").match(written) ?? [])).toEqual([]);
});

describe("committed files", () => {
  const texts = tracked.filter((path) => !/\.(png|ico|woff2?)$/.test(path)).map((path) => ({ path, text: read(path) }));
  const containing = (pattern: RegExp) => texts.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

  it("include no build output and no installed package", () => {
    expect(tracked.filter((path) => /(^|\/)(dist|node_modules)\/|\.(tgz|tsbuildinfo)$/.test(path))).toEqual([]);
  });

  it("name no package registry, so that the install works with any registry", () => {
    expect(containing(/registry\.[a-z0-9-]+\.[a-z]+|"resolved"\s*:\s*"https?:/)).toEqual([]);
  });

  it("contain no absolute path of a machine", () => {
    expect(containing(/(?<![\w.:/}-])\/(?:home|Users|root|work)\/[a-z]/)).toEqual([]);
  });

  it("run commands through npx by the name of their package only", () => {
    const found = containing(runsByCommandName).filter((path) => !path.endsWith("CHANGELOG.md"));
    expect(found).toEqual([]);
  });

  it("contain no marker of unfinished work", () => {
    expect(containing(new RegExp(["TO", "FIX"].map((start) => `\\b${start}(?:DO|ME)\\b`).join("|")))).toEqual([]);
  });
});

describe("references", () => {
  const specification = anchorsIn(read("docs/specification.md"));
  const unknownIn = (text: string) => citationsIn(text).filter((number) => !specification.has(anchorOf(number)));
  // Pages of site/ link to addresses of the site, which `npm run check -- site` follows.
  const pages = present.filter((path) => path.endsWith(".md") && !path.startsWith("site/"));

  /** The links of a page to a missing file or anchor. */
  const brokenLinks = (path: string) =>
    relativeLinksIn(read(path)).filter((link) => {
      const [file = "", anchor] = decodeURIComponent(link).split("#");
      const target = file === "" ? path : join(dirname(path), file).replace(/\/$/, "");
      const exists = (known: string) => known === target || known.startsWith(`${target}/`);
      if (target !== path && !present.some(exists)) return true;
      if (anchor === undefined || !target.endsWith(".md")) return false;
      return !anchorsIn(read(target)).has(anchor);
    });

  it("cite only numbers in docs/specification.md", () => {
    const texts = present.filter((path) => !/\.(png|ico|woff2?)$/.test(path));
    expect(findings(texts, unknownIn)).toEqual([]);
  });

  it("link each citation in a page to the specification", () => {
    const readable = pages.filter((path) => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(path));
    const linking = readable.filter((path) => path !== "docs/specification.md");
    expect(findings(linking, unlinkedCitationsIn)).toEqual([]);
  });

  it("link only to existing files and anchors", () => {
    expect(pages.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`))).toEqual([]);
  });
});

describe("CONTRIBUTING.md", () => {
  const { scripts, devDependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const tables = tablesIn(read("CONTRIBUTING.md"));
  const named = (column: string): string[] =>
    tables.flatMap(({ rows }) =>
      rows.flatMap((row) => [...(row[column] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)),
    );

  it("has a reason for each dependency of the workspace, and for no other", () => {
    expect(named("Package").sort()).toEqual(Object.keys({ ...devDependencies, ...optionalDependencies }).sort());
  });

  it("lists each script, and with those of checks, labs, releases and the site there are at most 35 names", () => {
    const listed = named("Command").map((line) => /^npm (?:run )?(\S+)/.exec(line)?.[1]);
    expect(Object.keys(scripts).filter((name) => !listed.includes(name))).toEqual([]);
    // `npm run site` is the site's build.
    const { build: _, ...ofSite } = siteCommands;
    const names = [scripts, checks, experiments, releaseSteps, ofSite].flatMap((table) => Object.keys(table));
    expect(names.length).toBeLessThanOrEqual(35);
  });
});

/** Without an install, npx downloads the package with the name of the command, which anyone may have published. */
const runsByCommandName =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun)\s+(?:exec|x|dlx))(?:\s+-[\w-]*)*\s+(?:call-transfer-|prism\b)/;
