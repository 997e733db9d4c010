import { describe, expect, it } from "vitest";
import { withWorkspaceVersions } from "./lockfile.ts";
import { isAllowedLicence, lockfileProblems, looseVersions, shippedWith } from "./supply-chain.ts";

const integrity = "sha512-AAAA";

describe("a lockfile", () => {
  it("is sound when every package is known by its digest and says nothing of where it is", () => {
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
    ["an address", { integrity, resolved: "https://somewhere.example/pack.tgz" }, "names where it comes from"],
    ["a script that nobody decided on", { integrity, hasInstallScript: true }, "runs a script at install"],
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
  ])("is refused with %s", (_, entry, problem) => {
    expect(lockfileProblems({ "node_modules/a": entry }, {}).join()).toContain(problem);
  });

  it("follows the workspace's own versions, and nothing else, in a release", () => {
    const lockfile = {
      name: "workspace",
      packages: {
        "node_modules/hono": { version: "4.0.0" },
        "packages/sdk": { version: "0.1.0", license: "MIT", dependencies: { "@call-transfer/spec": "0.1.0" } },
      },
    };
    const described = JSON.stringify({
      version: "1.0.0",
      license: "ISC",
      dependencies: { "@call-transfer/spec": "1.0.0" },
    });
    expect(JSON.parse(withWorkspaceVersions(JSON.stringify(lockfile), () => described))).toEqual({
      name: "workspace",
      packages: {
        "node_modules/hono": { version: "4.0.0" },
        "packages/sdk": { version: "1.0.0", license: "MIT", dependencies: { "@call-transfer/spec": "1.0.0" } },
      },
    });
  });
});

describe("versions of our own dependencies", () => {
  it.each(["1.2.3", "1.2.3-rc.1", "npm:msw@2.9.0", "npm:@scope/pack@2.9.0"])("are exact as %s", (version) => {
    expect(looseVersions({ devDependencies: { pack: version } })).toEqual([]);
  });

  it.each(["^1.2.3", "~1.2.3", "*", "latest", "1.x", "git+https://host.example/pack.git", "npm:pack@^2"])(
    "are loose as %s",
    (version) => {
      expect(looseVersions({ dependencies: { pack: version } })).toHaveLength(1);
    },
  );

  it("may be ranges where customers bring the package themselves", () => {
    expect(looseVersions({ peerDependencies: { zod: "^4.0.0" } })).toEqual([]);
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

  it("is what runs, and what that needs, from the nearest place", () => {
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
    ["SEE LICENSE IN LICENSE.md", false],
    [undefined, false],
  ])("is under %s: %s", (licence, allowed) => {
    expect(isAllowedLicence(licence)).toBe(allowed);
  });
});
