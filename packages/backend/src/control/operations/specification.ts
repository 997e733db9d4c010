import type { JournalEntry, Rule } from "../../generated/models.gen.ts";
import { specificationSections } from "../../generated/specification.gen.ts";
import type { ControlHandlers } from "../parts/exchange.ts";

export const specificationHandlers = {
  getSpecification: () => ({
    sections: Object.entries(specificationSections).map(([section, { cases, ...texts }]) => ({
      section,
      ...texts,
      ...(cases && { cases: [...cases] }),
    })),
  }),
} satisfies Partial<ControlHandlers>;

/** Where notes on error codes stand that no other section explains. */
const codesSection = "§7.2";

/** The text behind a decision: of the error code, the status or the operation if there is one, otherwise the section's own. */
export function ruleOf({
  decidedBy,
  method,
  path,
  status,
  code,
}: Pick<JournalEntry, "decidedBy" | "method" | "path" | "status" | "code">): Rule | undefined {
  const { section } = decidedBy;
  if (section === undefined || specificationSections[section] === undefined) return undefined;
  const { title, text } = specificationSections[section];
  const caseOf = (when: string | undefined) => textOf(section, when);
  const note = textOf(codesSection, code);
  if (code !== undefined && caseOf(code) === undefined && !text.includes(`\`${code}\``) && note !== undefined)
    return { section: codesSection, title: specificationSections[codesSection]?.title ?? "", text: note };
  return { section, title, text: caseOf(code) ?? caseOf(String(status)) ?? caseOf(`${method} ${path}`) ?? text };
}

/** The text of a case of a section, unless it only refers to another section. */
function textOf(section: string, when: string | undefined): string | undefined {
  const found = specificationSections[section]?.cases?.find((one) => one.when === when)?.text;
  return found?.startsWith("See §") ? undefined : found;
}
