import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { limits } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { isMap, isScalar, parseDocument, visit } from "yaml";
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
import { type Limit, limitsIn, repetitionsIn } from "./source-facts.ts";

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
/** The one deliberate second writing of the specification, so that the contract and it can disagree. */
const isSecondWriting = (path: string) => path.startsWith("packages/contract/src/facts/");
// The programs in these folders are examples of customer code. Compilers and test runners check their names.
const isCustomersCode = (path: string) =>
  /^(?:tests\/packages\/(?:consumers|runners)|examples\/migrating)\//.test(path);
const shipped = handWritten.filter((path) => !isTest(path) && !isCustomersCode(path));

const findings = (paths: string[], check: (text: string) => string[]) =>
  paths.flatMap((path) => check(read(path)).map((found) => `${path}: ${found}`));

describe("facts of the contract are not repeated", () => {
  it("hand-written code contains no operation path, status of a code, or list of codes or operations", () => {
    expect(
      findings(
        shipped.filter((path) => !isSecondWriting(path)),
        repetitionsIn,
      ),
    ).toEqual([]);
  });

  it.each([
    ["const url = '/api/v1/roles';", "path"],
    [`get(\`\${base}/api/v1/transfers/members/\${id}/hours\`);`, "path"],
    ["fetch('http://127.0.0.1:1/api/v1/calls?limit=1');", "path"],
    ["const statuses = { not_found: 404 };", "status"],
    ["const pair = ['queue_full', 429];", "status"],
    ["const retried = new Set(['bad_request', 'conflict', 'not_found']);", "list"],
    ["run(['listRoles', 'listCalls', 'createCall']);", "list"],
    ["const order = ['required', 'too_short', 'too_long'];", "list"],
    ["type Known = 'bad_request' | 'conflict' | 'not_found';", "list"],
    ["const titles = { bad_request: a, conflict: b, not_found: c };", "table"],
  ])("the check finds %s", (text, kind) => {
    expect(repetitionsIn(text).join()).toContain(kind);
  });

  it("the backend contains no limit outside its policies and demonstration data", () => {
    const exceptions = ["model/policies.ts", "data/demo-seed.ts"].map((name) => `packages/backend/src/${name}`);
    const places = shipped.filter((path) => path.startsWith("packages/backend/src/") && !exceptions.includes(path));
    expect(findings(places, (text) => limitsIn(text, contractLimits))).toEqual([]);
  });

  it.each([
    `if (name.length > ${properties.name.maxLength}) refuse();`,
    `const overlapMs = ${limits.previousSecretOverlapHours} * 3_600_000;`,
    `accept({ totalTimeoutSecs: ${properties.totalTimeoutSecs.maximum} });`,
  ])("the check finds the limit in %s", (text) => expect(limitsIn(text, contractLimits)).not.toEqual([]));

  it.each(["random.text(45);", "const digits = 24;", "if (name.length > 45) refuse();"])(
    "the check accepts a number that is a limit of something else: %s",
    (text) => expect(limitsIn(text, contractLimits)).toEqual([]),
  );

  it("openapi/ states each limit of a field once", () => {
    expect(schemaFiles.flatMap((path) => limitsTypedIn(path)).filter(isRepeated)).toEqual([]);
  });
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

  it.each(["npx", "npx --yes", "npx\n", "npm exec --", "npm x", "pnpm dlx", "yarn dlx", "bunx"])(
    "the check finds a command that %s would download under a name that anyone can register",
    (runner) => {
      expect(`Run ${runner} ${command}.`).toMatch(runsByCommandName);
      expect(`Run ${runner} @call-transfer/mock-server.`).not.toMatch(runsByCommandName);
    },
  );

  it("contain no marker of unfinished work", () => {
    expect(containing(new RegExp(["TO", "FIX"].map((start) => `\\b${start}(?:DO|ME)\\b`).join("|")))).toEqual([]);
  });
});

