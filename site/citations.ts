import { outsideCode } from "../build/markdown.ts";
import { anchorOf } from "../scripts/markdown.ts";

/**
 * The text with links from citations such as `§4.2` and `A-19` to the site's specification and assumptions. Replaces the
 * links of the OpenAPI document, which lead to the repository.
 *
 * @param toRoot The way from the page to the root of the site, such as `../../`.
 */
export const withCitations = (text: string, toRoot: string): string =>
  outsideCode(text, (prose) =>
    prose
      .replace(/\[(§[\d.]+|A-\d+)\]\(https:[^)]+\)/g, "$1")
      .replace(
        /(?<![[\w])§(\d+(?:\.\d+)*)/g,
        (cited, number) => `[${cited}](${toRoot}specification.md#${anchorOf(number)})`,
      )
      .replace(/(?<![[\w-])A-(\d+)\b/g, (cited, number) => `[${cited}](${toRoot}assumptions.md#a-${number})`),
  );
