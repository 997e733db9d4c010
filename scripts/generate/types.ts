// Generates types of paths, operations and schemas with openapi-typescript. Schemas and queries become named types.
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import type { OpenApiDocument, Parameter } from "./read/document.ts";
import type { OperationModel } from "./read/model.ts";
import { compactCode } from "./text/compact.ts";
import { docComment, header, queryName } from "./text/text.ts";

const { factory } = ts;

/** Columns of a file of types, whose members name long paths into it. */
export const typesWidth = 180;

/** The files of types. */
export interface Types {
  /** Types of paths and operations. */
  readonly paths: string;
  /** A named type for each schema and each query. */
  readonly models: string;
}

/** The schema whose values stand in a file of their own. */
const errorCode = "ErrorCode";
const openCode = `${errorCode} | (string & {})`;
const codesImport = `import type { ${errorCode} } from "./error-code-status.gen.ts";\n`;

export async function renderTypes(document: OpenApiDocument, operations: readonly OperationModel[]): Promise<Types> {
  const nodes = await openapiTS(withNamedQueries(document, operations) as never, {
    defaultNonNullable: false,
    transform: (schema) => {
      const { enum: values, "x-open-enum": isOpen } = schema as { enum?: (string | null)[]; "x-open-enum"?: boolean };
      return isOpen && values ? openUnion(values.map(literalType)) : undefined;
    },
  });
  const sent = schemasOfRequests(document, operations);
  const schemas = schemasIn(nodes);
  const models = membersOf(schemas).filter((member) => nameOf(member) !== errorCode);
  const names = models.map(nameOf).filter((name) => name in document.components.schemas);
  const named = factory.createTypeLiteralNode([errorCode, ...names].map(namedMember));
  const paths = nodes.map((node) => rewritten(node, (inside) => (inside === schemas ? named : inside)));
  return {
    paths: `${header}${codesImport}import type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./models.gen.ts";\n\n${laidOut(paths)}`,
    models: `${header}${codesImport}\n${models.map((member) => laidOut([declared(member, sent)])).join("\n")}`,
  };
}

/** The schemas with these names as named types, each with the name beside its own. */
export function renderNamed(nodes: readonly ts.Node[], names: Readonly<Record<string, string>>): string {
  const members = membersOf(schemasIn(nodes)).filter((member) => nameOf(member) in names);
  const text = members.map((member) => laidOut([declared(member, new Set())])).join("\n");
  return (
    header + text.replace(new RegExp(`\\b(?:${Object.keys(names).join("|")})\\b`, "g"), (name) => names[name] ?? name)
  );
}

const laidOut = (nodes: ts.Node[]): string =>
  compactCode(withNeversTogether(withNames(withMapComments(readableComments(astToString(nodes))))), {
    width: typesWidth,
  });

/** What formats of strings mean. */
const formats: Readonly<Record<string, string>> = { "date-time": "An ISO 8601 time." };

/**
 * Rewrites the comments of openapi-typescript: text instead of `@description`, what a format means, and no tag that repeats
 * the type, or a default that the text states.
 */
const readableComments = (code: string): string =>
  code.replace(/^( *)\/\*\*(.*?)\*\//gms, (_comment, indent: string, text: string) =>
    docComment(readable(text.split("\n").map((line) => line.replace(/^\s*\*? ?/, "").trimEnd())), indent),
  );

function readable(lines: readonly string[]): string[] {
  const after = (start: string) => lines.find((line) => line.startsWith(start))?.slice(start.length);
  const description = after("@description ");
  const format = after("Format: ");
  const summary = lines.filter((line) => line !== "" && !/^(?:@|Format: )/.test(line));
  const repeated = description?.includes("default")
    ? /^@(?:description|enum|constant|default)\b/
    : /^@(?:description|enum|constant)\b/;
  const tags = lines.filter((line) => line.startsWith("@") && !repeated.test(line));
  const meaning = format && (formats[format] ?? `Format: ${format}.`);
  const body = [description, meaning].filter(Boolean).join(" ");
  return [...summary, ...(summary.length > 0 && body ? [""] : []), ...(body ? [body] : []), ...tags];
}

/** What the maps of the file of paths hold. */
const maps: Readonly<Record<string, string>> = {
  paths: "Types of the operations, by path and method.",
  webhooks: "Types of the webhooks, by event and method.",
  components: "Types of the schemas, headers and parameters, by name.",
  operations: "Types of the requests and responses, by operationId.",
};

