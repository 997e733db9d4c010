// The one rule for every record but the contract: types, commands, promises, package.json, the Python client, vectors, the schemas
// of the mock server's files. A record is read as lines, each of which says something of a name. A line that is gone or says something else is a major, and one more is a
// minor. What must be given, such as a field that callers provide, stands in the line of what it is given to: one more of these
// changes that line. A changeset may say why a line breaks nobody (changesets.ts).
import { basename } from "node:path";
import ts from "typescript";
import { type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, isObject, type JsonObject, mapIn, objectIn, stable } from "../json.ts";

/** What a record says, by the place of the thing that it says it of. */
export type Lines = ReadonlyMap<string, string>;

/** Stands between a place and a name in it. */
const within = " > ";

/** The lines of a record, as its path tells its kind. */
export function linesOf(path: string, text: string): Lines {
  if (text === "") return new Map();
  if (path.endsWith(".d.ts")) return linesOfTypes(text);
  const value = objectIn(JSON.parse(text) as unknown);
  const name = basename(path);
  if (name === "package.json") return linesOfJson(manifest(value));
  if (name === "command.json") return linesOfJson(command(value));
  if (name === "vectors") return linesOfJson(vectors(value));
  if (name.endsWith(".schema.json")) return linesOfJson({ [name]: value });
  return linesOfJson(value);
}

/** Every change between two texts of a record. A text that is empty was not recorded: there is nothing to compare. */
export function compareRecords(path: string, before: string, after: string): Change[] {
  if (before === "") return [];
  const [was, is] = [linesOf(path, before), linesOf(path, after)];
  const isInside = (place: string, lines: Lines): boolean => {
    const above = place.split(within).slice(0, -1).join(within);
    return above !== "" && !lines.has(above);
  };
  return compareNamed(was, is, {
    removed: (place) => change(describes(place) ? "patch" : "major", place, "was removed"),
    added: (place, text) => change(describes(place) ? "patch" : "minor", place, `was added: ${shown(text)}`),
    kept: (old, now, place) =>
      changeIf(old !== now, describes(place) ? "patch" : "major", place, `${shown(old)} is now ${shown(now)}`),
  })
    .filter(({ place }) => is.has(place) || !isInside(place, is))
    .filter(({ place }) => was.has(place) || !isInside(place, was))
    .map((each) => ({ ...each, isLine: true }));
}

const shown = (text: string): string => (text.length > 160 ? `${text.slice(0, 160)}…` : text);

/** Keys that say nothing which a program relies on. */
const texts: readonly string[] = [
  ...["about", "description", "keywords", "homepage", "bugs", "repository", "author", "contributors"],
  ...["funding", "files", "dependencies", "optionalDependencies", "title", "examples", "$schema"],
];
const describes = (place: string): boolean => texts.some((key) => place.endsWith(`, ${key}`) || place === key);

/** Keys whose members have names of their own, each with lines of its own. */
const naming: ReadonlySet<string> = new Set([
  ...["options", "subcommands", "variables", "exitStatus", "exports", "bin", "peerDependencies", "cases", "modules"],
  ...[
    "pytest",
    "defaults",
    "extras",
    "entry points",
    "declarations",
    "members",
    "parameters",
    "properties",
    "$defs",
    "items",
  ],
]);

/** Lines of an object whose keys are names. */
function linesOfJson(record: JsonObject): Lines {
  const lines = new Map<string, string>();
  const read = (place: string, node: unknown): void => {
    if (!isObject(node)) {
      lines.set(place, stable(node));
      return;
    }
    // Programs implement a protocol and pass a case, so any change may part them from it.
    const isWhole = node.kind === "protocol" || (place.startsWith("vectors/") && place.includes(within));
    const own = Object.entries(node).filter(([key]) => isWhole || !(texts.includes(key) || naming.has(key)));
    lines.set(place, stable({ ...Object.fromEntries(own), ...demandsOf(node) }));
    for (const [key, value] of isWhole ? [] : Object.entries(node)) {
      if (texts.includes(key)) lines.set(`${place}, ${key}`, stable(value));
      else if (naming.has(key))
        for (const [name, child] of namesIn(key, value)) read(`${place}${within}${name}`, child);
    }
  };
  for (const [key, value] of Object.entries(record))
    if (naming.has(key)) for (const [name, child] of namesIn(key, value)) read(singular(key, name), child);
    else read(key, value);
  return lines;
}

