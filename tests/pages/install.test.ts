import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, expect, it, onTestFinished } from "vitest";

const program = fileURLToPath(new URL("install.ts", import.meta.url));
/** An npm that logs where it runs, and installs the last package that it is told, unless that is called "missing". */
const npm = `#!/bin/sh
for name; do :; done
echo "$PWD" >> ../log
[ "$name" != missing ] || exit 3
mkdir -p "node_modules/$name"
echo "{ \\"version\\": \\"$NEWEST\\" }" > "node_modules/$name/package.json"
echo "{ \\"name\\": \\"mine\\", \\"dependencies\\": { \\"$name\\": \\"^$NEWEST\\" } }" > package.json
echo "{}" > package-lock.json
echo "added $name $NEWEST"
`;

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pages-install-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ["kept", "own", "node-a", "node-b", "npm"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "npm/npm"), npm);
  chmodSync(join(folder, "npm/npm"), 0o755);
});

interface Setting {
  readonly node?: string;
  readonly settings?: string;
  readonly manifest?: object;
}

/** Installs a package in a new folder, at a time when its newest version is given. */
function install(
  name: string,
  packageName: string,
  newest: string,
  { node = "node-a", settings, manifest }: Setting = {},
) {
  const cwd = join(folder, name);
  mkdirSync(cwd);
  if (manifest !== undefined) writeFileSync(join(cwd, "package.json"), JSON.stringify(manifest));
  const PATH = [...["own", node, "npm"].map((one) => join(folder, one)), process.env.PATH].join(":");
  const env = {
    ...process.env,
    PATH,
    INSTALLED: join(folder, "kept"),
    NEWEST: newest,
    npm_config_userconfig: settings,
  };
  const { status, stdout } = spawnSync(process.execPath, [program, "install", packageName], {
    cwd,
    env,
    encoding: "utf8",
  });
  const read = (path: string) => JSON.parse(readFileSync(join(cwd, path), "utf8")) as unknown;
  return { status, stdout, read };
}

const timesOfNpm = (): number => readFileSync(join(folder, "log"), "utf8").trim().split("\n").length;

it("copies what the first folder installed to others, and leaves the rest of their package.json", () => {
  install("one", "left-pad", "1.0.0");
  const two = install("two", "left-pad", "2.0.0", { manifest: { name: "two", type: "module" } });
  expect(two.stdout).toBe("added left-pad 1.0.0\n");
  expect(two.read("package.json")).toEqual({
    ...{ name: "two", type: "module" },
    dependencies: { "left-pad": "^1.0.0" },
  });
  expect(two.read("node_modules/left-pad/package.json")).toEqual({ version: "1.0.0" });
  expect(two.read("package-lock.json")).toEqual({});
  expect(timesOfNpm()).toBe(1);
});

it.each<[string, string, Setting]>([
  ["another package", "right-pad", {}],
  ["other packages before it", "left-pad", { manifest: { dependencies: { "right-pad": "1.0.0" } } }],
  ["another Node", "left-pad", { node: "node-b" }],
  ["settings of npm", "left-pad", { settings: "npmrc" }],
])("runs npm for %s", (_, packageName, setting) => {
  install("one", "left-pad", "1.0.0");
  expect(install("two", packageName, "2.0.0", setting).stdout).toBe(`added ${packageName} 2.0.0\n`);
  expect(timesOfNpm()).toBe(2);
});

it("fails as npm does, each time", () => {
  expect(install("one", "missing", "1.0.0").status).toBe(3);
  expect(install("two", "missing", "1.0.0").status).toBe(3);
  expect(timesOfNpm()).toBe(2);
});
