import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";
import { slugOf } from "../../tests/markdown.ts";
import { sidebar } from "../sidebar.ts";

const repository = "https://github.com/call-transfer/call-transfer";

export default defineConfig({
  title: "Call transfer",
  description:
    "A TypeScript SDK, mock server and reference backend of an API that places phone calls and transfers them",
  base: process.env.SITE_BASE ?? "/",
  srcDir: ".pages",
  outDir: "dist",
  cacheDir: "../.cache/site",
  cleanUrls: true,
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${process.env.SITE_BASE ?? "/"}icon.svg` }],
    ["meta", { name: "theme-color", content: "#0f766e" }],
  ],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    nav: [
      { text: "Guide", link: "/sdk", activeMatch: "^/(?!playground|specification|decisions)" },
      { text: "Specification", link: "/specification" },
    ],
    sidebar: sidebar(JSON.parse(readFileSync(new URL("../.pages/titles.json", import.meta.url), "utf8"))),
    outline: { level: [2, 3] },
    search: { provider: "local", options: { detailedView: true } },
    socialLinks: [{ icon: "github", link: repository, ariaLabel: "Source code on GitHub" }],
    externalLinkIcon: true,
    footer: { message: "MIT licensed" },
  },
});
