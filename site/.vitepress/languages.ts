import type { MarkdownOptions } from "vitepress";

/** The languages of the two clients, in the order in which pages show their code. */
export const languages = { typescript: "TypeScript", python: "Python" } as const;
/** The languages of the reference. */
export const referenceLanguages = { curl: "curl", ...languages } as const;
export type Language = keyof typeof referenceLanguages;

/** Where a browser keeps the choice. */
export const storedAs = "code-language";

/** Runs in the head of each page, so that no code is drawn in the other language first. */
export const restoreLanguage = `
  try { var chosen = localStorage.getItem("${storedAs}") } catch {}
  document.documentElement.dataset.codeLanguage = chosen === "python" || chosen === "curl" ? chosen : "typescript"`;

const commands: readonly [RegExp, Language][] = [
  [/^(?:npm|npx|pnpm|yarn) /, "typescript"],
  [/^(?:pip|uv|pytest|python3?) /, "python"],
  [/^curl /, "curl"],
];

/** The language of a block of code, by its marking or, of commands, by the first one. Undefined for other blocks. */
export function languageOf(marking: string, code: string): Language | undefined {
  const [name] = marking.trim().split(/\s/);
  if (name === "ts" || name === "js") return "typescript";
  if (name === "python") return "python";
  return name === "sh" ? commands.find(([start]) => start.test(code))?.[1] : undefined;
}

/**
 * Makes a TypeScript block and the Python block after it one, with a switch above. Nothing but a comment may stand between
 * them. A curl command before them, as in the reference, is the third language; then the program's output may stand between,
 * too. Markdown elsewhere shows all, one under the other.
 */
export const inBothLanguages: NonNullable<MarkdownOptions["config"]> = (markdown) => {
  markdown.core.ruler.push("languages", ({ tokens, Token }) => {
    const html = (content: string) => Object.assign(new Token("html_block", "", 0), { content, block: true });
    const isComment = (at: number) => tokens[at]?.type === "html_block" && tokens[at].content.startsWith("<!--");
    const languageAt = (at: number) =>
      tokens[at]?.type === "fence" ? languageOf(tokens[at].info, tokens[at].content) : undefined;
    const isOutput = (at: number) => tokens[at]?.type === "fence" && tokens[at].info === "text";
    // From the end, so that what is inserted moves nothing that is still to be looked at.
    for (let second = tokens.length - 1; second > 0; second--) {
      if (languageAt(second) !== "python") continue;
      const between = isComment(second - 1) ? second - 1 : second;
      const first = isOutput(between - 1) && languageAt(between - 3) === "curl" ? between - 2 : between - 1;
      if (languageAt(first) !== "typescript") continue;
      const start = isComment(first - 1) ? first - 1 : first;
      const curl = languageAt(start - 1) === "curl" ? start - 1 : undefined;
      tokens.splice(second + 1, 0, html("</div></div>\n"));
      tokens.splice(between, 0, html('</div><div class="in-language in-python">\n'));
      const typescript = '<div class="in-language in-typescript">\n';
      if (curl === undefined) {
        tokens.splice(start, 0, html(`<div class="in-languages"><LanguageSwitch />${typescript}`));
        continue;
      }
      tokens.splice(start, 0, html(`</div>${typescript}`));
      const opening = '<div class="in-languages with-curl"><LanguageSwitch curl /><div class="in-language in-curl">\n';
      tokens.splice(curl, 0, html(opening));
    }
  });
};
