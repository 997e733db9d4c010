import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { filesOfRecipe, filesOfStart, recipeNames, starts, writeFolder } from "../starts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
mkdirSync(join(root, ".cache"), { recursive: true });
// In the workspace, so that a folder finds its packages.
const place = mkdtempSync(join(root, ".cache/starts-"));
afterAll(() => rmSync(place, { recursive: true }));

it("there is a folder for each page in docs/start, and docs/recipes.md names each recipe with a folder", () => {
  expect(starts.map((start) => `${start}.md`).sort()).toEqual(readdirSync(join(root, "docs/start")).sort());
  const page = read("docs/recipes.md");
  expect(recipeNames.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

it.each(starts)("the folder of %s has each file of its page, and installs what its commands install", (start) => {
  const page = read(`docs/start/${start}.md`);
  const { "package.json": manifest = "", ".gitignore": ignored, ...files } = filesOfStart(start);
  expect(ignored?.split("\n")).toEqual(expect.arrayContaining(["node_modules", ".env"]));
  const marks = [...page.matchAll(/^<!-- (?:file: |examples\/python\/start\/)(.+) -->$/gm)];
  expect(Object.keys(files)).toEqual(marks.map(([, name]) => name));
  const { dependencies, devDependencies } = JSON.parse(manifest);
  const installed = [...page.matchAll(/^npm install (?:--save-dev )?(.+)$/gm)];
  expect(Object.keys({ ...dependencies, ...devDependencies }).sort()).toEqual(
    installed.flatMap(([, names = ""]) => names.split(" ")).sort(),
  );
});

it.each(recipeNames)("the folder of %s has each file that its programs import", (name) => {
  const files = filesOfRecipe(name);
  const missing = Object.entries(files).flatMap(([path, text]) =>
    [...text.matchAll(/ from "(\.[^"]+)"/g)]
      .map(([, other = ""]) => posix.join(posix.dirname(path), other))
      .filter((other) => !["", ".ts", ".tsx"].some((ending) => `${other}${ending}` in files)),
  );
  expect(missing).toEqual([]);
});

it("the folder of call-the-api runs as it is and prints what the page shows", () => {
  const folder = join(place, "first-call");
  writeFolder(filesOfStart("call-the-api"), folder);
  const printed = execFileSync(process.execPath, ["--conditions=@call-transfer/source", "call.mjs"], { cwd: folder });
  expect(read("docs/start/call-the-api.md")).toContain(`\`\`\`text\n${printed}\`\`\``);
});

it("writes nothing into a folder that has one of the files", () => {
  const folder = join(place, "with-my-file");
  mkdirSync(folder);
  writeFileSync(join(folder, "call.py"), "mine");
  expect(() => writeFolder(filesOfStart("call-the-api"), folder)).toThrow(`${folder} already has call.py.`);
  expect(readdirSync(folder)).toEqual(["call.py"]);
});

it.each([[["call-the-api"]], [["call-the-api", "--help"]], [["unknown", "folder"]]])(
  "the command prints its usage for %j",
  (words) => {
    const program = ["--conditions=@call-transfer/source", join(root, "site/starts.ts"), ...words];
    const { status, stderr } = spawnSync(process.execPath, program, { cwd: place, encoding: "utf8" });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^Name a start or a recipe, and a new folder: /)]);
  },
);
