import type { SchemaNode } from "./document.ts";
import { beyond, isExtension } from "./sentences.ts";

/** Keywords that restrict a value to a range or a length, or replace an absent one. */
export const limitKeywords = [
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "default",
];

/** Keywords that restrict nothing. */
const annotations = ["title", "description", "example", "examples", "deprecated", "$comment", "externalDocs"];
/** Keywords that are compared. A value of `additionalProperties` other than true restricts the object. */
const compared = ["type", "format", "enum", "const", "pattern", "properties", "required", "items", ...limitKeywords];

/** The keywords that the comparison reads in a schema. */
function known(node: SchemaNode): readonly string[] {
  // The comparison follows a reference and skips what stands beside it.
  if (node.$ref !== undefined) return ["$ref"];
  const { anyOf, additionalProperties } = node;
  if (anyOf) return anyOf.filter(({ type }) => type !== "null").length === 1 ? ["anyOf"] : [];
  return additionalProperties === true ? [...compared, "additionalProperties"] : compared;
}

/** A sentence for each keyword that the comparison does not read, so that none restricts a value unseen. */
export function* compareKeywords(place: string, nodes: readonly SchemaNode[]): Generator<string> {
  for (const node of new Set(nodes))
    for (const keyword of Object.keys(node)) {
      if (node["x-beyond-specification"] === true || isExtension(keyword)) continue;
      if (!annotations.includes(keyword) && !known(node).includes(keyword))
        yield beyond(`${place} with the keyword ${keyword}`);
    }
}
