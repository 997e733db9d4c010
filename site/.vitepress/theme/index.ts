import { defineClientComponent, type Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { h } from "vue";
import "./style.css";

/** The playground, whose code is loaded by its page only. The build for the server leaves it out. */
const Playground = defineClientComponent(async () => {
  if (import.meta.env.SSR) return () => null;
  return (await import("../../playground/playground.ts")).Playground;
});

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Not the name of the page: Vue would take it for the page itself where the search shows an excerpt.
    app.component("PlaygroundPlace", { render: () => h("div", { class: "playground-place" }, h(Playground)) });
  },
} satisfies Theme;
