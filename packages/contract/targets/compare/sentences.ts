import { memberOf } from "../../src/document/json.ts";

/** What to do about a value that differs. */
const remedy = "Correct openapi/, or packages/contract/src/facts/ if the specification changed.";

/** A difference between the contract and the specification: what stands in the contract, and what the section does. */
export const wrong = (found: string, section: string, clause: string): string =>
  `openapi/: ${found}; ${section} ${clause}. ${remedy}`;

/** Something in the contract that the specification does not have. */
export const beyond = (what: string): string =>
  `openapi/: ${what} is not in the specification. Remove it, or mark it x-beyond-specification: true.`;

/** Whether a keyword is an extension of this project, which restricts no value. */
export const isExtension = (keyword: string): boolean => keyword.startsWith("x-");

/** Whether a node of the document says that the specification does not have it, or leaves it open. */
export const isMarked = (node: unknown): boolean =>
  memberOf(node, "x-beyond-specification") === true || typeof memberOf(node, "x-assumption") === "string";

const requirement = (isRequired: boolean): string => (isRequired ? "required" : "optional");

/** A sentence if a field is required and should not be, or the other way around. */
export function* compareRequired(place: string, found: boolean, stated: boolean | undefined, section: string) {
  if (stated !== undefined && stated !== found)
    yield wrong(`${place} is ${requirement(found)}`, section, `says ${requirement(stated)}`);
}