/** A name at the top of a record, with what it is unless that shows. */
const singular = (key: string, name: string): string =>
  key === "declarations" || key === "subcommands" ? name : `${key} ${name}`;

/** The named members of an object, of a list of objects, or of a list of names. */
function namesIn(key: string, value: unknown): (readonly [string, unknown])[] {
  if (Array.isArray(value))
    return value.map((item) => (isObject(item) ? [String(item.name), item] : [String(item), 1]));
  const members = [...mapIn(value)];
  if (key === "items") return [["[]", value]];
  if (key === "$defs") return members.map(([name, schema]) => [`definition ${name}`, schema]);
  if (key === "modules") return members.map(([name, names]) => [name, { members: names }]);
  return key === "extras" ? members.map(([name, dependencies]) => [name, { dependencies }]) : members;
}

/** What callers must give, and in which order they may give it without names. */
function demandsOf(node: JsonObject): JsonObject {
  const given = [...mapIn(node.parameters)].map(([name, facts]) => ({ name, ...objectIn(facts) }) as JsonObject);
  const required = [
    ...given.filter(({ default: usual, kind }) => usual === undefined && !String(kind).startsWith("rest")),
    ...[...mapIn(node.members)].flatMap(([name, facts]) => (objectIn(facts).required === true ? [{ name }] : [])),
  ].map(({ name }) => String(name));
  const positional = given.filter(({ kind }) => kind === "positional" || kind === "either").map(({ name }) => name);
  return {
    ...(required.length > 0 && { requires: required.sort() }),
    ...(positional.length > 0 && { "by position": positional }),
  };
}

/** The condition in `exports` that names the sources. It is left out of the tarball's promises. */
const sourceCondition = "@call-transfer/source";
const ignored = ["name", "version", "private", "scripts", "devDependencies", "publishConfig", "peerDependenciesMeta"];

/** What a package.json says: whether it can be installed, in one line, and what can be imported and run then. */
function manifest({ exports, bin, engines, os, cpu, libc, type, name, ...rest }: JsonObject): JsonObject {
  const optional = objectIn(rest.peerDependenciesMeta);
  const peers = Object.keys(objectIn(rest.peerDependencies)).filter(
    (peer) => objectIn(optional[peer]).optional !== true,
  );
  const entries = [...mapIn(isObject(exports) ? exports : { ".": exports })].flatMap(([subpath, entry]) => {
    if (!isObject(entry)) return [[subpath, entry] as const];
    const { [sourceCondition]: _, ...conditions } = entry;
    return subpath === "./unstable" || isEqual(conditions, {}) ? [] : [[subpath, conditions] as const];
  });
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([key]) => !ignored.includes(key))),
    installation: { engines, os, cpu, libc, type, peers },
    exports: Object.fromEntries(entries),
    bin: typeof bin === "string" ? { [basename(String(name))]: bin } : bin,
  };
}

/** A command with its options below each subcommand. */
const command = ({ subcommands, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  subcommands: Object.fromEntries([...mapIn(subcommands)].map(([name, options]) => [name, { options }])),
});

/** The vectors of each file, from JSON of the files by path. */
const vectors = (files: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(files).flatMap(([path, text]) =>
      path.endsWith(".json") ? [[`vectors/${basename(path)}`, JSON.parse(String(text)) as unknown]] : [],
    ),
  );

const printer = ts.createPrinter({ removeComments: true });
const printed = (node: ts.Node): string =>
  printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()).replace(/\s+/g, " ");

type Members = readonly (ts.ClassElement | ts.TypeElement)[];

