// Turns the doc comments of the packages into Markdown with TypeDoc.
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Application, OptionDefaults, type TypeDocOptions } from "typedoc";
import type { PluginOptions } from "typedoc-plugin-markdown";
import ts from "typescript";
import type { Page } from "../../build/markdown.ts";
import { entriesOf } from "./entries.ts";

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
  // Paths only: the number of a line, a commit and a date would change pages without an edit.
  disableGit: true,
  sourceLinkTemplate: "{path}",
  excludePrivate: true,
  excludeInternal: true,
  excludeExternals: true,
  excludePrivateClassFields: true,
  blockTags: [...OptionDefaults.blockTags, "@description"],
  sort: ["source-order"],
  groupOrder: ["Functions", "Classes", "Interfaces", "Type Aliases", "Variables", "*"],
  validation: { notExported: true, invalidLink: true, notDocumented: false },
};

/**
 * The pages of all entries: a page for each class, interface and function, and one for each entry with the rest.
 *
 * @param root Folder of the repository.
 * @throws Error if TypeDoc warns, e.g. about a link to a name that does not exist.
 */
export async function convertPackages(root: string): Promise<Page[]> {
  const out = mkdtempSync(join(tmpdir(), "call-transfer-reference-"));
  try {
    const app = await Application.bootstrapWithPlugins({
      ...conversion,
      ...pages,
      basePath: root,
      out,
    } as TypeDocOptions);
    const entries = entriesOf(root);
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
