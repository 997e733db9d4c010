import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { entriesOf } from "../reference/entries.ts";
import { introduced, known, namesIn, overview } from "../reference/overview.ts";
import { polish } from "../reference/polish.ts";
import { referenceSidebars } from "../reference/sidebar.ts";
import { layOut } from "../reference/signature.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const hasPage = (path: string) => path !== "errors/conflict.md";
const polished = (text: string, path = "sdk/classes/Calls.md") =>
  polish({ path, text }, hasPage).text.replace(/^---[\s\S]*?---\n\n/, "");

describe("a page of one name", () => {
  it("has a title without type parameters, with its kind", () => {
    expect(polished('# ApiPromise\\<T\\> <Badge type="info" text="Class" />\n')).toBe(
      '# ApiPromise <Badge type="info" text="class" />\n',
    );
    expect(polished('# createCall() <Badge type="info" text="Function" />\n')).toContain("# createCall() <Badge");
  });

  it("stays out of the search, which finds the name in the page of all names", () => {
    expect(polish({ path: "sdk/classes/Calls.md", text: "# Calls\n" }, hasPage).text).toContain("search: false");
  });

  it("ends with one link to its source, without a line, which an edit elsewhere would change", () => {
    const text =
      "# A\n\nDefined in: packages/sdk/src/a.ts:12\n\nText.\n\nDefined in: packages/sdk/src/b.ts:3\n\nMore.\n";
    expect(polished(text)).toBe(
      "# A\n\nText.\n\nMore.\n\n[Source: packages/sdk/src/a.ts](https://github.com/call-transfer/call-transfer/blob/main/packages/sdk/src/a.ts){.source}\n",
    );
  });

  it("links citations and assumptions outside of code", () => {
    expect(polished("# A\n\nSee §4.2 and A-19, `§4.2`.\n", "sdk/index.md")).toBe(
      "# A\n\nSee [§4.2](../../specification.md#s4-2) and [A-19](../../assumptions.md#a-19), `§4.2`.\n",
    );
  });

  it("lists what a method throws, with links to the codes that have a page", () => {
    const text =
      "#### Throws\n\n400: `bad_request`,\n`invalid_json`, `conflict`\n\n#### Throws\n\n500: `internal_error`\n\n***\n\n### next()\n";
    expect(polished(text)).toBe(
      "#### Throws\n\n- 400: [`bad_request`](../../../errors/bad_request.md), [`invalid_json`](../../../errors/invalid_json.md), `conflict`\n" +
        "- 500: [`internal_error`](../../../errors/internal_error.md)\n\n***\n\n### next()\n",
    );
  });

  it("describes the literals of a union, several by one text", () => {
    const text =
      '#### Union Members\n\n`"a"`\n\nFirst.\n\n***\n\n`"b"`\n\n***\n\n##### Type Literal\n\nThird.\n\n### Next\n';
    expect(polished(text)).toBe('- `"a"`, `"b"`: First.\n\nThird.\n\n***\n\n### Next\n');
  });

  it("leaves out where a member comes from, empty columns, and protocols of the language", () => {
    const text =
      "#### Inherited from\n\n[`A`](A.md).`b`\n\n| Name | Type | Default value | Description |\n| --- | --- | --- | --- |\n" +
      "| `[hasInstance]` | x | - | - |\n| `a` | `1` | `1` | \\| `2` |\n| `b` | `3` | - | - |\n";
    expect(polished(text)).toBe(
      "| Name | Type | Description |\n| --- | --- | --- |\n| `a` | `1` | `2` |\n| `b` | `3` |  |\n",
    );
  });

  it("keeps a default that the type does not say", () => {
    const text = "| Name | Type | Default value |\n| --- | --- | --- |\n| `a` | `number` | `1` |\n";
    expect(polished(text)).toBe(text);
  });
});

