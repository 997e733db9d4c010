// Folders with packages of their own are installed while other checks import from them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureInstalled, temporaryFolder } from "../../scripts/packed.ts";

const yamlVersion: string = JSON.parse(
  readFileSync(new URL("../../node_modules/yaml/package.json", import.meta.url), "utf8"),
).version;

test("the packages of a folder appear all at once, when npm has ended", () => {
  using folder = temporaryFolder("installing");
  const modules = join(folder.path, "node_modules");
  const seen = join(folder.path, "seen.txt");
  // npm runs this when every package is in its place.
  const look = join(folder.path, "look.cjs");
  const [file, packages] = [seen, modules].map((path) => JSON.stringify(path));
  writeFileSync(
    look,
    `const fs = require("node:fs");\nfs.appendFileSync(${file}, String(fs.existsSync(${packages})));\n`,
  );
  const manifest = { scripts: { postinstall: `node "${look}"` }, dependencies: { yaml: yamlVersion } };
  writeFileSync(join(folder.path, "package.json"), JSON.stringify(manifest));
  ensureInstalled(folder.path);
  expect(readFileSync(seen, "utf8")).toBe("false");
  expect(JSON.parse(readFileSync(join(modules, "yaml/package.json"), "utf8"))).toMatchObject({ name: "yaml" });
  // It is there, so npm is not asked again.
  ensureInstalled(folder.path);
  expect(readFileSync(seen, "utf8")).toBe("false");
});

test("a folder whose install was killed between its last steps gets the packages that were ready", () => {
  using folder = temporaryFolder("installing");
  writeFileSync(join(folder.path, "package.json"), "{}");
  const turn = join(folder.path, ".cache", "installing");
  mkdirSync(join(turn, "old"), { recursive: true });
  mkdirSync(join(turn, "node_modules", "yaml"), { recursive: true });
  writeFileSync(join(turn, "node_modules", ".package-lock.json"), "{}");
  ensureInstalled(folder.path);
  expect(readdirSync(join(folder.path, "node_modules"))).toEqual([".package-lock.json", "yaml"]);
});
