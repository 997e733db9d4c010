import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { filesIn, linesOf, namesIn } from "./names.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const list = fileURLToPath(new URL("names.txt", import.meta.url));
const lines = existsSync(list) ? readFileSync(list, "utf8").split("\n") : [];
const recorded = new Map(
  lines.map((line) => {
    const [entry, name, ...use] = line.split(" ");
    return [`${entry} ${name}`, use.join(" ")];
  }),
);
const names = namesIn(filesIn(root), (entry, name) => recorded.get(`${entry} ${name}`));

describe("public names", () => {
  it("each have a use", () => {
    expect(names.length).toBeGreaterThan(100);
    const unused = names.filter(({ use }) => use === undefined).map(({ entry, name }) => `${entry} ${name}`);
    expect(unused, "Show the name on a page, or stop exporting it.").toEqual([]);
  });

  it("are those of names.txt; npm run record renews it", () =>
    expect(linesOf(names)).toMatchFileSnapshot("./names.txt"));
});

describe("the search for uses", () => {
  const report = `declare module "@call-transfer/a" {
  export { Options, Part, Stray, open };
};

declare interface Options {
  readonly part?: Part;
}
declare interface Part {
  readonly size: number;
}
declare interface Stray {
  readonly size: number;
}
declare const open: (options: Options) => void;
`;
  const files = (page: string) =>
    new Map([
      ["README.md", page],
      ["packages/a/api.d.ts", report],
      ["packages/b/src/unstable.ts", 'export { inner, type Kept } from "./inner.ts";'],
      ["lab/run.ts", 'import { type Kept } from "@call-transfer/b/unstable";'],
    ]);
  const usesOf = (page: string, before?: string) =>
    Object.fromEntries(namesIn(files(page), () => before).map(({ name, use }) => [name, use]));
  const page = '```ts\nimport { open } from "@call-transfer/a";\n```\nA Stray in words.';

  it("takes code of pages and declarations of other names, and no words", () =>
    expect(usesOf(page)).toMatchObject({
      open: "README.md",
      Options: "in open",
      Part: "in Options",
      Stray: undefined,
    }));

  it("takes no page that does not name the package", () =>
    expect(usesOf("```ts\nopen();\n```")).toMatchObject({ open: undefined }));

  it.each([
    ["a word of code that does not import it", '```ts\nimport { other } from "@call-transfer/a";\nopen();\n```'],
    ["an import from another entry", '```ts\nimport { open } from "@call-transfer/a/part";\n```'],
    ["a name of another entry", "`open` of `@call-transfer/a/part`"],
    ["a name within other code", "`file.open` of `@call-transfer/a`"],
  ])("takes no %s", (_, text) => expect(usesOf(text)).toMatchObject({ open: undefined }));

  it.each([
    ["an import on a line of its own", '```ts\nimport {\n  type Options,\n  open,\n} from "@call-transfer/a";\n```'],
    ["an import that runs later", '```js\nconst { open } = await import("@call-transfer/a");\n```'],
    ["a name in a sentence", "`@call-transfer/a` has `open(options)`."],
  ])("takes %s", (_, text) => expect(usesOf(text)).toMatchObject({ open: "README.md" }));

  it("takes imports of an unstable entry", () => expect(usesOf(page)).toMatchObject({ Kept: "lab", inner: undefined }));

  it("keeps a recorded use only while it holds", () => {
    expect(usesOf(page, "in open")).toMatchObject({ Options: "in open", open: "README.md" });
    expect(usesOf(page, "docs/gone.md")).toMatchObject({ open: "README.md" });
  });
});
