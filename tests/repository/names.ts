// Finds what each public name is there for: a page that shows it, another public name that needs it, or an operation or schema
// that it is made of. Reads the reports of the public types, so no compiler runs.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@call-transfer/spec";

/** A name that an entry exports. */
type Listed = Pick<NameUse, "entry" | "name">;
/** Texts of declarations by name. */
type Declarations = ReadonlyMap<string, string>;

/** A public name and its use: a page, `in NAME`, `of NAME in openapi/`, or the folder that imports it. */
export interface NameUse {
  readonly entry: string;
  readonly name: string;
  /** Undefined if there is none. */
  readonly use: string | undefined;
}

/** The files that the uses are read from, by path. */
export type Files = ReadonlyMap<string, string>;
/** The recorded use of a name. */
type Recorded = (entry: string, name: string) => string | undefined;

const modelsFile = "packages/spec/src/models.gen.ts";

const isPage = (path: string): boolean =>
  /^(?:README\.md|docs\/(?:start\/)?[\w-]+\.md|packages\/[\w-]+\/README\.md)$/.test(path) &&
  !/(?:architecture|assumptions|specification|contract-coverage|releasing)\.md$/.test(path);

/** Reads the reports, the models, the pages and the sources that may import an unstable entry. */
export function filesIn(root: string): Files {
  const patterns = [
    "README.md",
    "docs/**/*.md",
    "packages/*/README.md",
    "packages/*/api.d.ts",
    "packages/*/src/unstable.ts",
  ];
  const sources = ["{lab,site,tests,scripts}/**/*.ts", "packages/*/{src,targets,tests}/**/*.{ts,tsx}"];
  const exclude = (path: string): boolean => /(?:^|[\\/])(?:node_modules|dist|\.cache)$/.test(path);
  const found = [...patterns, ...sources].flatMap((pattern) => globSync(pattern, { cwd: root, exclude }));
  const paths = [...new Set(found.map((path) => path.replaceAll("\\", "/")))].sort();
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}

const word = (name: string): RegExp => new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`);

/** What a page says of the packages, apart from Python. */
interface Page {
  /** Names that code imports, by entry. */
  readonly imported: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names that stand between backticks alone or with arguments, such as `listCalls` and `listCalls(client)`. */
  readonly named: ReadonlySet<string>;
  readonly text: string;
}

const listOf = (list: string): string[] =>
  list.split(",").map((one) =>
    one
      .trim()
      .replace(/^type /, "")
      .replace(/(?: as |: )[\s\S]*$/, ""),
  );

function readPage(text: string): Page {
  const page = text.replace(/```python[\s\S]*?```/g, "");
  const imports = [
    ...page.matchAll(/(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"(@call-transfer\/[\w/-]+)"/g),
    ...page.matchAll(/\{([^}]*)\} = (?:await import|require)\("(@call-transfer\/[\w/-]+)"/g),
  ].flatMap(([, list = "", entry = ""]) => listOf(list).map((name) => ({ entry, name })));
  const types = page.matchAll(/import\("(@call-transfer\/[\w/-]+)"\)\.([\w$]+)/g);
  for (const [, entry = "", name = ""] of types) imports.push({ entry, name });
  const byEntry = Map.groupBy(imports, ({ entry }) => entry);
  return {
    imported: new Map([...byEntry].map(([entry, all]) => [entry, new Set(all.map(({ name }) => name))])),
    named: new Set([...page.matchAll(/`([\w$]+)(?:[(<][^`\n]*)?`/g)].map(([, name = ""]) => name)),
    text: page,
  };
}

/** The exported names of each entry that a report lists. */
function exportsIn(report: string): Listed[] {
  const modules = report.matchAll(/^declare module "([^"]+)" \{\n {2}export \{([^}]*)\};/gm);
  return [...modules].flatMap(([, entry = "", list = ""]) =>
    list.split(",").map((one): Listed => ({ entry, name: one.trim().replace(/^.*\sas\s+/s, "") })),
  );
}

/** The declarations in a text. */
function declarationsIn(text: string): Map<string, string> {
  const starts = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|var) ([\w$]+)/gm;
  const heads = [...text.matchAll(starts)];
  const found = new Map<string, string>();
  for (const [at, head] of heads.entries()) {
    const [, name = ""] = head;
    const body = text.slice(head.index + head[0].length, heads[at + 1]?.index);
    found.set(name, `${found.get(name) ?? ""}\n${body.replaceAll(/\/\*\*[\s\S]*?\*\//g, "")}`);
  }
  return found;
}

/** The schema or operation that a generated name is made of, such as `listCalls` of `listCallsQueryOptions`. */
function sourceOf(name: string, models: Declarations): string | undefined {
  const plain = name.replace(/^z(?=[A-Z])/, "").replace(/(?:Infinite)?(?:Query|Mutation)Options$/, "");
  const ids = Object.keys(operations);
  const operation = plain.replace(/(?:Body|Headers|Path|Query|Response|WebhookRequest)$/, "");
  const isOf = (one: string) => one.toLowerCase() === operation.toLowerCase() || one === plain;
  return ids.find(isOf) ?? [...models.keys()].find(isOf);
}

/** The folder that a path stands in: `packages/sdk`, `lab`. */
const folderOf = (path: string): string => /^(?:packages\/)?[^/]+/.exec(path)?.[0] ?? path;

