// The system that style/tokens.css describes: what a test can hold of it.
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
/** What a value may consist of besides steps: words, no space, and factors within calc(). */
const permitted = /var\(--[a-z0-9-]+\)|calc|auto|\b0\b|-?\b\d(?:\.\d+)?(?= \*)|[()\s*+-]/g;

it("takes every space from the steps of tokens.css", () => {
  const found = styles.flatMap(({ file, text }) =>
    [...text.matchAll(space)].map(([, name, value = ""]) => ({ file, name, value })),
  );
  expect(found.length).toBeGreaterThan(200);
  expect(found.filter(({ value }) => value.replace(permitted, "") !== "")).toEqual([]);
});

it("has eight steps of space, each larger than the one before", () => {
  const tokens = styles.find(({ file }) => file.endsWith("tokens.css"))?.text ?? "";
  const steps = [...tokens.matchAll(/^\s*--space-(\d): (\d+)px;/gm)].map(([, step, px]) => [Number(step), Number(px)]);
  expect(steps.map(([step]) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const sizes = steps.map(([, px]) => px);
  expect(sizes).toEqual([...new Set(sizes)].toSorted((a = 0, b = 0) => a - b));
});

it("has the two ranks of buttons and the form for danger, and no other", () => {
  const ranks = [...styles, ...screens].flatMap(({ text }) =>
    [...text.matchAll(/\bbutton-(\w+)/g)].map(([, rank = ""]) => rank),
  );
  expect([...new Set(ranks)].toSorted()).toEqual(["danger", "primary", "secondary"]);
});

it("makes buttons in one place: others are rows, chips, and links of the frame", () => {
  const classes = screens
    .filter(({ file }) => !file.endsWith("parts/button.tsx"))
    .flatMap(({ text }) => [...text.matchAll(/<button\b[^>]*?class=(?:"|{`)([\w-]+)/g)].map(([, name]) => name));
  expect([...new Set(classes)].toSorted()).toEqual(["chip", "side-more", "skip"]);
});
