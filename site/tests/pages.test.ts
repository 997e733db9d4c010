import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { summaryOf, titleOf } from "../../build/markdown.ts";
import { allPages } from "../assemble.ts";
import { contents } from "../contents.ts";
import { frontPage } from "../front.ts";
import { linksForSite, picturesForSite } from "../links.ts";

const kindOf = (path: string) =>
  path === "docs/decisions" ? "index" : /^docs\/[a-z]+\./.test(path) ? "page" : path.includes(".") ? "file" : "folder";
const rewritten = (text: string) => linksForSite("docs/sdk.md", text, kindOf);
const repository = "https://github.com/call-transfer/call-transfer";

it("keeps links between pages, and their anchors", () => {
  const text = "[paging](paging.md#pages), [here](#errors), ![](images/a.png), [out](https://example.com/x)";
  expect(linksForSite("docs/sdk.md", text, () => "page")).toBe(text);
});

it("leads links to files and folders outside the docs to GitHub", () => {
  expect(rewritten("[a](../examples/query.ts), [`b`](../packages/sdk)")).toBe(
    `[a](${repository}/blob/main/examples/query.ts), [\`b\`](${repository}/tree/main/packages/sdk)`,
  );
});

it("leads a link to a folder of pages to its index", () => {
  expect(rewritten("[decisions](decisions/)")).toBe("[decisions](decisions/index.md)");
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

it("makes a picture of two themes one that the theme of the site chooses", () => {
  const text = `a

<picture>
  <source media="(prefers-color-scheme: dark)" srcset="images/x-dark.png">
  <img src="images/x-light.png" alt="A transfer">
</picture>
`;
  expect(picturesForSite(text)).toBe("a\n\n![A transfer](images/x-light.png)\n");
});

it("takes title and summary of a page from its text", () => {
  const page = { path: "a.md", text: "# Using `the` [SDK](x.md)\n\nThe *first*\nparagraph.\n\nThe second.\n" };
  expect([titleOf(page), summaryOf(page)]).toEqual(["Using the SDK", "The first paragraph."]);
  expect(summaryOf({ path: "a.md", text: "# Table\n\n| a |\n|---|\n" })).toBe("");
});

it("lists each page of docs/ in the sidebar once", async () => {
  const listed = contents.flatMap(({ pages }) => pages);
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

describe("the front page", () => {
  const files: Readonly<Record<string, string>> = {
    "examples/a.ts": "run();\n",
    "docs/why.md":
      "# Why\n\n## Before\n\n```text\n1\n```\n\n## Lost\n\nIt prints\n\n```text\nopenai 7\n  calls placed: 2\n  Lost.\n```\n\n## After\n",
  };
  const printed: Readonly<Record<string, string[]>> = {
    "examples/a.ts": ["done"],
    "examples/group-ringing.ts": ["00:00  ringing    Ann", "00:04  answered   Ann", "00:04  connected  Ann talks."],
  };
  const fill = async (text: string) =>
    (await frontPage(text, { read: (path) => files[path] ?? "", outputOf: async (path) => printed[path] ?? [] })).text;

  it("has programs and what they print", async () => {
    expect(await fill("<!-- examples/a.ts -->")).toBe("```ts\nrun();\n```");
    expect(await fill("<!-- output of examples/a.ts -->")).toBe("```text\ndone\n```");
  });

  it("draws on lines of time what a program prints", async () => {
    expect(await fill("<!-- timeline of examples/group-ringing.ts -->")).toContain("Ann answers after 4 s.");
    await expect(fill("<!-- timeline of examples/a.ts -->")).rejects.toThrow(
      "examples/a.ts has no time line in site/front.ts.",
    );
  });

  it("counts the calls of each client of an output, with the caveat", async () => {
    const chart = await fill("<!-- chart of docs/why.md, Lost -->");
    expect(chart).toContain('<th scope="row">openai 7</th>');
    expect(chart.split('class="call"').length - 1).toBe(2);
    expect(chart).toContain("<code>maxRetries: 0</code>");
    await expect(fill("<!-- chart of docs/why.md, After -->")).rejects.toThrow(
      'docs/why.md has no output below "After".',
    );
  });
});