describe("a signature", () => {
  it("stands on one line if it fits", () => {
    expect(layOut("list(\n   query?: Query, \n   options?: Options\n): Page<\n  | A\n| B>;")).toBe(
      "list(query?: Query, options?: Options): Page<A | B>;",
    );
  });

  it("has one parameter a line if it is long", () => {
    const long = "LongNameOfAType".repeat(3);
    expect(
      layOut(`function open<T extends { a: (b: 1) => 2 }>(first: ${long}, second: (a: 1, b: 2) => ${long}): void;`),
    ).toBe(
      `function open<T extends { a: (b: 1) => 2 }>(\n  first: ${long},\n  second: (a: 1, b: 2) => ${long},\n): void;`,
    );
  });

  it("has one part of a union a line if it is long", () => {
    const long = "LongNameOfAType".repeat(5);
    expect(layOut(`type A = \n  | "a"\n  | {\n  b: 1 | 2;\n  c: ${long};\n};`)).toBe(
      `type A =\n  | "a"\n  | { b: 1 | 2; c: ${long}; };`,
    );
  });

  it("stays as it is if nothing can be broken", () => {
    const long = `const a: ${"LongNameOfAType".repeat(7)};`;
    expect(layOut(long)).toBe(long);
  });
});

const entry = {
  path: "sdk/index.md",
  text:
    "# @call-transfer/sdk\n\n## Functions\n\n| Function | Description |\n| --- | --- |\n| [isApiError](functions/isApiError.md) | Whether. |\n\n" +
    "## Type Aliases\n\n### Role {#role}\n\n## References\n\n### Call {#call}\n\nRe-exports [Call](../spec/interfaces/Call.md)\n",
};

describe("the page of all names", () => {
  it("leads to each name that an entry declares", () => {
    expect(namesIn(entry)).toEqual([
      { name: "isApiError", entry: "sdk", target: "sdk/functions/isApiError.md" },
      { name: "Role", entry: "sdk", target: "sdk/index.md#role" },
    ]);
    const { text } = overview([entry]);
    expect(text).toContain("### I\n\n- [`isApiError`](sdk/functions/isApiError.md) `sdk`");
    expect(text).toContain("| [`@call-transfer/sdk`](sdk/index.md) |");
  });

  it("says what each entry of each package is for, with a page that exists", () => {
    const guides = entriesOf(root).map(({ name }) => `${root}docs/${known(name)[1]}.md`);
    expect(guides.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("refuses an entry that nothing is said about", () => {
    expect(() => introduced({ path: "reference/sdk/new/index.md", text: "# New\n" })).toThrow(
      "@call-transfer/sdk/new is for",
    );
  });
});

it("the page of an entry begins with what it is for, and lists what it takes from other packages", () => {
  const { text } = introduced(polish(entry, hasPage));
  expect(text).toContain(
    "# @call-transfer/sdk\n\nThe client: typed errors, safe retries and paging. See [the guide](../../sdk.md).",
  );
  expect(text).toContain(
    "## Also exported\n\n| Name | Package |\n| --- | --- |\n| [Call](../spec/interfaces/Call.md) | `@call-transfer/spec` |",
  );
});

it("each package has a sidebar with its entries, the main one first, and their names by kind", () => {
  const titles = {
    "reference/sdk/webhooks/index": "@call-transfer/sdk/webhooks",
    "reference/sdk/index": "@call-transfer/sdk",
    "reference/sdk/classes/Calls": "Calls",
    "reference/sdk/classes/AbortError": "AbortError",
  };
  const [all, main, webhooks] = referenceSidebars(titles)["/reference/sdk/"] ?? [];
  expect(all).toEqual({ text: "All packages", link: "/reference/" });
  const links = [
    { text: "AbortError", link: "/reference/sdk/classes/AbortError" },
    { text: "Calls", link: "/reference/sdk/classes/Calls" },
  ];
  expect(main).toEqual({
    text: "sdk",
    link: "/reference/sdk/",
    items: [{ text: "Classes", collapsed: true, items: links }],
  });
  expect(webhooks?.text).toBe("sdk/webhooks");
});
