import { type Theme, useData, useRoute, withBase } from "vitepress";
import DefaultTheme from "vitepress/theme-without-fonts";
import { defineComponent, h, nextTick, onMounted, watch } from "vue";
import { ErrorFilter } from "./error-filter.ts";
import { LanguageSwitch } from "./language-switch.ts";
import { Playground } from "./playground.ts";
import { TryApi } from "./try-api.ts";
import "./base.css";
import "./layout.css";
import "./code.css";
import "./front.css";
import "./parts.css";
import "./timeline.css";
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

/** Scrolls the sidebar, and nothing else, to the page that is shown. */
function showPlace(): void {
  const sidebar = document.querySelector(".VPSidebar");
  const active = sidebar?.querySelector(".VPSidebarItem.is-active:not(.is-active .is-active) > .item");
  if (!sidebar || !active) return;
  const [around, own] = [sidebar.getBoundingClientRect(), active.getBoundingClientRect()];
  // The top of the sidebar is below the name of the site.
  const isShown = own.top > around.top + 96 && own.bottom < around.bottom - 32;
  if (!isShown) sidebar.scrollTop += own.top - around.top - around.height / 3;
}

const Layout = defineComponent(() => {
  const route = useRoute();
  // A part of the sidebar opens after the page is shown.
  const later = () => nextTick(() => requestAnimationFrame(showPlace));
  onMounted(later);
  watch(() => route.path, later);
  return () => h(DefaultTheme.Layout, null, { "doc-after": () => h(MarkdownLink) });
});

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component("ErrorFilter", ErrorFilter);
    app.component("LanguageSwitch", LanguageSwitch);
    // Not the name of the page: Vue would take it for the page itself where the search shows an excerpt.
    app.component("PlaygroundPlace", Playground);
    app.component("TryApi", TryApi);
  },
  Layout,
} satisfies Theme;
