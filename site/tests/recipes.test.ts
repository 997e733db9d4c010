import { readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { filesOfRecipe, recipeNames } from "../recipes.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");

it("docs/recipes.md names each recipe with a folder", () => {
  const page = read("docs/recipes.md");
  expect(recipeNames.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
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

it("a folder requires the Node that the page names", () => {
  const { engines } = JSON.parse(filesOfRecipe("express")["package.json"] ?? "");
  expect(read("docs/recipes.md")).toContain(`Node ${engines.node.replace(">=", "")} or newer`);
});

it("a folder of the Worker has no second place for its variables", () => {
  const { ".env": variables, "wrangler.jsonc": settings } = filesOfRecipe("worker");
  expect(variables).toBeUndefined();
  const [line = ""] = /^export (FLOW_ID=.*)$/m.exec(read("docs/recipes.md"))?.slice(1) ?? [];
  for (const pair of line.split(" ")) expect(settings).toContain(`"${pair.replace("=", '": "')}"`);
});
