// Generates the types and schemas of the control plane from its document.
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { loadControl, type OpenApiDocument, type Parameter } from "./read/document.ts";
import { madeAtFirstUse, reachableFrom, renderZod } from "./schemas.ts";
import { compactCode } from "./text/compact.ts";
import { compactJson, header, pascal, tableLiteral } from "./text/text.ts";
import { renderNamed, typesWidth } from "./types.ts";

const folder = "packages/backend/src/generated";

/** The schemas that are the backend's own types too, with their names there. */
const models = {
  ...{ RecordChange: "ShownChange" },
  ...Object.fromEntries(
    [
      ...["ClosestOperation", "Decision", "Delivery", "DeliveryResponse", "FaultMatch", "FaultWhen", "InboxEvent"],
      ...[
        "RequestCaller",
        "RequestEntry",
        "Rule",
        "ScenarioName",
        "SignatureParts",
        "Stub",
        "StubMatch",
        "StubResponse",
        "WebhookFaultAction",
        "WebhookMatch",
      ],
    ].map((name) => [name, name]),
  ),
};

interface ControlOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Parameter | { $ref: string })[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly "x-max-body-mib"?: number;
}

/** Every generated file of the control plane by its path in the repository. */
export async function renderControl(): Promise<Map<string, string>> {
  const document = await loadControl();
  const operations = operationsOf(document);
  // The backend checks policies itself, so that a message names them as the other ways to set them do.
  const code = structuredClone(document);
  delete code.components.schemas.Policies?.properties;
  const types = await openapiTS(structuredClone(code) as never, { immutable: true });
  return new Map([
    [`${folder}/document.gen.ts`, renderDocument(document)],
    [`${folder}/models.gen.ts`, renderNamed(types, models)],
    [`${folder}/types.gen.ts`, header + compactCode(astToString(withoutFiller(types)), { width: typesWidth })],
    [
      `${folder}/schemas.gen.ts`,
      header +
        compactCode(
          reachableFrom(
            ["controlSchemas", "zCollection"],
            madeAtFirstUse(strict(await renderZod(code), code)) + renderRequestSchemas(operations),
          ),
        ),
    ],
    [`${folder}/operations.gen.ts`, renderOperations(operations)],
  ]);
}

function operationsOf(document: OpenApiDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const { parameters: shared = [], ...methods } = item as { parameters?: Parameter[] };
    return Object.entries(methods as Record<string, ControlOperation>).map(([method, operation]) => {
      const parameters = [...shared, ...(operation.parameters ?? [])].map((parameter) =>
        "$ref" in parameter
          ? (document.components.parameters[String(parameter.$ref).split("/").at(-1) ?? ""] as Parameter)
          : parameter,
      );
      const named = (place: string) => parameters.filter((parameter) => parameter.in === place);
      return {
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        summary: operation.summary,
        pathParameters: named("path").map(({ name }) => name),
        queryParameters: Object.fromEntries(named("query").map(({ name, schema }) => [name, schema.type])),
        hasBody: operation.requestBody !== undefined,
        ...(operation["x-max-body-mib"] !== undefined && { maxBodyBytes: operation["x-max-body-mib"] * 2 ** 20 }),
        status: Number(Object.keys(operation.responses).find((status) => status.startsWith("2"))),
      };
    });
  });
}

/** Makes schemas refuse unknown fields, unless the document allows additional properties. */
function strict(zod: string, document: OpenApiDocument): string {
  const open = Object.entries(document.components.schemas).filter(([, schema]) => schema.additionalProperties === true);
  return open.reduce(
    (text, [name]) => text.replace(`const z${name} = z.strictObject(`, `const z${name} = z.looseObject(`),
    zod.replaceAll("z.object(", "z.strictObject("),
  );
}

/**
 * Types without what their client does not read: members that are never there, headers of responses, a path's parameters,
 * which its operations repeat, and comments on paths and operations.
 */
function withoutFiller(nodes: readonly ts.Node[]): ts.Node[] {
  const isFiller = (node: ts.Node, parent: ts.Node): boolean => {
    if (!ts.isPropertySignature(node) || !node.type) return false;
    const name = ts.isIdentifier(node.name) ? node.name.text : "";
    if (node.type.kind === ts.SyntaxKind.NeverKeyword) return node.questionToken !== undefined && name !== "content";
    if (name === "parameters") return ts.isPropertySignature(parent) && ts.isStringLiteral(parent.name);
    // The headers of a response have values of any type; those in a body are strings.
    return (
      name === "headers" &&
      ts.isTypeLiteralNode(node.type) &&
      node.type.members.every(
        (member) => ts.isIndexSignatureDeclaration(member) && member.type.kind === ts.SyntaxKind.UnknownKeyword,
      )
    );
  };
  const transform: ts.TransformerFactory<ts.Node> = (context) => (root) => {
    const isCalls = ts.isInterfaceDeclaration(root) && root.name.text !== "components";
    const visit = (node: ts.Node, parent: ts.Node): ts.Node | undefined => {
      if (isFiller(node, parent)) return undefined;
      if (isCalls) ts.setSyntheticLeadingComments(node, undefined);
      return ts.visitEachChild(node, (child) => visit(child, ts.isTypeLiteralNode(node) ? parent : node), context);
    };
    return visit(root, root) ?? root;
  };
  return ts.transform([...nodes], [transform]).transformed;
}

/** The document has one reader, a program: each path and component is a line. */
function renderDocument(document: OpenApiDocument): string {
  const tables = [document.paths, ...Object.values(document.components)];
  return `${header}/** Makes the control plane's OpenAPI document. */
export const controlDocument = (): Readonly<Record<string, unknown>> => (${compactJson(document, tables)});
`;
}

function renderOperations(operations: ReturnType<typeof operationsOf>): string {
  return `${header}/** Every operation of the control plane, by its operationId; \`status\` is that of its success. */
export const controlOperations = ${tableLiteral(Object.fromEntries(operations.map((operation) => [operation.id, operation])))} as const;

/** The operationId of an operation of the control plane. */
export type ControlOperationId = keyof typeof controlOperations;
`;
}

function renderRequestSchemas(operations: ReturnType<typeof operationsOf>): string {
  const rows = operations.map(({ id, pathParameters, queryParameters, hasBody }) => {
    const name = `z${pascal(id)}`;
    const parts = [
      pathParameters.length > 0 && `path: ${name}Path`,
      Object.keys(queryParameters).length > 0 && `query: ${name}Query`,
      hasBody && `body: ${name}Body`,
    ].filter(Boolean);
    return `    ${id}: { ${parts.join(", ")} },`.replace("{  }", "{}");
  });
  return `
/**
 * What checks the path, query and body of each request to the control plane.
 */
export const controlSchemas = {
${rows.join("\n")}
} satisfies Record<string, { path?: () => z.ZodType; query?: () => z.ZodType; body?: () => z.ZodType }>;
`;
}
