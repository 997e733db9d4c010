import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Manifest } from "../../build/guides.ts";
import { anchorsIn, relativeLinksIn } from "../../scripts/markdown.ts";

/**
 * Follows every link in the pages of a package: those to its own files, and those to the repository, which must name the tag
 * of its version. Returns the broken ones.
 *
 * @param root The repository, as it is at that tag.
 * @param folder The unpacked package.
 */
export function brokenLinks(root: string, folder: string, { name, version, repository }: Manifest): string[] {
  const address = repository.url.replace(/^git\+|\.git$/g, "");
  const leadsTo = (file: string, anchor: string): boolean =>
    existsSync(file) && (anchor === "" || !file.endsWith(".md") || anchorsIn(readFileSync(file, "utf8")).has(anchor));
  const byTag = (link: string): boolean => {
    const [, tag, path = "", anchor = ""] = /^(?:blob|tree|raw)\/((?:@[^/]+\/)?[^/]+)\/([^#]*)#?(.*)$/.exec(link) ?? [];
    return tag === `${name}@${version}` && leadsTo(join(root, path), anchor);
  };
  return globSync(["*.md", "llms.txt", "guides/*.md"], { cwd: folder }).flatMap((page) => {
    const text = readFileSync(join(folder, page), "utf8");
    const absolute = [...text.matchAll(/https:\/\/[^\s()<>"\]]+/g)].map(([link]) => link);
    const inRepository = absolute
      .filter((link) => link.startsWith(`${address}/`))
      .map((link) => link.slice(address.length + 1))
      .filter((link) => /^(?:blob|tree|raw)\//.test(link));
    const relative = relativeLinksIn(text).filter((link) => {
      const [, path = "", anchor = ""] = /^([^#]*)#?(.*)$/.exec(link) ?? [];
      return !leadsTo(path === "" ? join(folder, page) : join(folder, dirname(page), path), anchor);
    });
    return [...relative, ...inRepository.filter((link) => !byTag(link))].map((link) => `${page}: ${link}`);
  });
}