/** The names under `/unstable` and a folder that imports each. */
function unstableUses(files: Files): NameUse[] {
  return [...files].flatMap(([path, text]) => {
    const [, own = ""] = /^packages\/([\w-]+)\/src\/unstable\.ts$/.exec(path) ?? [];
    if (own === "") return [];
    const entry = `@call-transfer/${own}/unstable`;
    const names = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
      list.split(",").map((one) => one.trim().replace(/^type /, "")),
    );
    const importing = new RegExp(
      `(?:import|export) (?:type )?\\{([^}]*)\\} from "${entry}"|\\{([^}]*)\\} = await import\\("${entry}"`,
      "g",
    );
    const imports = [...files].flatMap(([from, code]) =>
      from.startsWith(`packages/${own}/`) ? [] : [...code.matchAll(importing)].map(([list]) => ({ from, list })),
    );
    return names.filter(Boolean).map((name) => {
      const found = imports.find(({ list }) => word(name).test(list.replace(entry, "")));
      return { entry, name, use: found && folderOf(found.from) };
    });
  });
}

/** Declarations of a package; those that it passes on stand in another one. */
type Lookup = (folder: string, name: string) => string;

/** The words of a declaration and of what it needs that is not exported, so that no other name is responsible for it. */
function wordsOf(name: string, text: (name: string) => string, exported: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const visit = (one: string): void => {
    for (const [each] of text(one).matchAll(/[\w$]+/g)) {
      if (found.has(each)) continue;
      found.add(each);
      if (!exported.has(each)) visit(each);
    }
  };
  visit(name);
  return found;
}

/** The use of a name that a page or the document gives, the recorded one first. */
function directUse(
  { entry, name }: Listed,
  pages: ReadonlyMap<string, Page>,
  models: Declarations,
  before: string | undefined,
): string | undefined {
  const source = sourceOf(name, models);
  const made = source === undefined ? [] : [`of ${source} in openapi/`];
  const entries = importedFrom(entry);
  const imports = ({ imported }: Page): boolean => entries.some((each) => imported.get(each)?.has(name));
  const names = ({ named, text }: Page): boolean =>
    named.has(name) && entries.some((each) => new RegExp(`${each}(?![\\w/-])`).test(text));
  const found = [
    ...[...pages].filter(([, page]) => imports(page)).map(([path]) => path),
    ...made,
    ...[...pages].filter(([, page]) => names(page)).map(([path]) => path),
  ];
  return found.find((use) => use === before) ?? found[0];
}

/** The uses of what a report lists. A name may be needed by another one that has a use. */
function usesOf(path: string, files: Files, declared: Lookup, recorded: Recorded): NameUse[] {
  const listed = exportsIn(files.get(path) ?? "");
  const models = declarationsIn(files.get(modelsFile) ?? "");
  const pages = new Map([...files].filter(([page]) => isPage(page)).map(([page, text]) => [page, readPage(text)]));
  const uses = new Map(listed.map((one) => [one, directUse(one, pages, models, recorded(one.entry, one.name))]));
  const textOf = (name: string): string => declared(folderOf(path), name);
  const inEntry = Map.groupBy(listed, ({ entry }) => entry);
  for (const all of inEntry.values()) {
    const exported = new Set(all.map(({ name }) => name));
    const words = new Map(all.map(({ name }) => [name, wordsOf(name, textOf, exported)]));
    let found = true;
    while (found) {
      found = false;
      for (const one of all.filter((each) => uses.get(each) === undefined)) {
        const needing = all.filter((each) => uses.get(each) !== undefined && words.get(each.name)?.has(one.name));
        const before = needing.find(({ name }) => `in ${name}` === recorded(one.entry, one.name));
        const [first] = before ? [before] : needing;
        if (first === undefined) continue;
        uses.set(one, `in ${first.name}`);
        found = true;
      }
    }
  }
  return [...uses].map(([one, use]) => ({ ...one, use }));
}

/**
 * Every public name with its use.
 * @param recorded The recorded use of a name. It is kept while it holds, so that a new page changes nothing.
 */
export function namesIn(files: Files, recorded: Recorded): NameUse[] {
  const declaring = [...files].filter(([path]) => /(?:api\.d|\.gen|\/mount)\.ts$/.test(path));
  const declarations = declaring.map(([path, text]) => ({ folder: folderOf(path), declared: declarationsIn(text) }));
  const declared: Lookup = (folder, name) => {
    const having = declarations.filter((each) => each.declared.has(name));
    const own = having.filter((each) => each.folder === folder);
    return (own.length > 0 ? own : having).map((each) => each.declared.get(name)).join("\n");
  };
  const reports = [...files.keys()].filter((path) => path.endsWith("/api.d.ts"));
  return [...reports.flatMap((path) => usesOf(path, files, declared, recorded)), ...unstableUses(files)];
}

/** The entries that pages import a name of an entry from. The mock server passes on two of the backend's. */
function importedFrom(entry: string): string[] {
  const twins = [
    ["@call-transfer/backend", "@call-transfer/mock-server/backend"],
    ["@call-transfer/backend/msw", "@call-transfer/mock-server/msw"],
  ];
  return twins.find((pair) => pair.includes(entry)) ?? [entry];
}

/** One line for each name. */
export const linesOf = (names: readonly NameUse[]): string =>
  names.map(({ entry, name, use = "" }) => `${entry} ${name} ${use}\n`).join("");
