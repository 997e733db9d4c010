/** What to do about a value that differs. */
const remedy = "Correct openapi/, or packages/contract/src/facts/ if the specification changed.";

/** A difference between the contract and the specification: what stands in the contract, and what the section does. */
export const wrong = (found: string, section: string, clause: string): string =>
  `openapi/: ${found}; ${section} ${clause}. ${remedy}`;

/** Something in the contract that the specification does not have. */
export const beyond = (what: string): string =>
  `openapi/: ${what} is not in the specification. Remove it, or mark it x-beyond-specification: true.`;

/** Whether a node of the document says that the specification does not have it, or leaves it open. */
export function isMarked(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  return Reflect.get(node, "x-beyond-specification") === true || typeof Reflect.get(node, "x-assumption") === "string";
}
