import { posix } from "node:path";
import { withLinks } from "../build/markdown.ts";

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

/** Pictures that follow the theme of the system, as pictures that follow the theme of the site. */
export const picturesForSite = (text: string): string =>
  text.replace(/<picture>(?:(?!<\/picture>)[\s\S])*<img src="([^"]+)" alt="([^"]*)">\s*<\/picture>/g, "![$2]($1)");
