import { describe, expect, it } from "vitest";
import { isAllowedLicence, lockfileProblems, looseVersions, shippedWith, untestedRanges } from "./supply-chain.ts";

const integrity = "sha512-AAAA";

describe("a lockfile", () => {
  it("passes when every package has a digest and no address", () => {
    const entries = {
      "": { name: "workspace" },
      "packages/sdk": { version: "1.0.0" },
      "node_modules/@call-transfer/sdk": { resolved: "packages/sdk", link: true },
      "node_modules/hono": { version: "4.0.0", integrity },
      "node_modules/esbuild": { version: "1.0.0", integrity, hasInstallScript: true },
      "node_modules/alias": { name: "esbuild", version: "1.0.0", integrity, hasInstallScript: true },
    };
    expect(lockfileProblems(entries, { esbuild: true })).toEqual([]);
  });

  it.each([
    ["a package without a digest", { version: "1.0.0" }, "has no sha512 integrity"],
    ["a weak digest", { version: "1.0.0", integrity: "sha1-AAAA" }, "has no sha512 integrity"],
    ["an address", { integrity, resolved: "https://somewhere.example/pack.tgz" }, "has an address"],
    ["an install script without a decision", { integrity, hasInstallScript: true }, "has an install script"],
    [
      "a dependency from git",
      { integrity, dependencies: { pack: "git+ssh://git@host.example/pack.git" } },
      "takes pack from git",
    ],
    [
      "a dependency from a repository",
      { integrity, dependencies: { pack: "someone/pack" } },
      "takes pack from someone",
    ],
  ])("fails for %s", (_, entry, problem) => {
    expect(lockfileProblems({ "node_modules/a": entry }, {}).join()).toContain(problem);
  });
});

it("our own dependencies have exact versions, and ranges only where customers install them", () => {
  for (const version of ["1.2.3", "1.2.3-rc.1", "npm:@scope/pack@2.9.0"])
    expect(looseVersions({ devDependencies: { pack: version } })).toEqual([]);
  for (const version of ["^1.2.3", "latest", "git+https://host.example/pack.git", "npm:pack@^2"])
    expect(looseVersions({ private: true, dependencies: { pack: version } })).toHaveLength(1);
  expect(looseVersions({ dependencies: { pack: "^1.2.3" }, peerDependencies: { zod: "^4.0.0" } })).toEqual([]);
});

describe("ranges that customers install", () => {
  const entries = {
    "node_modules/pack": { version: "1.2.3" },
    "packages/sdk/node_modules/pack": { version: "2.0.0" },
    "node_modules/@call-transfer/spec": { link: true, resolved: "packages/spec" },
    "packages/spec": { version: "1.4.2" },
  };

  it.each([
    ["pack", "^1.2.3", "packages/backend", ""],
    ["pack", "^2.0.0", "packages/sdk", ""],
    ["@call-transfer/spec", "~1.4.2", "packages/backend", ""],
    ["pack", "^1.2.0", "packages/backend", "Change it to ^1.2.3"],
    ["@call-transfer/spec", "^1.4.2", "packages/backend", "Change it to ~1.4.2"],
    ["absent", "^1.0.0", "packages/backend", "is not in the lockfile"],
  ])("%s %s in %s: %s", (name, range, folder, words) => {
    expect(untestedRanges({ dependencies: { [name]: range } }, folder, entries).join()).toMatch(
      words === "" ? /^$/ : words,
    );
  });
});

describe("what ships", () => {
  const entries = {
    "packages/sdk": {
      dependencies: { client: "1.0.0", "@call-transfer/spec": "1.0.0" },
      devDependencies: { tool: "1.0.0" },
    },
    "node_modules/@call-transfer/spec": { link: true },
    "node_modules/client": { dependencies: { helper: "^2.0.0" } },
    "node_modules/client/node_modules/helper": { version: "2.0.0" },
    "node_modules/helper": { version: "1.0.0" },
    "node_modules/tool": {},
  };

  it("is dependencies and their dependencies, each from the nearest folder", () => {
    expect(shippedWith(["packages/sdk"], entries)).toEqual([
      "node_modules/client",
      "node_modules/client/node_modules/helper",
    ]);
  });

  it.each([
    ["MIT", true],
    ["(MIT OR GPL-3.0)", true],
    ["MIT AND ISC", true],
    ["MIT AND GPL-3.0", false],
    ["(MIT OR Apache-2.0) AND GPL-3.0", false],
    ["(MIT OR GPL-3.0) AND (GPL-3.0 OR ISC)", true],
    ["MIT OR (GPL-3.0 AND ISC)", true],
    ["GPL-3.0", false],
    ["((MIT OR GPL-3.0) AND ISC) OR GPL-3.0", true],
    ["(MIT", false],
    ["SEE LICENSE IN LICENSE.md", false],
    [undefined, false],
  ])("is under %s: %s", (licence, allowed) => {
    expect(isAllowedLicence(licence)).toBe(allowed);
  });
});
