import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withCompatibility } from "../../scripts/release/compatibility.ts";
import { inOrder } from "../../scripts/release/pack.ts";
import { checkSuite, packagesIn, surfacesOf } from "../../scripts/release/surface.ts";
import { notesOf, pythonVersion } from "../../scripts/release/versions.ts";

const options = {
  target: "es2022",
  module: "nodenext",
  moduleResolution: "nodenext",
  allowImportingTsExtensions: true,
  strict: true,
  noEmit: true,
  types: [],
};

const sources: Record<string, string> = {
  "packages/pack/package.json": JSON.stringify({
    name: "pack",
    version: "1.0.0",
    type: "module",
    exports: {
      ".": { "@call-transfer/source": "./src/index.ts", types: "./index.d.ts" },
      "./package.json": "./package.json",
    },
  }),
  "packages/pack/src/index.ts":
    'export { open as begin, type Options } from "./open.ts";\nexport * from "./table.gen.ts";\n',
  "packages/pack/src/open.ts": [
    'import type { Hidden } from "./hidden.ts";',
    "/** Where to. */",
    "export interface Options { readonly to: Hidden; }",
    "export interface Unreached { never: string; }",
    "export function open(options: Options) { return { at: options.to.at }; }",
  ].join("\n"),
  "packages/pack/src/hidden.ts": "export interface Hidden { at?: string; }\n",
  "packages/pack/src/table.gen.ts": "export const table = { one: 1 } as const;\n",
};

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "call-transfer-surface-"));
  for (const [path, text] of Object.entries(sources)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the surface of a package", () => {
  it("has the exports and every declaration they lead to, without comments, bodies and generated tables", async () => {
    expect(
      (await surfacesOf(packagesIn(join(folder, "packages")), folder, options)).get("pack"),
    ).toBe(`declare module "pack" {
  export { Options, open as begin, table };
}

declare interface Hidden {
  at?: string;
}

declare interface Options {
  readonly to: Hidden;
}

declare function open(options: Options): { at: string | undefined };
type table = unknown;
`);
  });
});

describe("an export that hides its names", () => {
  it.each([
    ["all of another package", 'export * from "elsewhere";', "export * from"],
    ["a default", "const one = 1;\nexport default one;", "export default"],
    ["a file that does not exist", 'export * from "./missing.ts";', "wrote no declarations"],
  ])("is refused: %s", async (_, text, words) => {
    const path = join(folder, "packages/pack/src/odd.ts");
    writeFileSync(path, `${text}\n`);
    const entries = new Map([[".", path]]);
    const odd = {
      name: "odd",
      version: "1.0.0",
      folder,
      isPrivate: false,
      isReleased: true,
      entries,
      sources: entries,
    };
    await expect(surfacesOf([odd], folder, options)).rejects.toThrow(words);
    rmSync(path);
  });
});

describe("the contract suite of the last release", () => {
  const begin = (options: string) => `import { begin } from "pack";\nbegin(${options});\n`;

  it("is reported with the line that no longer compiles, if the entry imports it", async () => {
    const suite = new Map([
      ["suite/index.ts", 'import "./good.ts";\nimport "./bad.ts";\n'],
      ["suite/good.ts", begin("{ to: {} }")],
      ["suite/bad.ts", begin("{ to: 1 }")],
      ["suite/unreached.ts", begin("{}")],
    ]);
    const found = await checkSuite(suite, packagesIn(join(folder, "packages")), folder, options);
    expect(found).toMatchObject([{ bump: "major", usedIn: ["suite/bad.ts:2"] }]);
    expect(found[0]?.message).toContain("no longer compiles: ");
  });
});

describe("release files", () => {
  it("come after their dependencies", () => {
    const needs: Record<string, string[]> = { mock: ["backend"], backend: ["spec"], spec: [], sdk: [] };
    const packages = Object.keys(needs).map((name) => ({ name }));
    expect(inOrder(packages, ({ name }) => needs[name] ?? []).map(({ name }) => name)).toEqual([
      "spec",
      "backend",
      "mock",
      "sdk",
    ]);
  });

  it("have the notes of their own version only", () => {
    const changelog = "# pack\n\n## 1.1.0\n\n### Minor Changes\n\n- A note.\n\n## 1.0.0\n\n- The first.\n";
    expect(notesOf(changelog, "1.1.0")).toBe("### Minor Changes\n\n- A note.");
    expect(notesOf(changelog, "1.0.0")).toBe("- The first.");
    expect(notesOf(changelog, "2.0.0")).toBe("");
  });
});

describe("versions", () => {
  it.each([
    ["1.2.3", "1.2.3"],
    ["2.0.0-next.1", "2.0.0.dev1"],
    ["2.0.0-alpha.0", "2.0.0a0"],
    ["2.0.0-rc.12", "2.0.0rc12"],
  ])("%s is %s in Python", (version, expected) => {
    expect(pythonVersion(version)).toBe(expected);
  });

  it.each(["2.0.0-canary.0", "2.0.0-next"])("has no form in Python: %s", (version) => {
    expect(() => pythonVersion(version)).toThrow(`${version} has no form in Python.`);
  });

  it("stand in a table with a row for each version of the contract, the newest first", () => {
    const release = (spec: string, sdk: string) => ({
      versions: { "@call-transfer/spec": spec, "@call-transfer/sdk": sdk },
      packages: "",
    });
    const page = "<!-- versions, written by `npm run release -- version` -->\n<!-- end of versions -->";
    const text = withCompatibility(page, [
      release("1.0.0", "1.0.0"),
      release("1.0.0", "1.0.1"),
      release("1.1.0", "1.1.0"),
    ]);
    const rows = text
      .split("\n")
      .flatMap((line) => (/^\| \d/.test(line) ? [line.split(" | ").slice(0, 2).join(" | ")] : []));
    expect(rows).toEqual(["| 1.1.0 | 1.1.0", "| 1.0.0 | 1.0.0 to 1.0.1"]);
  });
});
