// The system that style/tokens.css describes, as far as a test can hold it.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("../src/", import.meta.url));
const textsOf = (pattern: string) =>
  globSync(pattern, { cwd: folder }).map((file) => ({ file, text: readFileSync(folder + file, "utf8") }));
const styles = textsOf("style/*.css");
const screens = textsOf("**/*.tsx");

/** A declaration of a space, and its value. */
const space = /^\s*((?:padding|margin)(?:-[a-z-]+)?|(?:row-|column-)?gap): ([^;]+);/gm;
/** The parts of a value besides steps: words, no space, and factors within calc(). */
const permitted = /var\(--[a-z0-9-]+\)|calc|auto|\b0\b|-?\b\d(?:\.\d+)?(?= \*)|[()\s*+-]/g;

it("takes every space from the steps of tokens.css", () => {
  const found = styles.flatMap(({ file, text }) =>
    [...text.matchAll(space)].map(([, name, value = ""]) => ({ file, name, value })),
  );
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(({ value }) => value.replace(permitted, "") !== "")).toEqual([]);
});

it("has colors in tokens.css alone, except for shadows", () => {
  const colors = /#[0-9a-f]{3,8}\b|\brgb\(|\bhsl\(|light-dark\(/g;
  const others = styles.filter(({ file }) => !file.endsWith("tokens.css"));
  const found = others.flatMap(({ file, text }) =>
    text
      .split("\n")
      .filter((line) => colors.test(line) && !/box-shadow|backdrop|rgb\(0 0 0/.test(line))
      .map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});

it("has three ranks of buttons and the form for danger, and no other", () => {
  const ranks = [...styles, ...screens].flatMap(({ text }) =>
    [...text.matchAll(/\bbutton-(\w+)/g)].map(([, rank = ""]) => rank),
  );
  expect([...new Set(ranks)].toSorted()).toEqual(["danger", "plain", "primary", "secondary"]);
});

it("makes buttons in one place: others are tabs and the link to the content", () => {
  const classes = screens
    .filter(({ file }) => !file.endsWith("parts/controls.tsx"))
    .flatMap(({ text }) => [...text.matchAll(/<button\b[^>]*?class=(?:"|{`)([\w-]+)/g)].map(([, name]) => name));
  expect([...new Set(classes)].toSorted()).toEqual(["skip", "tab"]);
});
