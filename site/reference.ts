// The reference of the packages: TypeDoc turns their doc comments into a page for each class, interface and function, and one for
// each entry. What TypeDoc cannot know is added: citations, error codes, and the page of all names.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application, OptionDefaults, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import ts from "typescript";
import type { Page } from "../build/markdown.ts";
import { withCitations } from "./links.ts";
import { packages } from "./sidebar.ts";

const pages: Partial<PluginOptions> = {
  entryFileName: "index",
  hideBreadcrumbs: true,
  hidePageHeader: true,
  useCodeBlocks: true,
  useCustomAnchors: true,
  expandParameters: true,
  membersWithOwnFile: ["Class", "Interface", "Function"],
  typeDeclarationVisibility: "compact",
  indexFormat: "table",
  parametersFormat: "table",
  propertyMembersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  tableColumnSettings: { hideModifiers: true, hideInherited: true, hideOverrides: true, hideSources: true },
  pageTitleTemplates: { module: "@call-transfer/{name}", member: '{name} <Badge type="info" text="{kind}" />' },
};

const conversion: TypeDocOptions = {
  plugin: ["typedoc-plugin-markdown"],
  name: "Packages",
  readme: "none",
  entryPoints: [],
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  excludePrivateClassFields: true,
  blockTags: [...OptionDefaults.blockTags, "@description"],
  sort: ["source-order"],
  groupOrder: ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables", "*"],
  validation: { notExported: true, invalidLink: true, notDocumented: false },
};

/** An entry of a package: its name without the scope, such as `sdk/webhooks`, and the absolute path of its source. */
interface Entry {
  readonly name: string;
  readonly file: string;
}

/** The entries of all packages with types that a release promises, in the order of the packages. */
function entriesOf(root: string): Entry[] {
  return packages.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    return Object.entries<Record<string, string>>(exports).flatMap(([subpath, conditions]) => {
      const source = conditions["@call-transfer/source"];
      return source && Object.keys(conditions).length > 1 && subpath !== "./unstable"
        ? [{ name: name + subpath.slice(1), file: join(root, "packages", name, source) }]
        : [];
    });
  });
}

/** TypeDoc's pages. Throws if TypeDoc warns, e.g. about a link to a name that does not exist. */
async function convert(root: string, entries: readonly Entry[]): Promise<Page[]> {
  const out = mkdtempSync(join(tmpdir(), "call-transfer-reference-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      ...conversion,
      ...pages,
      basePath: root,
      out,
    } as TypeDocOptions);
    const { compilerOptions } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile).config;
    const { options } = ts.convertCompilerOptionsFromJson({ ...compilerOptions, types: ["node"] }, root);
    const files = entries.map(({ file }) => file);
    app.options.setCompilerOptions(files, options, []);
    const program = ts.createProgram(files, options);
    const project = app.converter.convert(
      entries.map(({ name, file }) => {
        const sourceFile = program.getSourceFile(file);
        if (!sourceFile) throw new Error(`${file} does not exist. It is an entry of its package.json.`);
        return { displayName: name, program, sourceFile };
      }),
    );
    app.validate(project);
    await app.generateOutputs(project);
    if (app.logger.warningCount + app.logger.errorCount > 0)
      throw new Error("TypeDoc found problems in doc comments. They are listed above.");
    const paths = globSync("**/*.md", { cwd: out }).sort();
    return paths.map((path) => ({ path, text: readFileSync(join(out, path), "utf8") }));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The pages of error codes as links, where a method says which it throws: "409: `conflict`". */
const withErrorCodes = (text: string, pageOf: (code: string) => string | undefined): string =>
  text.replace(/^\d{3}: `.*$(?:\n.+)*/gm, (list) =>
    list.replace(/`(\w+)`/g, (code, name) => (pageOf(name) ? `[${code}](${pageOf(name)})` : code)),
  );

/** A page of TypeDoc as a page of the site. The page of all names stands for it in the search. */
function sitePage({ path, text }: Page, hasPage: (path: string) => boolean): Page {
  const toRoot = "../".repeat(path.split("/").length);
  const pageOf = (code: string) => (hasPage(`errors/${code}.md`) ? `${toRoot}errors/${code}.md` : undefined);
  const front = "---\nsearch: false\noutline: [2, 3]\n---\n\n";
  // The sidebar shows the title, so it has no type parameters.
  const titled = text.replace(/^(# [\w@/-]+)\\<.*?(?=\(\)| <Badge|$)/m, "$1");
  return { path: `reference/${path}`, text: front + withCitations(withErrorCodes(titled, pageOf), toRoot) };
}

/** The names that an entry declares, as lines of a list. Those that it takes from another package are listed there. */
function namesIn({ path, text }: Page): string[] {
  const entry = path.replace(/\/index\.md$/, "");
  const own = text.split(/^## References$/m)[0] ?? "";
  const linked = [...own.matchAll(/^\| \[(\w+)\]\(([^)]+)\) \|/gm)];
  const inPage = [...own.matchAll(/^### (\w+)(?:\(\))? \{#([\w-]+)\}$/gm)];
  return [
    ...linked.map(([, name = "", target = ""]) => `- [\`${name}\`](${entry}/${target}) \`${entry}\``),
    ...inPage.map(([, name = "", anchor]) => `- [\`${name}\`](${path}#${anchor}) \`${entry}\``),
  ];
}

/** The page of all entries and all names. The search finds names there. */
function overview(raw: readonly Page[], entries: readonly Entry[]): Page {
  const links = entries.map(({ name }) => `- [\`@call-transfer/${name}\`](${name}/index.md)`);
  const names = raw.filter(({ path }) => path.endsWith("index.md")).flatMap(namesIn);
  const sorted = names.sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
  const text = `# Packages\n\nEach entry of each package, with everything that it exports.\n\n${links.join("\n")}\n\n## All names\n\n${sorted.join("\n")}\n`;
  return { path: "reference/index.md", text };
}

/**
 * The pages of all packages.
 *
 * @param root Folder of the repository.
 * @param hasPage Whether the rest of the site has a page.
 */
export async function referencePages(root: string, hasPage: (path: string) => boolean): Promise<Page[]> {
  const entries = entriesOf(root);
  const raw = (await convert(root, entries)).filter(({ path }) => path !== "index.md");
  return [overview(raw, entries), ...raw.map((page) => sitePage(page, hasPage))];
}
