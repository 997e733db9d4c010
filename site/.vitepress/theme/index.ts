import { type Theme, useData, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineComponent, h } from "vue";
import { ErrorFilter } from "./error-filter.ts";
import { LanguageSwitch } from "./language-switch.ts";
import { Playground } from "./playground.ts";
import { TryApi } from "./try-api.ts";
import "./base.css";
import "./layout.css";
import "./code.css";
import "./front.css";
import "./parts.css";
import "./reference.css";

/** Links to the Markdown of the page, for readers and programs that prefer it. */
const MarkdownLink = defineComponent(() => {
  const { page } = useData();
  return () =>
    h(
      "p",
      { class: "page-as-markdown" },
      h("a", { href: withBase(`/${page.value.relativePath}`), target: "_self" }, "This page as Markdown"),
    );
});

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("ErrorFilter", ErrorFilter);
    app.component("LanguageSwitch", LanguageSwitch);
    app.component("Playground", Playground);
    app.component("TryApi", TryApi);
  },
  Layout: () => h(DefaultTheme.Layout, null, { "doc-after": () => h(MarkdownLink) }),
} satisfies Theme;
