// Folders with packages of their own are installed while other checks import from them.
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ensureInstalled, temporaryFolder } from "../../scripts/packed.ts";
import { runWithinMs } from "../../scripts/turn.ts";

/** Packs a package into a folder, for npm to install without a network. Returns its place as a dependency. */
function packedIn(folder: string): string {
  const source = join(folder, "package");
  mkdirSync(source);
  writeFileSync(join(source, "package.json"), JSON.stringify({ name: "packed", version: "1.0.0" }));
  execFileSync("tar", ["-czf", "packed.tgz", "package"], { cwd: folder });
  return `file:${join(folder, "packed.tgz")}`;
}

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
  const manifest = { scripts: { postinstall: `node "${look}"` }, dependencies: { packed: packedIn(folder.path) } };
  writeFileSync(join(folder.path, "package.json"), JSON.stringify(manifest));
  ensureInstalled(folder.path);
  expect(readFileSync(seen, "utf8")).toBe("false");
  expect(JSON.parse(readFileSync(join(modules, "packed/package.json"), "utf8"))).toMatchObject({ name: "packed" });
  // It is there, so npm is not asked again.
  ensureInstalled(folder.path);
  expect(readFileSync(seen, "utf8")).toBe("false");
});

/** A folder with what an install leaves that was killed while it put the packages in their place. */
function killedIn(folder: string): { readonly turn: string; readonly modules: string } {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: { packed: packedIn(folder) } }));
  const turn = join(folder, ".cache", "installing");
  mkdirSync(join(turn, "old"), { recursive: true });
  return { turn, modules: join(folder, "node_modules") };
}

test("an install that was killed between its last steps is completed, and can be repeated", () => {
  using folder = temporaryFolder("installing");
  const { turn, modules } = killedIn(folder.path);
  mkdirSync(join(turn, "node_modules", "ready"), { recursive: true });
  writeFileSync(join(turn, "node_modules", ".package-lock.json"), "{}");
  ensureInstalled(folder.path);
  expect(readdirSync(modules)).toEqual([".package-lock.json", "ready"]);
  expect(readdirSync(join(folder.path, ".cache"))).toEqual([]);
  rmSync(modules, { recursive: true });
  ensureInstalled(folder.path);
  expect(readdirSync(modules)).toContain("packed");
});

test("an install that was killed while it removed the old packages can be repeated", () => {
  using folder = temporaryFolder("installing");
  const { turn, modules } = killedIn(folder.path);
  const long = new Date(Date.now() - 2 * runWithinMs);
  utimesSync(turn, long, long);
  ensureInstalled(folder.path);
  expect(readdirSync(modules)).toContain("packed");
});
