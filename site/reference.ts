// The reference of the packages: a page for each class, interface and function, and one for each entry.
import type { Page } from "../build/markdown.ts";
import { convertPackages } from "./reference/convert.ts";
import { introduced, overview } from "./reference/overview.ts";
import { polish } from "./reference/polish.ts";

/**
 * The pages of all packages.
 *
 * @param root Folder of the repository.
 * @param hasPage Whether the rest of the site has a page.
 */
export async function referencePages(root: string, hasPage: (path: string) => boolean): Promise<Page[]> {
  const raw = (await convertPackages(root)).filter(({ path }) => path !== "index.md");
  return [overview(raw), ...raw.map((page) => introduced(polish(page, hasPage)))];
}
