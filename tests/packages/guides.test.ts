import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { guidePages, type Manifest, packedPages } from "../../build/guides.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Pages about the project itself, which nobody needs in order to use a package. */
const ofTheProject = [
  "architecture",
  "compatibility",
  "contract-coverage",
  "performance",
  "playground",
  "releasing",
  "why",
];
/** Pages about the Python package, which npm does not install. */
const ofPython = ["python", "webhooks-python"];
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as Manifest & { private?: boolean };
const published = readdirSync(join(root, "packages")).filter((name) => !manifestOf(name).private);

it("each page of docs/ is a guide of a package or about the project", () => {
  const pages = globSync(["*.md", "start/*.md"], { cwd: join(root, "docs") }).map((path) => path.replace(/\.md$/, ""));
  expect([...guidePages(), ...ofTheProject, ...ofPython].sort()).toEqual(pages.sort());
});

describe.each(published)("the pages of the tarball of %s", (name) => {
  const manifest = { ...manifestOf(name), version: "7.8.9" };
  const pages = packedPages(root, name, manifest);

  it("say in llms.txt how to install its major, the traps, and what each guide is about", () => {
    const text = pages.get("llms.txt") ?? "";
    expect(text).toMatch(new RegExp(`^# ${manifest.name} 7\\.8\\.9\n\n> ${manifest.description}\\.`));
    expect(text).toContain(`${manifest.name}@7\n`);
    expect(text).toMatch(/\n## Traps\n\n- /);
    const listed = [...text.matchAll(/^- \[.+\]\((guides\/.+)\): .{40}/gm)].map(([, path]) => path);
    expect(listed).toEqual([...pages.keys()].filter((path) => path.startsWith("guides/")));
  });

  it("install the major of this version, wherever they install a package", () => {
    const commands = [...pages.values()].flatMap(
      (text) => text.match(/\b(?:npx|npm install|bun add|deno add) [^\n`]*/g) ?? [],
    );
    const installed = commands.flatMap((command) => command.match(/(?<!\/)@call-transfer\/[\w-]+\S*/g) ?? []);
    expect(installed.length).toBeGreaterThan(0);
    for (const one of installed) expect(one).toMatch(/^@call-transfer\/[\w-]+@\d+\b/);
  });
});
