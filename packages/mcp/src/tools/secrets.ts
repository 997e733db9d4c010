import type { JsonObject } from "@call-transfer/backend/unstable";

/**
 * Fields of schemas that the document shows for one operation only (`x-returned-by`), which are secrets that it creates.
 */
export function secretFieldsIn(document: JsonObject, operationId: string): string[] {
  const found = new Set<string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [name, child] of Object.entries(node)) {
      const shownBy: unknown = Object(child)["x-returned-by"];
      if (Array.isArray(shownBy) && shownBy.includes(operationId)) found.add(name);
      visit(child);
    }
  };
  visit(document.components);
  return [...found];
}
