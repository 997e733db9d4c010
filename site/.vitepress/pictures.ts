import type { MarkdownOptions } from "vitepress";

/** Shows a picture `NAME-light.png` in the light theme only, and `NAME-dark.png` beside it in the dark one. */
export const inBothThemes: NonNullable<MarkdownOptions["config"]> = (markdown) => {
  const draw = markdown.renderer.rules.image;
  markdown.renderer.rules.image = (tokens, index, options, environment, self) => {
    const html = draw?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options);
    if (!html.includes("-light.png")) return html;
    const light = html.replace("<img ", '<img class="light-only" ');
    return light + light.replace("light-only", "dark-only").replace("-light.png", "-dark.png");
  };
};
