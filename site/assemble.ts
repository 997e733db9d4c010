// Writes the pages of the site into site/.pages: the front page, those of docs/, and the generated ones.
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Page, titleOf } from "../build/markdown.ts";
import { apiPages } from "./api.ts";
import { errorPages } from "./errors.ts";
import { type Kind, linksForSite, withLanguageTabs } from "./links.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const target = join(root, "site/.pages");

const read = (path: string) => readFileSync(join(root, path), "utf8");
const isDirectory = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory();
const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile();
/** Folders whose index is generated, and those of generated pages. */
const hasIndex = (path: string) => /^docs\/(?:decisions|errors|reference)$/.test(path);
const isGenerated = (path: string) => /^docs\/(?:errors|reference)\//.test(path);

/** The place of the repository's path on the site. */
function kindOf(path: string): Kind {
  if (hasIndex(path)) return "index";
  if (isGenerated(path) || (path.startsWith("docs/") && isFile(path))) return "page";
  if (isDirectory(path)) return "folder";
  return isFile(path) ? "file" : "missing";
}

/** The pages of `docs/`, with links for the site. */
function docsPages(): Page[] {
  const paths = globSync("docs/**/*.md", { cwd: root }).sort();
  return paths.map((path) => ({
    path: path.slice("docs/".length),
    text: linksForSite(path, withLanguageTabs(read(path)), kindOf),
  }));
}

/** The list of decisions. */
function decisionsPage(pages: readonly Page[]): Page {
  const decisions = pages.filter(({ path }) => path.startsWith("decisions/"));
  const lines = decisions.map((page) => `- [${titleOf(page)}](${page.path.slice("decisions/".length)})`);
  const text = `# Decisions\n\nThe reasons for the design, half a page each.\n\n${lines.join("\n")}\n`;
  return { path: "decisions/index.md", text };
}

/** All pages of the site but the reference of the packages, which takes seconds to make. */
export async function allPages(): Promise<Page[]> {
  const pages = [...docsPages(), ...(await apiPages())];
  const front = { path: "index.md", text: linksForSite("docs/index.md", read("site/front.md"), kindOf) };
  return [front, ...pages, decisionsPage(pages), ...errorPages()];
}

/** The pages of the packages. They are made by packages of the site, which the tests of the other pages do without. */
type ReferencePages = (root: string, hasPage: (path: string) => boolean) => Promise<Page[]>;

/** Writes all pages, and returns them. */
export async function assemble(referencePages: ReferencePages): Promise<Page[]> {
  const others = await allPages();
  const paths = new Set(others.map(({ path }) => path));
  const pages = [...others, ...(await referencePages(root, (path) => paths.has(path)))];
  rmSync(target, { recursive: true, force: true });
  for (const { path, text } of pages) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  const titled = pages.filter(({ path }) => path !== "index.md");
  const titles = Object.fromEntries(titled.map((page) => [page.path.replace(/\.md$/, ""), titleOf(page)]));
  writeFileSync(join(target, "titles.json"), JSON.stringify(titles));
  for (const place of ["images", "public/images"])
    cpSync(join(root, "docs/images"), join(target, place), { recursive: true });
  cpSync(join(root, "packages/inspector/src/icon.svg"), join(target, "public/icon.svg"));
  return pages;
}
