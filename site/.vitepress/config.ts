import { readFileSync } from "node:fs";
import { defaultClientConditions } from "vite";
import { defineConfig } from "vitepress";
import { viteLicences } from "../../build/licences.ts";
import { slugOf } from "../../scripts/markdown.ts";
import { licencesName, siteLicences } from "../licences.ts";
import { playground } from "../playground/plugin.ts";
import { referenceSidebars } from "../reference/sidebar.ts";
import { sidebar } from "../sidebar.ts";
import { asWritten } from "./inline-code.ts";
import { inBothLanguages, restoreLanguage } from "./languages.ts";
import { inBothThemes } from "./pictures.ts";
import { linkToPlayground } from "./playground-links.ts";
import { searchOptions } from "./search.ts";
import { staticPartsOnLines } from "./static-lines.ts";

const repository = "https://github.com/call-transfer/call-transfer";
const base = process.env.SITE_BASE ?? "/";
const titles: Record<string, string> = JSON.parse(
  readFileSync(new URL("../.pages/titles.json", import.meta.url), "utf8"),
);

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
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }],
    ["meta", { name: "theme-color", content: "#2253c3" }],
    ["script", {}, restoreLanguage],
  ],
  transformHead: ({ pageData: { relativePath, isNotFound } }) =>
    isNotFound || relativePath === "index.md"
      ? []
      : [["link", { rel: "alternate", type: "text/markdown", href: `${base}${relativePath}` }]],
  markdown: {
    // The anchors that GitHub gives, so that a link works in both places.
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(markdown) {
      asWritten(markdown);
      inBothThemes(markdown);
      inBothLanguages(markdown);
      linkToPlayground(base)(markdown);
    },
  },
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath === "playground.md"
      ? { frontmatter: { ...frontmatter, sidebar: false, aside: false, pageClass: "playground-page" } }
      : undefined,
  vite: {
    plugins: [staticPartsOnLines(), playground(), viteLicences(siteLicences)],
    resolve: { conditions: ["@call-transfer/source", ...defaultClientConditions] },
  },
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    nav: [
      {
        text: "Guide",
        link: "/start/call-the-api",
        activeMatch: "^/(?!playground|specification|reference|errors/|decisions).",
      },
      { text: "Playground", link: "/playground" },
      { text: "Error codes", link: "/errors/", activeMatch: "^/errors/" },
      { text: "API", link: "/reference/api/", activeMatch: "^/reference/(?:api|control)/" },
      { text: "Packages", link: "/reference/", activeMatch: "^/reference/(?!api|control)" },
      { text: "Specification", link: "/specification" },
    ],
    sidebar: { "/": sidebar(titles), ...referenceSidebars(titles) },
    outline: { level: [2, 3] },
    search: { provider: "local", options: searchOptions },
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Source code on GitHub" }],
    externalLinkIcon: true,
    footer: {
      message: `MIT licensed. This site contains <a href="${base}${licencesName}" target="_self">code of others</a>.`,
    },
  },
});
