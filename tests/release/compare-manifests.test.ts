import { describe, expect, it } from "vitest";
import { bumpOf, lineOf } from "../../scripts/release/change.ts";
import { compareManifests } from "../../scripts/release/compare/manifests.ts";

const manifest = {
  name: "@pack/sdk",
  version: "1.0.0",
  description: "A client",
  license: "MIT",
  type: "module",
  sideEffects: ["./dist/cli.js"],
  main: "./dist/index.cjs",
  exports: {
    ".": { import: { types: "./dist/index.d.ts", default: "./dist/index.js" }, require: "./dist/index.cjs" },
    "./extra": "./dist/extra.js",
  },
  bin: { pack: "./dist/cli.js" },
  files: ["dist", "src"],
  engines: { node: ">=20" },
  scripts: { build: "tsup" },
  dependencies: { hono: "^4.0.0", jose: "^6.0.0" },
  devDependencies: { zod: "4.0.0" },
  peerDependencies: { msw: "^2.7.0 || ^3.0.0", zod: "^4.0.0" },
  peerDependenciesMeta: { msw: { optional: true } },
};
type Manifest = Readonly<Record<string, unknown>>;

const entry = manifest.exports["."];
const { zod, msw } = manifest.peerDependencies;

const verdicts: readonly [bump: string, what: string, edit: Manifest, words: string][] = [
  ["major", "a newer engine", { engines: { node: ">=22" } }, "engines.node: >=20 is now >=22"],
  ["minor", "an older engine too", { engines: { node: ">=18" } }, "engines.node: >=20 is now >=18"],
  ["patch", "an engine written in another way", { engines: { node: ">=20.0.0" } }, "engines.node"],
  ["major", "a further engine", { engines: { node: ">=20", npm: ">=10" } }, "engines.npm: was added"],
  ["minor", "no engine", { engines: {} }, "engines.node: was removed"],
  ["major", "a removed entry", { exports: { ".": entry } }, 'exports "./extra": was removed'],
  ["minor", "an added entry", { exports: { ...manifest.exports, "./more": "./dist/more.js" } }, "was added"],
  [
    "major",
    "a removed condition",
    { exports: { ...manifest.exports, ".": { import: entry.import } } },
    "the condition require was removed",
  ],
  [
    "major",
    "a removed condition inside another",
    { exports: { ...manifest.exports, ".": { ...entry, import: { default: entry.import.default } } } },
    "the condition import > types was removed",
  ],
  [
    "minor",
    "an added condition",
    { exports: { ...manifest.exports, ".": { ...entry, browser: "./dist/browser.js" } } },
    "the condition browser was added",
  ],
  ["patch", "an entry's file that moved", { exports: { ...manifest.exports, "./extra": "./lib/extra.js" } }, "is now"],
  ["major", "another format", { exports: { ...manifest.exports, "./extra": "./dist/extra.cjs" } }, "extra.cjs"],
  ["major", "a removed command", { bin: {} }, "command pack: was removed"],
  ["minor", "an added command", { bin: { ...manifest.bin, tool: "./dist/tool.js" } }, "command tool: was added"],
  [
    "major",
    "a dependency that becomes a peer",
    { dependencies: { hono: "^4.0.0" }, peerDependencies: { zod, msw, jose: "^6.0.0" } },
    "dependency jose: is now a peer",
  ],
  ["major", "a peer", { peerDependencies: { zod, msw, ajv: "^8.0.0" } }, "peer ajv: was added"],
  [
    "minor",
    "an optional peer",
    {
      peerDependencies: { zod, msw, ajv: "^8.0.0" },
      peerDependenciesMeta: { msw: { optional: true }, ajv: { optional: true } },
    },
    "peer ajv: was added",
  ],
  ["minor", "a peer less", { peerDependencies: { msw } }, "peer zod: was removed"],
  [
    "major",
    "a narrower peer",
    { peerDependencies: { zod, msw: "^3.0.0" } },
    "peer msw: ^2.7.0 || ^3.0.0 is now ^3.0.0",
  ],
  ["minor", "a wider peer", { peerDependencies: { msw, zod: "^3.0.0 || ^4.0.0" } }, "peer zod"],
  ["major", "a peer no longer optional", { peerDependenciesMeta: {} }, "peer msw: is no longer optional"],
  [
    "minor",
    "a peer that becomes optional",
    { peerDependenciesMeta: { msw: { optional: true }, zod: { optional: true } } },
    "peer zod: is now optional",
  ],
  [
    "patch",
    "another range of a dependency",
    { dependencies: { hono: "^5.0.0", jose: "^6.0.0" } },
    "^4.0.0 is now ^5.0.0",
  ],
  ["patch", "a dependency less", { dependencies: { hono: "^4.0.0" } }, "dependency jose: was removed"],
  ["patch", "a dependency more", { dependencies: { ...manifest.dependencies, ajv: "^8.0.0" } }, "dependency ajv"],
  ["major", "another module system", { type: "commonjs" }, "type: module is now commonjs"],
  ["major", "another entry for older tools", { main: "./dist/other.cjs" }, "main: ./dist/index.cjs is now"],
  ["minor", "an entry more for older tools", { types: "./dist/index.d.cts" }, "types: none is now"],
  ["major", "a module that may be dropped now", { sideEffects: false }, "sideEffects"],
  ["patch", "a module that may no longer be dropped", { sideEffects: ["./dist/cli.js", "./dist/a.js"] }, "sideEffects"],
  ["patch", "other files", { files: ["dist"] }, "files src: was removed"],
  ["major", "another licence", { license: "ISC" }, "license: MIT is now ISC"],
  ["patch", "another description", { description: "The client" }, "description: was reworded"],
  ["major", "a key without a rule", { os: ["linux"] }, 'os: none is now ["linux"]'],
];

const compared = (edit: Manifest) =>
  compareManifests(JSON.stringify(manifest), JSON.stringify({ ...manifest, ...edit }));

describe("the least bump that an edit of a package.json may carry", () => {
  it.each(verdicts)("%s: %s", (bump, _, edit, words) => {
    const found = compared(edit);
    expect(found.map(lineOf).join("\n")).toContain(words);
    expect(bumpOf(found)).toBe(bump);
  });

  it.each<[string, Manifest]>([
    ["the version, which a release moves", { version: "1.1.0" }],
    ["what only the workspace uses", { scripts: {}, devDependencies: {} }],
  ])("finds no change for %s", (_, edit) => {
    expect(compared(edit)).toEqual([]);
  });

  it("finds no change if the last release recorded no package.json", () => {
    expect(compareManifests("", JSON.stringify(manifest))).toEqual([]);
  });
});
