import { specificationSections } from "../generated/specification.gen.ts";
import type { JournalEntry } from "../http/journal.ts";
import type { ControlHandlers } from "./exchange.ts";

/** A text of the specification. */
export interface Rule {
  /** The section, such as `§4.1`. */
  readonly section: string;
  readonly title: string;
  readonly text: string;
}

export const specificationHandlers = {
  getSpecification: () => ({
    sections: Object.entries(specificationSections).map(([section, { cases, ...texts }]) => ({
      section,
      ...texts,
      ...(cases && { cases: [...cases] }),
    })),
  }),
} satisfies Partial<ControlHandlers>;

/** The text behind a decision: of the error code or the status if the section has one, otherwise the section's own. */
export function ruleOf({
  decidedBy,
  status,
  code,
}: Pick<JournalEntry, "decidedBy" | "status" | "code">): Rule | undefined {
  const { section } = decidedBy;
  const found = section === undefined ? undefined : specificationSections[section];
  if (section === undefined || found === undefined) return undefined;
  const { title, text, cases = [] } = found;
  const special = cases.find(({ when }) => when === code) ?? cases.find(({ when }) => when === String(status));
  return { section, title, text: special?.text ?? text };
}
