import type { Theme } from "vitepress";
import DefaultTheme from "vitepress/theme";
import { Playground } from "./playground.ts";
import "./style.css";

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    // Not the name of the page: Vue would take it for the page itself where the search shows an excerpt.
    app.component("PlaygroundPlace", Playground);
  },
} satisfies Theme;