describe("references", () => {
  const specification = anchorsIn(read("docs/specification.md"));
  const unknownIn = (text: string, known = specification) =>
    citationsIn(text).filter((number) => !known.has(anchorOf(number)));
  // Pages of site/ link to addresses of the site, which `npm run check -- site` follows.
  const pages = present.filter((path) => path.endsWith(".md") && !path.startsWith("site/"));

  /** The links of a page to a missing file or anchor. */
  const brokenLinks = (path: string, text = read(path)) =>
    relativeLinksIn(text).filter((link) => {
      const [file = "", anchor] = decodeURIComponent(link).split("#");
      const target = file === "" ? path : join(dirname(path), file).replace(/\/$/, "");
      const exists = (known: string) => known === target || known.startsWith(`${target}/`);
      if (target !== path && !present.some(exists)) return true;
      if (anchor === undefined || !target.endsWith(".md")) return false;
      return !anchorsIn(target === path ? text : read(target)).has(anchor);
    });

  it("cite only numbers in docs/specification.md", () => {
    const texts = present.filter((path) => !/\.(png|ico|woff2?)$/.test(path));
    expect(findings(texts, (text) => unknownIn(text))).toEqual([]);
  });

  it("the check finds a number without an anchor", () => {
    const text = ["4.1", "8.3", "9", "4.9", "8.3.1", "10"].map((number) => `${"§"}${number}, and more.`).join(" ");
    expect(unknownIn(text, new Set(["s4", "s4-1", "s8-3", "s9"]))).toEqual(["4.9", "8.3.1", "10"]);
  });

  it("link each citation in a page to the specification", () => {
    const readable = pages.filter((path) => /^(README|CONTRIBUTING|docs\/.*)\.md$/.test(path));
    const linking = readable.filter((path) => path !== "docs/specification.md");
    expect(findings(linking, unlinkedCitationsIn)).toEqual([]);
  });

  it("link only to existing files and anchors", () => {
    expect(pages.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`))).toEqual([]);
  });

  it.each(["gone.md", "../README.md#gone", "#gone", "gone/", "../../README.md"])(
    "the check finds the link %s",
    (link) => {
      const fine = "# One\n\n[1](assumptions.md) ![2](../README.md) [3](decisions/) [4](#one) `[5](gone)`";
      expect(brokenLinks("docs/page.md", `${fine} [6](${link})`)).toEqual([link]);
    },
  );
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

const command = "call-transfer-mock";

/** Without an install, npx downloads the package with the name of the command, which anyone may have published. */
const runsByCommandName =
  /\b(?:npx|bunx|(?:npm|pnpm|yarn|bun)\s+(?:exec|x|dlx))(?:\s+-[\w-]*)*\s+(?:call-transfer-|prism\b)/;

const { properties } = document.components.schemas.CreateDestinationGroupRequest;
const keywords = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"];

/** The limits of §8 by name. Numbers up to 2 are too common to check, and those from 400 on can be statuses. */
const contractLimits: readonly Limit[] = (() => {
  const found = Object.entries<unknown>(limits).map(([name, value]) => ({ name, value }));
  const walk = (node: unknown, name: string): void => {
    if (typeof node !== "object" || node === null) return;
    const owner = "name" in node && typeof node.name === "string" ? node.name : name;
    for (const [key, value] of Object.entries(node)) {
      if (keywords.includes(key)) found.push({ name: owner, value });
      else walk(value, /^(?:properties|items|schema|allOf|anyOf)$|^\d+$/.test(key) ? owner : key);
    }
  };
  walk(document.components.schemas, "");
  walk(document.paths, "");
  return found.filter(
    (limit): limit is Limit => typeof limit.value === "number" && limit.value > 2 && limit.value < 400,
  );
})();

const schemaFiles = present.filter((path) => path.startsWith("openapi/schemas/"));

/** `field.keyword` for each limit in a file, without aliases of a YAML anchor. */
function limitsTypedIn(path: string): string[] {
  const typed: string[] = [];
  visit(parseDocument(read(path), { merge: true }), {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isMap(value)) return;
      for (const keyword of keywords.slice(0, -1)) {
        const limit = value.items.find((item) => isScalar(item.key) && item.key.value === keyword);
        if (limit) typed.push(`${path} ${key.value}.${keyword}`);
      }
    },
  });
  return typed;
}

const isRepeated = (entry: string, index: number, all: string[]) => all.indexOf(entry) !== index;