/** Lines of what `surfacesOf` writes: each export, each declaration, and each member of one. */
function linesOfTypes(text: string): Lines {
  const lines = new Map<string, string>();
  // Overloads, and a type beside a value, have one name.
  const add = (place: string, line: string): void => {
    lines.set(place, [lines.get(place), line].filter(Boolean).join(" "));
  };
  /** Adds a node, and each member of the types in it. An object of such a type must have the required ones, if programs make it. */
  const read = (place: string, node: ts.Node, isMade: boolean): void => {
    let line = printed(node);
    for (const literal of literalsIn(node)) {
      const isMadeHere = isMade || isParameter(literal, node);
      const demands = isMadeHere ? demandOf(literal.members) : "";
      line = line.replace(printed(literal), () => `{${demands}}`);
      for (const member of literal.members) read(`${place}${within}${nameOf(member)}`, member, isMadeHere);
    }
    add(place, line);
  };
  const file = ts.createSourceFile("surface.d.ts", text, ts.ScriptTarget.Latest, true);
  for (const statement of file.statements) {
    if (ts.isModuleDeclaration(statement)) {
      add(statement.name.text, "entry point");
      for (const name of exportedBy(statement)) add(`${statement.name.text}${within}${name}`, "export");
      continue;
    }
    const members = membersOf(statement);
    for (const name of namesOf(statement)) {
      if (!members) read(name, statement, ts.isTypeAliasDeclaration(statement));
      else add(name, headOf(statement, members));
      for (const member of members ?? [])
        read(`${name}${within}${nameOf(member)}`, member, ts.isInterfaceDeclaration(statement));
    }
  }
  return lines;
}

function exportedBy({ body }: ts.ModuleDeclaration): string[] {
  const statements = body && ts.isModuleBlock(body) ? body.statements : [];
  return statements.flatMap((statement) =>
    ts.isExportDeclaration(statement) && statement.exportClause && ts.isNamedExports(statement.exportClause)
      ? statement.exportClause.elements.map(({ name }) => name.text)
      : [],
  );
}

/** The names that a statement declares. */
export function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  const { name } = statement as ts.Statement & { name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

/** The members that programs see of a class or an interface. */
function membersOf(statement: ts.Statement): Members | undefined {
  if (!ts.isClassDeclaration(statement) && !ts.isInterfaceDeclaration(statement)) return undefined;
  return (statement.members as Members).filter(({ name }) => !(name && ts.isPrivateIdentifier(name)));
}

/** The outermost types in a node that list members. */
function literalsIn(node: ts.Node): ts.TypeLiteralNode[] {
  const found: ts.TypeLiteralNode[] = [];
  ts.forEachChild(node, (child) => {
    found.push(...(ts.isTypeLiteralNode(child) ? [child] : literalsIn(child)));
  });
  return found;
}

/** Whether a type is that of a parameter, whose values programs make. */
const isParameter = (type: ts.Node, above: ts.Node): boolean =>
  type !== above && (ts.isParameter(type) || isParameter(type.parent, above));

/** Constructors, call signatures and index signatures are named by their kind. */
const nameOf = ({ name, kind }: Members[number]): string => (name ? printed(name) : (ts.SyntaxKind[kind] ?? ""));

/** Which members an object must have. */
function demandOf(members: Members): string {
  const required = members.filter((member) => !("questionToken" in member && member.questionToken)).map(nameOf);
  return required.length === 0 ? "" : ` requires ${required.sort().join()} `;
}

/** What a declaration is besides its members, and which of them an object of it must have. Only a class makes its own objects. */
function headOf(statement: ts.Statement, members: Members): string {
  const { typeParameters = [], heritageClauses = [] } = statement as Partial<ts.InterfaceDeclaration>;
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const parts = [...[...modifiers, ...typeParameters, ...heritageClauses].map(printed), ts.SyntaxKind[statement.kind]];
  return parts.join(" ").replace(/\s+/g, " ") + (ts.isClassDeclaration(statement) ? "" : demandOf(members));
}
