// Generates types of paths, operations and schemas with openapi-typescript.
import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";
import { compactCode } from "./compact.ts";
import type { OpenApiDocument } from "./document.ts";
import { header } from "./text.ts";

/** `Known | (string & {})`: a value that a newer server adds still type-checks (x-open-enum). */
function openEnum(values: (string | null)[]): ts.TypeNode {
  const { factory } = ts;
  const known = values.map((value) =>
    factory.createLiteralTypeNode(value === null ? factory.createNull() : factory.createStringLiteral(value)),
  );
  const anyString = factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
    factory.createTypeLiteralNode([]),
  ]);
  return factory.createUnionTypeNode([...known, anyString]);
}

export async function renderTypes(document: OpenApiDocument): Promise<string> {
  const ast = await openapiTS(structuredClone(document) as never, {
    defaultNonNullable: false,
    transform: (schema) => {
      const extended = schema as { enum?: (string | null)[]; "x-open-enum"?: boolean };
      return extended["x-open-enum"] && extended.enum ? openEnum(extended.enum) : undefined;
    },
  });
  return header + compactCode(withNeversTogether(astToString(ast)), { width: typesWidth });
}

/** Columns of a file of types, whose members name long paths into it. */
export const typesWidth = 180;

/** Text whose members that are never there share a line. */
const withNeversTogether = (text: string): string => text.replace(/(\?: never;)\n +(?=\w+\?: never;)/g, "$1 ");

/** An exported type for each schema. */
export function renderModels(document: OpenApiDocument): string {
  const names = Object.keys(document.components.schemas).filter((name) => name !== "ErrorCode");
  const lines = names.map((name) => {
    const description = document.components.schemas[name]?.description;
    const comment = typeof description === "string" ? `/** ${description.trim()} */\n` : "";
    return `${comment}export type ${name} = components["schemas"]["${name}"];\n`;
  });
  return `${header}import type { components } from "./types.gen.ts";\n\n${lines.join("\n")}`;
}

const inSpec = "../../../spec/src";

/** The SDK uses the types of the spec package; its build bundles their declarations. */
export const sdkTypes = `${header}export type { components, operations, paths, webhooks } from "${inSpec}/types.gen.ts";\n`;
export const sdkModels = `${header}export type * from "${inSpec}/models.gen.ts";\n`;
