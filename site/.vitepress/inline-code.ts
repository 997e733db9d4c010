import type { MarkdownOptions } from "vitepress";

/** Shows inline code as it is: Vue would read `{{…}}` in it as an expression of its own. */
export const asWritten: NonNullable<MarkdownOptions["config"]> = (markdown) => {
  const { rules } = markdown.renderer;
  const write = rules.code_inline;
  rules.code_inline = (tokens, index, ...rest) => {
    tokens[index]?.attrSet("v-pre", "");
    return write?.(tokens, index, ...rest) ?? "";
  };
};
