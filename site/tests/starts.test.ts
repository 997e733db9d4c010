import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { filesOfStart, starts, writeFolder } from "../starts.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");
mkdirSync(join(root, ".cache"), { recursive: true });
// In the workspace, so that a folder finds its packages.
const place = mkdtempSync(join(root, ".cache/starts-"));
afterAll(() => rmSync(place, { recursive: true }));

it("has a folder for each page in docs/start", () => {
  expect(starts.map((start) => `${start}.md`).sort()).toEqual(readdirSync(join(root, "docs/start")).sort());
});

it.each(starts)("the folder of %s has each file of its page, and installs what its commands install", (start) => {
  const page = read(`docs/start/${start}.md`);
  const { "package.json": manifest = "", ".gitignore": ignored, ...files } = filesOfStart(start);
  expect(ignored?.split("\n")).toEqual(expect.arrayContaining(["node_modules", ".env"]));
  const marks = [...page.matchAll(/^<!-- (?:file: |examples\/python\/start\/)(.+) -->$/gm)];
  expect(Object.keys(files)).toEqual(marks.map(([, name]) => name));
  for (const text of Object.values(files)) expect(page).toContain(`\n${text}\`\`\`\n`);
  const { dependencies, devDependencies, engines } = JSON.parse(manifest);
  expect(page).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
  const installed = [...page.matchAll(/^npm install (?:--save-dev )?(.+)$/gm)];
  expect(Object.keys({ ...dependencies, ...devDependencies }).sort()).toEqual(
    installed.flatMap(([, names = ""]) => names.split(" ")).sort(),
  );
});

it("the folder of call-the-api runs as it is and prints what the page shows", () => {
  const folder = join(place, "first-call");
  const files = filesOfStart("call-the-api");
  expect(writeFolder(files, folder)).toContain("call.mjs");
  const printed = execFileSync(process.execPath, ["--conditions=@call-transfer/source", "call.mjs"], { cwd: folder });
  expect(read("docs/start/call-the-api.md")).toContain(`\`\`\`text\n${printed}\`\`\``);
});

it("writes nothing into a folder that has one of the files", () => {
  const folder = join(place, "with-my-file");
  mkdirSync(folder);
  writeFileSync(join(folder, "call.py"), "mine");
  expect(() => writeFolder(filesOfStart("call-the-api"), folder)).toThrow(
    `${folder} already has call.py. Name a new folder.`,
  );
  expect(readdirSync(folder)).toEqual(["call.py"]);
  expect(readFileSync(join(folder, "call.py"), "utf8")).toBe("mine");
});

const program = ["--conditions=@call-transfer/source", join(root, "site/starts.ts")];
const start = (...words: string[]) =>
  spawnSync(process.execPath, [...program, ...words], { cwd: place, encoding: "utf8" });

it.each([
  ["no folder", ["call-the-api"]],
  ["an empty name of a folder", ["call-the-api", ""]],
  ["an option", ["call-the-api", "--help"]],
  ["a folder in two words", ["call-the-api", "my", "folder"]],
])("the command prints its usage for %s", (_, words) => {
  const { status, stderr } = start(...words);
  expect(stderr).toMatch(/^Name a start or a recipe, and a new folder: /);
  expect(status).toBe(2);
});

it("the command says which folder it cannot write", () => {
  writeFileSync(join(place, "a-file"), "");
  const { status, stderr } = start("call-the-api", "a-file");
  expect(stderr).toMatch(/^a-file was not written: EEXIST[^\n]+\n$/);
  expect(status).toBe(1);
});
