// Compares the mutants that survived `npm run lab -- mutate` with the list of those that may, and computes the score of each group.

/** The parts of a StrykerJS report (reports/stryker.json) that the comparison uses. */
export interface Report {
  readonly files: Readonly<Record<string, ReportedFile>>;
}

interface ReportedFile {
  readonly source: string;
  readonly mutants: readonly ReportedMutant[];
}

interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly statusReason?: string;
  readonly location: { readonly start: Position; readonly end: Position };
}

/** Both count from 1. */
interface Position {
  readonly line: number;
  readonly column: number;
}

/** The result of one group of files. */
export interface Score {
  readonly group: string;
  readonly mutants: number;
  readonly killed: number;
  readonly survived: number;
}

/** The groups of files, by the beginning of their paths. A file belongs to the first that fits. */
const groups: readonly (readonly [group: string, files: RegExp])[] = [
  ["backend: rules", /^packages\/backend\/src\/rules\//],
  ["backend: routes", /^packages\/backend\/src\/routes[.]ts$/],
  ["backend: platform", /^packages\/backend\/src\/platform\//],
  ["backend: http", /^packages\/backend\/src\/http\//],
  ["sdk: retry", /^packages\/sdk\/src\/(?:send\/(?:retry|not-sent)|options\/retry-budget)\.ts$/],
  ["sdk: redact", /^packages\/sdk\/src\/utils\/redact\.ts$/],
  ["sdk: webhooks", /^packages\/sdk\/src\/webhooks\//],
  ["sdk: send", /^packages\/sdk\/src\/send\//],
];

/** Percent of a group's mutants that must be killed. */
const lowestScore = 95;
/** Longer code is cut in the list. */
const longestCode = 120;

const killedStatuses = ["Killed", "Timeout"];
const survivedStatuses = ["Survived", "NoCoverage"];
/** Neither killed nor survived, on purpose. */
const ignoredStatuses = ["Ignored"];

/** Code on one line, cut to a length. The list quotes code in this form. */
function quote(code: string): string {
  const line = code.replaceAll(/\s+/g, " ").trim();
  return line.length > longestCode ? `${line.slice(0, longestCode)}…` : line;
}

function textAt(source: string, { start, end }: ReportedMutant["location"]): string {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined))
    .join("\n");
}

const allMutants = ({ files }: Report) =>
  Object.entries(files).flatMap(([file, { source, mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, file, code: textAt(source, mutant.location) })),
  );

type Mutant = ReturnType<typeof allMutants>[number];

/** Mutants, each as the list names it: file, mutator, code, and its replacement. One line per mutant. */
const namesOf = (mutants: readonly Mutant[]): string[] =>
  mutants.map(({ file, mutatorName, code, replacement = "" }) =>
    [file, mutatorName, quote(code), quote(replacement)].join(" ¦ "),
  );

/** The survivors of a report, as the list names them. */
export const survivorsOf = (report: Report): string[] =>
  namesOf(allMutants(report).filter(({ status }) => survivedStatuses.includes(status)));

/** The mutants whose tests took too long, as the list names them. A mutant that hangs does so, and any on a slow machine. */
const tooLongOf = (report: Report): string[] =>
  namesOf(
    allMutants(report).filter(
      ({ status, statusReason = "" }) => status === "Timeout" || statusReason.startsWith("Test timed out"),
    ),
  );

/** The scores of the groups. Accepted survivors lower the score like any other. */
export function scoresOf(report: Report): Score[] {
  const mutants = allMutants(report);
  const groupOf = (file: string) => groups.find(([, files]) => files.test(file))?.[0];
  return groups.map(([group]) => {
    const statuses = mutants.filter(({ file }) => groupOf(file) === group).map(({ status }) => status);
    const killed = statuses.filter((status) => killedStatuses.includes(status)).length;
    const survived = statuses.filter((status) => survivedStatuses.includes(status)).length;
    return { group, mutants: killed + survived, killed, survived };
  });
}

/** Percent of the mutants that were killed. */
export const percentOf = ({ mutants, killed }: Score): number => (100 * killed) / mutants;

/**
 * Reads the list of accepted survivors. `@` names the file of the rows below it, and `=` the reason for which they may
 * survive. A row is mutator ¦ code ¦ replacement. A row that stands for several mutants ends with their number.
 *
 * @throws A row has another form, or no file or reason stands above it.
 */
export function readList(list: string): string[] {
  const accepted: string[] = [];
  let file = "";
  let reason = "";
  for (const [index, line] of list.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    if (line.startsWith("@ ")) [file, reason] = [line.slice(2), ""];
    else if (line.startsWith("= ")) reason = line.slice(2);
    else {
      const [mutator, code, replacement, times = "1", ...rest] = line.split("¦").map((cell) => cell.trim());
      const isRow = file !== "" && reason !== "" && replacement !== undefined && rest.length === 0;
      if (!isRow || !(Number(times) >= 1))
        throw new Error(
          `Line ${index + 1} of the survivors must be "@ file", "= reason", or "mutator ¦ code ¦ replacement" below both.`,
        );
      const row = [file, mutator, code, replacement].join(" ¦ ");
      for (let count = Number(times); count > 0; count -= 1) accepted.push(row);
    }
  }
  return accepted;
}

/** The elements of `left` without one element of `right` for each equal one. */
function without(left: readonly string[], right: readonly string[]): string[] {
  const rest = [...right];
  return left.filter((one) => {
    const index = rest.indexOf(one);
    if (index !== -1) rest.splice(index, 1);
    return index === -1;
  });
}

/** What is wrong with a run: each line says what to do. `isPartial` leaves out the files that the run did not mutate. */
export function complaintsAbout(report: Report, list: string, isPartial = false): string[] {
  const survivors = survivorsOf(report);
  const accepted = readList(list).filter((row) => !isPartial || (row.split(" ¦ ")[0] ?? "") in report.files);
  const counted = [...killedStatuses, ...survivedStatuses, ...ignoredStatuses];
  const broken = allMutants(report).filter(({ status }) => !counted.includes(status));
  return [
    ...broken.map(({ file, status, code }) => `${file} ¦ ${quote(code)}: the run ended with ${status}. Repeat it.`),
    ...without(survivors, accepted).map((one) => `${one}: survived. Write a test that fails with it, or list it.`),
    ...without(accepted, [...survivors, ...tooLongOf(report)]).map(
      (one) => `${one}: is listed, but did not survive. Remove the row.`,
    ),
    ...(isPartial ? [] : scoresOf(report)).flatMap((score) => {
      if (score.mutants === 0) return [`${score.group}: has no mutants. Run all groups.`];
      const percent = percentOf(score);
      return percent < lowestScore
        ? [`${score.group}: ${percent.toFixed(1)} % were killed, fewer than ${lowestScore} %.`]
        : [];
    }),
  ];
}
