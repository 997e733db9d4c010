// Finds the fields that an operation's responses must not show, although their schemas have them (`x-returned-by`).
import { type OpenApiDocument, operationsOf } from "./document.ts";

/** A field with the operations that show it. */
type Marked = readonly [field: string, shownBy: readonly string[]];

/** The marked fields that a part of the document contains, at any depth and behind references. */
function* markedIn(document: OpenApiDocument, node: unknown, seen = new Set<unknown>()): Generator<Marked> {
  if (typeof node !== "object" || node === null || seen.has(node)) return;
  seen.add(node);
  for (const [name, child] of Object.entries(node)) {
    const target: unknown =
      name === "$ref" ? document.components.schemas[String(child).split("/").at(-1) ?? ""] : child;
    const shownBy: unknown = typeof child === "object" && child !== null && Reflect.get(child, "x-returned-by");
    if (Array.isArray(shownBy)) yield [name, shownBy.map(String)];
    yield* markedIn(document, target, seen);
  }
}

/** The fields that the responses of each operation must not show, by operationId; operations without any are left out. */
export function hiddenFieldsOf(document: OpenApiDocument): ReadonlyMap<string, readonly string[]> {
  const hidden = [...operationsOf(document)].map(({ operation: { operationId, responses } }) => {
    const fields = [...markedIn(document, responses)].filter(([, shownBy]) => !shownBy.includes(operationId));
    return [operationId, [...new Set(fields.map(([field]) => field))]] as const;
  });
  return new Map(hidden.filter(([, fields]) => fields.length > 0));
}
