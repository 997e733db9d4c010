import type { MarkdownOptions } from "vitepress";
import { playgroundHash } from "../playground/programs.ts";

/** Adds a link to the playground under each program that it offers. The path of a program stands in a comment above it. */
export const linkToPlayground =
  (base: string): NonNullable<MarkdownOptions["config"]> =>
  (markdown) => {
    const { fence } = markdown.renderer.rules;
    markdown.renderer.rules.fence = (tokens, index, options, environment, self) => {
      const code = fence?.(tokens, index, options, environment, self) ?? self.renderToken(tokens, index, options);
      const [, path = ""] = /^<!-- (\S+) -->\s*$/.exec(tokens[index - 1]?.content ?? "") ?? [];
      const hash = playgroundHash(path);
      if (hash === undefined) return code;
      return `${code}<p class="open-in-playground"><a href="${base}playground${hash}">Open in the playground</a></p>`;
    };
  };
