import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { allPages } from "../assemble.ts";
import { linksForSite, withCitations, withLanguageTabs } from "../links.ts";
import { contents, referenceSidebars } from "../sidebar.ts";

const kindOf = (path: string) =>
  path === "docs/decisions" ? "index" : /^docs\/[a-z]+\./.test(path) ? "page" : path.includes(".") ? "file" : "folder";
const rewritten = (text: string) => linksForSite("docs/sdk.md", text, kindOf);
const repository = "https://github.com/call-transfer/call-transfer";

it("keeps links between pages, and their anchors", () => {
  const text = "[paging](paging.md#pages), [here](#errors), ![](images/a.png), [out](https://example.com/x)";
  expect(linksForSite("docs/sdk.md", text, () => "page")).toBe(text);
});

it("leads links to files and folders outside the docs to GitHub, and those to a folder of pages to its index", () => {
  expect(rewritten("[decisions](decisions/)")).toBe("[decisions](decisions/index.md)");
  expect(rewritten("[a](../examples/query.ts), [`b`](../packages/sdk)")).toBe(
    `[a](${repository}/blob/main/examples/query.ts), [\`b\`](${repository}/tree/main/packages/sdk)`,
  );
});

it("leaves code as it is", () => {
  const code = "```md\n[a](../examples)\n```\n\nand `[b](../packages)`";
  expect(rewritten(code)).toBe(code);
});

it("refuses a link that leads nowhere", () => {
  expect(() => linksForSite("docs/sdk.md", "[gone](gone.md)", () => "missing")).toThrow(
    "docs/sdk.md links to gone.md, which does not exist.",
  );
});

it("links citations and assumptions outside of code", () => {
  expect(withCitations("See §4.2 and A-19, `§4.2`.", "../../")).toBe(
    "See [§4.2](../../specification.md#s4-2) and [A-19](../../assumptions.md#a-19), `§4.2`.",
  );
});

it("makes tabs of a program in TypeScript and the one in Python after it, and of nothing else", () => {
  const [one, other] = ["<!-- examples/a.ts -->\n\n```ts\nrun();\n```", "<!-- a.py -->\n\n```python\nrun()\n```"];
  const tabs = [one.replace("```ts", "```ts [TypeScript]"), other.replace("```python", "```python [Python]")];
  expect(withLanguageTabs(`A\n\n${one}\n\n${other}\n\nB\n`)).toBe(
    `A\n\n::: code-group\n\n${tabs.join("\n\n")}\n\n:::\n\nB\n`,
  );
  const [npm, pip] = ["```sh\nnpm install a\n```", "```sh\npip install a\n```"];
  expect(withLanguageTabs(`${npm}\n\n${pip}\n`)).toContain("```sh [Python]\npip install a\n```\n\n:::");
  for (const text of [`${one}\n\nIt prints\n\n${other}\n`, `${npm}\n\n${npm}\n`, `${pip}\n\n${npm}\n`])
    expect(withLanguageTabs(text)).toBe(text);
});

it("each package has a sidebar with its entries, the main one first, and their names by kind", () => {
  const titles = {
    "reference/sdk/webhooks/index": "@call-transfer/sdk/webhooks",
    "reference/sdk/index": "@call-transfer/sdk",
    "reference/sdk/classes/Calls": "Calls",
    "reference/sdk/classes/AbortError": "AbortError",
  };
  const links = ["AbortError", "Calls"].map((text) => ({ text, link: `/reference/sdk/classes/${text}` }));
  expect(referenceSidebars(titles)["/reference/sdk/"]).toEqual([
    { text: "All packages", link: "/reference/" },
    { text: "sdk", link: "/reference/sdk/", items: [{ text: "Classes", collapsed: true, items: links }] },
    { text: "sdk/webhooks", link: "/reference/sdk/webhooks/", items: [] },
  ]);
});

it("lists each page of docs/ in the sidebar once", async () => {
  const listed = Object.values(contents).flat();
  expect(listed).toEqual([...new Set(listed)]);
  const pages = (await allPages()).map(({ path }) => path.replace(/\.md$/, ""));
  // The build makes the reference of the packages, and finds links that lead nowhere.
  const expected = listed.filter((page) => !page.startsWith("reference/"));
  expect(expected.filter((page) => !pages.includes(page))).toEqual([]);
  const isOfMany = (page: string) => /^(?:decisions|errors|reference)\//.test(page);
  expect(pages.filter((page) => !listed.includes(page) && !isOfMany(page) && existsSync(`docs/${page}.md`))).toEqual(
    [],
  );
});