const withMapComments = (text: string): string =>
  text.replace(/^export interface (\w+) \{/gm, (start, name: string) =>
    maps[name] ? `/** ${maps[name]} */\n${start}` : start,
  );

/** Text that refers to schemas by their names, and not by their paths in `components`. */
const withNames = (text: string): string =>
  text.replace(/components\["schemas"\]\["(\w+)"\](;?)/g, (_path, name, end) => {
    if (name !== errorCode) return name + end;
    return end ? openCode + end : `(${openCode})`;
  });

/** Text whose members that are never there share a line. */
const withNeversTogether = (text: string): string => text.replace(/(\?: never;)\n +(?=\w+\?: never;)/g, "$1 ");

/**
 * The document with a schema for each query, and without additional properties beside named ones: their index signature would
 * let misspelt fields pass. Fields without a name are still sent and received.
 */
function withNamedQueries(document: OpenApiDocument, operations: readonly OperationModel[]): OpenApiDocument {
  const { schemas } = document.components;
  const closed = Object.entries(schemas).map(([name, { additionalProperties, ...schema }]) => {
    const isOpen = additionalProperties !== undefined && !schema.properties;
    return [name, { ...schema, ...(isOpen && { additionalProperties }) }];
  });
  const queries = operations
    .filter(({ queryParameters }) => queryParameters.length > 0)
    .map(({ id, queryParameters }) => [queryName(id), querySchema(id, queryParameters)]);
  const named = Object.fromEntries([...closed, ...queries]);
  return structuredClone({ ...document, components: { ...document.components, schemas: named } });
}

const querySchema = (id: string, parameters: readonly Parameter[]) => ({
  description: `Query parameters of \`${id}\`: filters and paging.`,
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, description, schema }) => [name, { ...schema, description }])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** Names of the schemas that requests are made of, queries among them. */
function schemasOfRequests({ components }: OpenApiDocument, operations: readonly OperationModel[]): Set<string> {
  const names = new Set(operations.map(({ id }) => queryName(id)));
  const add = (name: string): void => {
    if (names.has(name)) return;
    names.add(name);
    const references = JSON.stringify(components.schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    for (const [, referred = ""] of references) add(referred);
  };
  for (const { requestSchema } of operations) if (requestSchema) add(requestSchema);
  return names;
}

const keyword = (kind: ts.KeywordTypeSyntaxKind): ts.TypeNode => factory.createKeywordTypeNode(kind);

const literalType = (value: string | null): ts.TypeNode =>
  factory.createLiteralTypeNode(value === null ? factory.createNull() : factory.createStringLiteral(value));

/** `Known | (string & {})`: a value that a newer server adds still type-checks (x-open-enum). */
function openUnion(known: readonly ts.TypeNode[]): ts.TypeNode {
  const anyString = [keyword(ts.SyntaxKind.StringKeyword), factory.createTypeLiteralNode([])];
  return factory.createUnionTypeNode([...known, factory.createIntersectionTypeNode(anyString)]);
}

const nameOf = ({ name }: ts.TypeElement): string => (name && ts.isIdentifier(name) ? name.text : "");

const membersOf = (node: ts.TypeNode | undefined): ts.PropertySignature[] =>
  node && ts.isTypeLiteralNode(node) ? node.members.filter(ts.isPropertySignature) : [];

const pathOf = (name: string): ts.TypeNode =>
  ["schemas", name].reduce<ts.TypeNode>(
    (object, key) => factory.createIndexedAccessTypeNode(object, literalType(key)),
    factory.createTypeReferenceNode("components"),
  );

const namedMember = (name: string): ts.PropertySignature =>
  factory.createPropertySignature(undefined, name, undefined, pathOf(name));

/** The type of `components["schemas"]`. */
function schemasIn(nodes: readonly ts.Node[]): ts.TypeNode | undefined {
  const components = nodes.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === "components");
  return components?.members.filter(ts.isPropertySignature).find((member) => nameOf(member) === "schemas")?.type;
}

/** A node whose parts are changed from the inside out. */
function rewritten<Node extends ts.Node>(node: Node, change: (inside: ts.Node) => ts.Node): Node {
  const { transformed } = ts.transform(node, [
    (context) => {
      const visit = (inside: ts.Node): ts.Node => change(ts.visitEachChild(inside, visit, context));
      return (root) => ts.visitEachChild(root, visit, context);
    },
  ]);
  return transformed[0] ?? node;
}

/** A member of `components["schemas"]` as a declaration of its own. */
function declared(member: ts.PropertySignature, sent: ReadonlySet<string>): ts.Statement {
  const name = nameOf(member);
  const { type = keyword(ts.SyntaxKind.UnknownKeyword) } = rewritten(
    member,
    sent.has(name) ? accepting : (node) => node,
  );
  const modifiers = [factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const declaration = ts.isTypeLiteralNode(type)
    ? factory.createInterfaceDeclaration(modifiers, name, undefined, undefined, type.members)
    : factory.createTypeAliasDeclaration(modifiers, name, undefined, type);
  return ts.setSyntheticLeadingComments(declaration, ts.getSyntheticLeadingComments(member));
}

/** A part of a request's type, so that it accepts read-only arrays, and undefined where nothing needs to be sent. */
function accepting(node: ts.Node): ts.Node {
  if (ts.isArrayTypeNode(node)) return factory.createTypeOperatorNode(ts.SyntaxKind.ReadonlyKeyword, node);
  if (!ts.isPropertySignature(node) || !node.type || !node.questionToken) return node;
  const parts = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type];
  const type = factory.createUnionTypeNode([...parts, keyword(ts.SyntaxKind.UndefinedKeyword)]);
  return factory.updatePropertySignature(node, node.modifiers, node.name, node.questionToken, type);
}

const inSpec = "../../../spec/src";

/** The SDK uses the types of the spec package; its build bundles their declarations. */
export const sdkTypes = `${header}export type { components, operations, paths } from "${inSpec}/types.gen.ts";\n`;
export const sdkModels = `${header}export type * from "${inSpec}/models.gen.ts";\n`;
