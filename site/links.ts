import { posix } from "node:path";
import { outsideCode, withLinks } from "../build/markdown.ts";
import { anchorOf } from "../scripts/markdown.ts";

const repository = "https://github.com/call-transfer/call-transfer";

/** How the site shows a place of the repository: as a page or image, as the `index` of a folder, or on GitHub. */
export type Kind = "page" | "index" | "file" | "folder" | "missing";

/**
 * A page of `docs/` for the site. Links to other pages and to images stay, links to the rest of the repository lead to
 * GitHub. Code is not touched.
 *
 * @param path The path of the page in the repository, such as `docs/sdk.md`.
 * @param kindOf Looks a path of the repository up.
 * @throws Error if a link leads nowhere.
 */
export function linksForSite(path: string, text: string, kindOf: (path: string) => Kind): string {
  const rewrite = (target: string): string => {
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(target)) return target;
    const [, name = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(target) ?? [];
    const place = posix.join(posix.dirname(path), name).replace(/\/$/, "");
    const kind = kindOf(place);
    if (kind === "missing") throw new Error(`${path} links to ${target}, which does not exist.`);
    if (kind === "page") return target;
    if (kind === "index") return `${name.replace(/\/$/, "")}/index.md${anchor}`;
    return `${repository}/${kind === "folder" ? "tree" : "blob"}/main/${place}${anchor}`;
  };
  return withLinks(text, rewrite);
}

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

/** A block of code with its comment, whose first line begins so. */
const block = (start: string) => `(?:<!-- [^\\n]+ -->\\n+)?\`\`\`(?:${start})(?:(?!\`\`\`).*\\n)*\`\`\`$`;
const inTypeScript = block("(?:ts|js)\\n|sh\\n(?=(?:npm|npx|pnpm|yarn) )");
const inPython = block("python\\n|sh\\n(?=(?:pip|uv|pytest|python3?) )");
const pair = new RegExp(`^(${inTypeScript})\\n\\n(${inPython})`, "gm");
const labelled = (text: string, label: string) => text.replace(/^```\w+$/m, `$& [${label}]`);

/** A block in TypeScript and one in Python right after it become tabs. Elsewhere, Markdown shows both, one below the other. */
export const withLanguageTabs = (text: string): string =>
  text.replace(
    pair,
    (_, one: string, other: string) =>
      `::: code-group\n\n${labelled(one, "TypeScript")}\n\n${labelled(other, "Python")}\n\n:::`,
  );
