import { readFileSync } from "node:fs";
import { defaultClientConditions } from "vite";
import { defineConfig, type MarkdownOptions } from "vitepress";
import { viteLicences } from "../../build/licences.ts";
import { slugOf } from "../../scripts/markdown.ts";
import { playground, siteLicences } from "../playground/plugin.ts";
import { playgroundHash } from "../playground/programs.ts";
import { referenceSidebars, sidebar } from "../sidebar.ts";

const repository = "https://github.com/call-transfer/call-transfer";
const base = process.env.SITE_BASE ?? "/";
const titles: Record<string, string> = JSON.parse(
  readFileSync(new URL("../.pages/titles.json", import.meta.url), "utf8"),
);

/** Shows inline code as it is, since Vue would read `{{…}}` in it, and links programs that the playground offers to it. */
const markdownRules: NonNullable<MarkdownOptions["config"]> = ({ renderer: { rules } }) => {
  const { code_inline: inline, fence } = rules;
  rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet("v-pre", "");
    return inline?.(tokens, index, ...rest) ?? "";
  };
  rules.fence = (tokens, index, options, environment, self) => {
    const code = fence?.(tokens, index, options, environment, self) ?? "";
    // The path of a program stands in a comment above it.
    const [, path = ""] = /^<!-- (\S+) -->\s*$/.exec(tokens[index - 1]?.content ?? "") ?? [];
    const hash = playgroundHash(path);
    return hash === undefined ? code : `${code}<p><a href="${base}playground${hash}">Open in the playground</a></p>`;
  };
};

export default defineConfig({
  lang: "en",
  title: "Call transfer",
  description:
    "A TypeScript SDK, mock server and reference backend of an API that places phone calls and transfers them",
  base,
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: "../.cache/site",
  cleanUrls: true,
  // Addresses of the reader's own servers.
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }]],
  markdown: {
    // The anchors that GitHub gives, so that a link works in both places.
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config: markdownRules,
  },
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === "playground.md"
      ? { frontmatter: { ...frontmatter, sidebar: false, aside: false, pageClass: "playground-page" } }
      : undefined,
  vite: {
    plugins: [playground(), viteLicences(siteLicences)],
    resolve: { conditions: ["@call-transfer/source", ...defaultClientConditions] },
  },
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    nav: [
      { text: "Guide", link: "/start/call-the-api", activeMatch: "^/(?!playground|specification|reference|errors/)." },
      { text: "Playground", link: "/playground" },
      { text: "Error codes", link: "/errors/", activeMatch: "^/errors/" },
      { text: "API", link: "/reference/api/", activeMatch: "^/reference/(?:api|control)/" },
      { text: "Packages", link: "/reference/", activeMatch: "^/reference/(?!api|control)" },
      { text: "Specification", link: "/specification" },
    ],
    sidebar: { "/": sidebar(titles), ...referenceSidebars(titles) },
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      // A name such as not_found is one word: its parts would find others. It runs in the browser.
      options: { miniSearch: { options: { tokenize: (text) => text.split(/[\n\r\p{Z}]+|(?!_)\p{P}+/u) } } },
    },
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Source code on GitHub" }],
    externalLinkIcon: true,
    // The text of the link, which its label must contain.
    notFound: { linkLabel: "Take me home" },
    footer: {
      message: `MIT licensed. This site contains <a href="${base}THIRD-PARTY-LICENSES.txt" target="_self">code of others</a>.`,
    },
  },
});
