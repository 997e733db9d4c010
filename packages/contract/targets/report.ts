import { type CoverageCell, cellClasses, nameCell } from "../src/coverage/cells.ts";
import type { Coverage, CoverageRow, TargetSummary } from "../src/coverage/coverage.ts";
import { groupBy } from "../src/coverage/coverage.ts";
import { faultOnlyCodes } from "../src/document/document.ts";

type Kind = CoverageCell["kind"];
const kinds = Object.keys(cellClasses) as Kind[];

const targetsOf = ({ tallies }: Coverage): string[] => tallies.map(({ target }) => target);
const rowsOf = ({ rows }: Coverage, kind: Kind): CoverageRow[] => rows.filter(({ cell }) => cell.kind === kind);

/** The targets that reached a cell as expected. */
const coveredOn = ({ expected, reached }: CoverageRow): string[] =>
  [...reached].filter(([, way]) => way === expected).map(([target]) => target);

/** A short list of the targets that cover a row. */
function onTargets(row: CoverageRow, all: readonly string[]): string {
  const covered = coveredOn(row);
  if (covered.length === all.length) return "all";
  if (covered.length === 0) return "none";
  const others = all.filter((target) => !covered.includes(target));
  return others.length < covered.length ? `all but ${others.join(", ")}` : covered.toSorted().join(", ");
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

const list = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((line) => `- ${line}`).join("\n");

/** A table of the covered cells by class and target. */
export function classTable(coverage: Coverage): string {
  const all = targetsOf(coverage);
  const lines = kinds.map((kind) => {
    const rows = rowsOf(coverage, kind);
    const counts = all.map((target) => String(rows.filter((row) => coveredOn(row).includes(target)).length));
    return [cellClasses[kind], String(rows.length), ...counts];
  });
  return table(["Cells", "Documented", ...all], lines);
}

/** A table of the case results by target. */
export function caseTable({ tallies }: Coverage): string {
  const count = (lists: Iterable<readonly string[]>) => [...lists].reduce((sum, cases) => sum + cases.length, 0);
  const lines = tallies.map(({ target, passed, failed, deviations, notRun }) => {
    const limits = [...notRun.keys()].join(", ");
    return [target, String(passed), String(failed), String(count(deviations.values())), limits || "nothing"];
  });
  return table(["Target", "Cases passed", "Failed", "Known deviations", "Unsupported"], lines);
}

const limitsOf = ({ target, notRun, deviations }: TargetSummary): string[] => [
  ...[...notRun].map(
    ([capability, { reason, cases }]) => `**${target}**, ${capability}: ${reason} (${cases} cases not run)`,
  ),
  ...[...deviations].map(
    ([reason, cases]) => `**${target}**: ${reason} (${cases.length === 1 ? cases[0] : `${cases.length} cases`})`,
  ),
];

/** The entry of a cell in a table: the targets that cover it, and whether only by a fault. */
function mark(row: CoverageRow | undefined, all: readonly string[]): string {
  if (!row) return "";
  const where = onTargets(row, all);
  if (where === "none") return "**no**";
  const names = where === "all" ? "yes" : where;
  return row.expected === "on demand" ? (where === "all" ? "on demand" : `on demand: ${names}`) : names;
}

/** A table of operations by statuses, codes or callers. */
function grid(coverage: Coverage, kind: "status" | "code" | "role", corner: string): string {
  const all = targetsOf(coverage);
  const nameOf = ({ cell }: CoverageRow) => nameCell(cell).slice(nameCell(cell).indexOf(": ") + 2);
  const operationOf = ({ cell }: CoverageRow) => ("operation" in cell ? cell.operation : "");
  const rows = rowsOf(coverage, kind);
  const operations = [...new Set(rows.map(operationOf))];
  const names = [...new Set(rows.map(nameOf))];
  const ordered = kind === "status" ? names.toSorted() : names;
  const find = (name: string, operation: string) =>
    rows.find((row) => nameOf(row) === name && operationOf(row) === operation);
  const lines = ordered.map((name) => [name, ...operations.map((operation) => mark(find(name, operation), all))]);
  return table([corner, ...operations], lines);
}

function fieldTable(coverage: Coverage): string {
  const all = targetsOf(coverage);
  const groups = groupBy(rowsOf(coverage, "field"), ({ cell }) =>
    cell.kind === "field" ? `${cell.operation}\n${cell.field}\n${cell.keyword}` : "",
  );
  const side = (group: readonly CoverageRow[], wanted: string) =>
    mark(
      group.find(({ cell }) => cell.kind === "field" && cell.side === wanted),
      all,
    );
  const lines = [...groups].map(([key, group]) => [...key.split("\n"), side(group, "valid"), side(group, "invalid")]);
  return table(["Operation", "Field", "Rule", "Valid accepted", "Invalid rejected"], lines);
}

function plainTable(coverage: Coverage, kinds: readonly Kind[], head: string): string {
  const all = targetsOf(coverage);
  const lines = kinds.flatMap((kind) => rowsOf(coverage, kind)).map((row) => [nameCell(row.cell), mark(row, all)]);
  return table([head, "Covered"], lines);
}

function reactionTable(coverage: Coverage): string {
  const all = targetsOf(coverage);
  const rows = rowsOf(coverage, "reaction");
  const retries = [...new Set(rows.flatMap(({ cell }) => (cell.kind === "reaction" ? [cell.idempotency] : [])))];
  const groups = groupBy(rows, ({ cell }) => (cell.kind === "reaction" ? cell.fault : ""));
  const lines = [...groups].map(([fault, group]) => [
    fault,
    ...retries.map((retry) =>
      mark(
        group.find(({ cell }) => cell.kind === "reaction" && cell.idempotency === retry),
        all,
      ),
    ),
  ]);
  return table(["Failure", ...retries.map((retry) => `\`${retry}\` operations`)], lines);
}

/** The coverage as Markdown. */
export function coverageMarkdown(coverage: Coverage): string {
  return `# Contract coverage

Written by the contract suite from the responses it received. Do not edit. The same cases run on every target:
${targetsOf(coverage).join(", ")}. A cell counts as covered on a target if a case that passed there reached it.

- "Yes" means every target.
- "On demand" means that only a fault produced the response. Such a cell shows how clients see the response. It does not show
  when the platform sends it.

${classTable(coverage)}

## What each target ran

${caseTable(coverage)}

${list(coverage.tallies.flatMap(limitsOf), "Every target supports everything that the cases need.")}

## Status × operation

${grid(coverage, "status", "Status")}

A 500 occurs only on demand: no input should cause one.

## Code × operation

${grid(coverage, "code", "Code")}

## Caller × operation

The expected response to each caller follows from the roles that the contract gives the operation.

${grid(coverage, "role", "Caller")}

## Transitions

${plainTable(coverage, ["transition"], "Transition")}

## Webhooks

${plainTable(coverage, ["webhook"], "Delivery")}

## Fault × client reaction

The SDK's reaction depends on the operation's idempotency. It may always retry \`idempotent\` operations. It may retry \`conflict_safe\` ones
unless a name is taken. It never retries \`non_idempotent\` ones if the outcome is unknown.

${reactionTable(coverage)}

## Field × rule

The last valid and the first invalid value of every rule, derived from the contract's schemas. \`null\` means an explicit null,
\`extra\` an unknown field, \`optional\` and \`default\` an omitted field, and \`id\` the format of an id. If a rule has only one side,
the other cell is empty.

${fieldTable(coverage)}

## Codes that occur only on demand

A code is in this list for one of two reasons (A-29). Either the contract marks it, because nothing in the specification
triggers it. Or no operation of the contract lists it, because the specification does not define the operations that return it.
The suite also produces every code of the table once on demand and reads it through the SDK.

${faultOnlyCodes
  .toSorted()
  .map((code) => `\`${code}\``)
  .join(", ")}

## Observations where the specification is silent

Each row of [the assumptions](assumptions.md) allows several responses. A target passes with any of them.

${list(coverage.findings, "There are no observations.")}
`;
}
