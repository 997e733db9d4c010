import { type Page, summaryOf, titleOf } from "../build/markdown.ts";
import { contents } from "./contents.ts";

const introduction = `# Call transfer

> A TypeScript SDK, mock server, reference backend and contract suite of an API that places phone calls and transfers them to
> people, phones and apps. The SDK retries safely and never dials a number twice by itself.

Each page of the site is also there as Markdown, under its address with \`.md\`.`;

/** The text of `llms.txt`: all pages with a link to their Markdown. Pages outside the sidebar are under "Optional", by folder. */
export function llmsText(pages: readonly Page[]): string {
  const byName = new Map(pages.map((page) => [page.path.replace(/\.md$/, ""), page]));
  const sections = contents.map(({ title, pages: names }) => {
    const listed = names.flatMap((name) => byName.get(name) ?? []);
    for (const name of names) byName.delete(name);
    return `## ${title}\n\n${listed.map(lineOf).join("\n")}`;
  });
  // The page of each entry of a package lists its names.
  const isOneName = ({ path }: Page) => /^reference\/.*\/(?:functions|classes|interfaces)\//.test(path);
  const rest = [...byName.values()].filter((page) => !isOneName(page)).map(lineOf);
  return `${[introduction, ...sections, `## Optional\n\n${rest.join("\n")}`].join("\n\n")}\n`;
}

function lineOf(page: Page): string {
  const summary = summaryOf(page);
  return `- [${titleOf(page)}](${page.path})${summary && `: ${summary}`}`;
}
