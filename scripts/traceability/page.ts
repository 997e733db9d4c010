// Writes docs/traceability.md: each part of the specification with what shows it.

import { operationIds } from "../../packages/contract/src/document/document.ts";
import { operations as operationFacts } from "../../packages/contract/src/facts/operations.ts";
import type { ContractCase } from "../../packages/contract/src/suite/case.ts";
import { type OperationId, operations } from "../../packages/spec/src/index.ts";
import type { Traced } from "./evidence.ts";

const head = `# What shows each part of the specification

Written by \`npm run record\` from [the specification](specification.md), the names of the contract cases and
\`scripts/traceability/evidence.txt\`. Do not edit.

A part is a paragraph, an item of a list, or a table. Tables of statuses, states, types and limits count row by row.

- *Facts*: \`openapi/\` is compared with \`packages/contract/src/facts/\`, and every response of every case with \`openapi/\`.
- *Cases*: contract cases show it; the first is named. They passed in the run that [contract-coverage.md](contract-coverage.md)
  records.
- *Targets*: where they passed. "all" are the suite's targets. Prism, alone or as a proxy, keeps no state or changes responses,
  so some cases do not run there or deviate as listed.
- *Not shown*: what the evidence leaves out.
- *Assumption*: what this project assumes where the part leaves something open, or where it departs from it.
`;

const longest = 90;
const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest).trimEnd()}…` : text);
/** Text of the specification in a cell. Only the first column cites. */
const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("§", "section ").replaceAll("_", "\\_");

const nameOf = (id: OperationId): string => `${operations[id].method} ${operations[id].path}`;

/** The operations that the specification has. */
const specified = operationIds.filter((id) => Object.hasOwn(operationFacts, nameOf(id)));

/** The operations that a part is about: those of its section, and those that its cases name. */
function operationsOf({ entry, cases }: Traced): string {
  const ofSection = specified.filter((id) => {
    const isOwn = operationFacts[nameOf(id)]?.section === `§${entry.section}`;
    return isOwn && (entry.section !== "4.6" || entry.text.includes(nameOf(id)));
  });
  const named = specified.filter((id) => cases.some(({ name }) => name.startsWith(`${id} `)));
  const all = ofSection.length > 0 ? ofSection : named;
  return all.length === specified.length ? "all" : all.join(", ");
}

function shownBy({ entry, rows, cases }: Traced): string {
  const [first] = cases;
  return [
    ...(rows.some(({ facts }) => facts) ? ["facts"] : []),
    ...(first ? [`${cases.length === 1 ? "the case" : "cases such as"} *${first.noun}: ${cut(first.name)}*`] : []),
    ...rows.flatMap(({ tests }) => tests.map(({ path, title }) => `\`${path}\`: *${title}*`)),
    ...rows.flatMap(({ reasons }) => reasons),
    ...rows.flatMap(({ gaps }) => gaps.map((gap) => `not shown: ${gap}`)),
    ...(rows.length === 0 && entry.isOpen ? ["left open"] : []),
  ].join("; ");
}

/** A target on which not every case passes. */
export interface PartialTarget {
  readonly name: string;
  passes(contractCase: ContractCase): boolean;
}

/** Where the cases of a part passed. */
function targetsOf({ cases }: Traced, partial: readonly PartialTarget[]): string {
  if (cases.length === 0) return "";
  const limits = partial.flatMap(({ name, passes }) => {
    const passed = cases.filter((one) => passes(one)).length;
    if (passed === cases.length) return [];
    return passed === 0 ? `not on ${name}` : `${passed} of ${cases.length} on ${name}`;
  });
  return ["all", ...limits].join("; ");
}

/** The page. `partial` are the targets on which some cases do not pass. */
export function pageOf(traced: readonly Traced[], partial: readonly PartialTarget[]): string {
  const line = (one: Traced): string => {
    const { section, text, assumptions } = one.entry;
    const anchor = `s${section.replaceAll(".", "-")}`;
    const links = assumptions.map((id) => `[${id}](assumptions.md#${id.toLowerCase()})`).join(", ");
    const cells = [cell(cut(text)), operationsOf(one), cell(shownBy(one)), targetsOf(one, partial), links];
    return `| [§${section}](specification.md#${anchor}) | ${cells.join(" | ")} |`;
  };
  return [
    head,
    "| Section | Part | Operations | Shown by | Targets | Assumption |",
    "|---|---|---|---|---|---|",
    ...traced.map(line),
    "",
  ].join("\n");
}
