import type { Coverage, Row } from "./coverage.ts";

/** What a cell's ways amount to: one word when all targets agree. */
function verdict({ reached }: Row, targets: readonly string[]): string {
  const ways = targets.map((target) => reached.get(target) ?? "not covered");
  const [first = "not covered"] = ways;
  if (ways.every((way) => way === first)) return first;
  return targets.map((target, index) => `${target}: ${ways[index]}`).join(", ");
}

const operationsIn = (coverage: Coverage): string[] => [
  ...new Set(coverage.rows.flatMap(({ cell }) => ("operation" in cell ? [cell.operation] : []))),
];

type Entries = [string, unknown][];

/** The coverage as data: sorted, and the same for the same contract and cases. */
export function coverageJson(coverage: Coverage): string {
  const { rows, targets } = coverage;
  const object = (entries: Entries) =>
    Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  const operations = operationsIn(coverage).map((operation): [string, unknown] => {
    const own = rows.filter(({ cell }) => "operation" in cell && cell.operation === operation);
    const by = (name: (row: Row) => string | undefined) =>
      object(
        own.flatMap((row): Entries => {
          const key = name(row);
          return key === undefined ? [] : [[key, verdict(row, targets)]];
        }),
      );
    return [
      operation,
      {
        statuses: by(({ cell }) => (cell.kind === "status" ? String(cell.status) : undefined)),
        codes: by(({ cell }) => (cell.kind === "code" ? cell.code : undefined)),
        ownCase: own.find(({ cell }) => cell.kind === "story")?.reached.size === targets.length,
        roles: by(({ cell }) => (cell.kind === "role" ? cell.role : undefined)),
        fields: by(({ cell }) => (cell.kind === "field" ? `${cell.field} ${cell.keyword} ${cell.side}` : undefined)),
      },
    ];
  });
  const demand = rows.flatMap(
    (row): Entries => (row.cell.kind === "demand" ? [[row.cell.code, verdict(row, targets)]] : []),
  );
  const document = {
    targets,
    operations: object(operations),
    onDemand: object(demand),
    onDemandOnly: coverage.onDemandCodes,
    undocumented: coverage.undocumented,
    findings: coverage.findings,
    notRun: coverage.notRun,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const marks: Readonly<Record<string, string>> = { behaviour: "yes", "on demand": "on demand", "not covered": "**no**" };
const mark = (row: Row | undefined, targets: readonly string[]): string =>
  row ? (marks[verdict(row, targets)] ?? verdict(row, targets)) : "";

const kinds = {
  status: "operation × status",
  code: "operation × code",
  field: "field × keyword",
  role: "operation × caller",
  story: "operation × case of its own",
  demand: "code × on demand",
} as const;

function summary({ rows, targets }: Coverage): string {
  const lines = Object.entries(kinds).map(([kind, name]) => {
    const own = rows.filter(({ cell }) => cell.kind === kind);
    const count = (way: string) => own.filter((row) => verdict(row, targets) === way).length;
    const covered = count("behaviour") + count("on demand");
    return [
      name,
      String(own.length),
      String(count("behaviour")),
      String(count("on demand")),
      String(own.length - covered),
    ];
  });
  return table(["Cells", "Documented", "By behaviour", "On demand", "Not covered"], lines);
}

function statusGrid(coverage: Coverage): string {
  const { rows, targets } = coverage;
  const statuses = [...new Set(rows.flatMap(({ cell }) => (cell.kind === "status" ? [cell.status] : [])))].toSorted();
  const lines = operationsIn(coverage).map((operation) => [
    operation,
    ...statuses.map((status) =>
      mark(
        rows.find(({ cell }) => cell.kind === "status" && cell.operation === operation && cell.status === status),
        targets,
      ),
    ),
  ]);
  return table(["Operation", ...statuses.map(String)], lines);
}

function perOperation(coverage: Coverage, kind: "code" | "role"): string {
  const { rows, targets } = coverage;
  const names = [
    ...new Set(rows.flatMap(({ cell }) => (cell.kind === kind ? [cell.kind === "code" ? cell.code : cell.role] : []))),
  ];
  const operations = operationsIn(coverage);
  const find = (operation: string, name: string) =>
    rows.find(
      ({ cell }) =>
        cell.kind === kind && cell.operation === operation && (cell.kind === "code" ? cell.code : cell.role) === name,
    );
  return table(
    [kind === "code" ? "Code" : "Caller", ...operations],
    names.map((name) => [name, ...operations.map((operation) => mark(find(operation, name), targets))]),
  );
}

function fieldTable({ rows, targets }: Coverage): string {
  const groups = Map.groupBy(
    rows.filter(({ cell }) => cell.kind === "field"),
    ({ cell }) => (cell.kind === "field" ? `${cell.operation}\n${cell.field}\n${cell.keyword}` : ""),
  );
  const side = (group: readonly Row[], wanted: string) =>
    mark(
      group.find(({ cell }) => cell.kind === "field" && cell.side === wanted),
      targets,
    );
  const lines = [...groups].map(([key, group]) => [...key.split("\n"), side(group, "valid"), side(group, "invalid")]);
  return table(["Operation", "Field", "Rule", "Valid accepted", "Invalid refused"], lines);
}

const list = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((line) => `- ${line}`).join("\n");

/** The coverage to read. */
export function coverageMarkdown(coverage: Coverage): string {
  return `# Contract coverage

Written by the contract suite from the answers it got; not edited by hand. Every case ran on: ${coverage.targets.join(", ")}.
A cell counts when a case that passed reached it on each target. "On demand" is a class of its own: only a fault
brought that answer about, so it shows how clients see it and nothing about when the platform gives it.

${summary(coverage)}

## Operation × status

${statusGrid(coverage)}

A 500 is only ever answered on demand: no input is meant to bring one about.

## Operation × code

${perOperation(coverage, "code")}

## Operation × caller

Each caller's answer is derived from the roles that the contract gives the operation.

${perOperation(coverage, "role")}

## Field × rule

The last valid and the first invalid value of every rule, derived from the contract's schemas. \`null\` stands for an
explicit null, \`extra\` for an unknown member, \`optional\` and \`default\` for a field left out, \`id\` for the form of an id.
A rule with one side leaves the other cell empty.

${fieldTable(coverage)}

## Codes that only come on demand

Flagged so by the contract because nothing the specification shows brings them about, or listed by no operation of the
contract because the operations that answer them are not shown (A-29). Every code of the table, these or not, is also
answered once on demand and read through the SDK.

${coverage.onDemandCodes.map((code) => `\`${code}\``).join(", ")}

## What was met where the specification is silent

Each row of [the assumptions](assumptions.md) allows more than one answer here; a target passes with any of them.

${list(coverage.findings, "Nothing was left open.")}

## Not run

${list(coverage.notRun, "Every target ran every case.")}
`;
}
