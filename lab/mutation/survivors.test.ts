import { describe, expect, it } from "vitest";
import { complaintsAbout, type Report, readList, scoresOf, survivorsOf } from "./survivors.ts";

const file = "packages/backend/src/rules/members.ts";
const source = "const open = a <\n  b;\nconst shut = a <\n  b;\n";
const comparison = (line: number, status: string, statusReason = "") => ({
  mutatorName: "EqualityOperator",
  replacement: "a <= b",
  status,
  statusReason,
  location: { start: { line, column: 14 }, end: { line: line + 1, column: 4 } },
});
type Mutants = readonly ReturnType<typeof comparison>[];
const killed = (times: number): Mutants => Array.from({ length: times }, () => comparison(1, "Killed"));

/** A report in which every group has mutants, with these in the file of the rules. */
const reportOf = (mutants: Mutants): Report => ({
  files: {
    [file]: { source, mutants },
    ...Object.fromEntries(
      [
        "backend/src/routes.ts",
        "backend/src/platform/calls.ts",
        "backend/src/http/validate.ts",
        "sdk/src/send/retry.ts",
        "sdk/src/send/send.ts",
        "sdk/src/utils/redact.ts",
        "sdk/src/webhooks/signature.ts",
      ].map((path) => [`packages/${path}`, { source, mutants: killed(1) }]),
    ),
  },
});

const row = "EqualityOperator ¦ a < b ¦ a <= b";
const listOf = (...rows: readonly string[]): string =>
  [`# A comment`, "", `@ ${file}`, "= Both are the same here.", ...rows].join("\n");
const identity = `${file} ¦ ${row}`;

describe("the survivors of a run", () => {
  it("are named by their code, not by their place", () => {
    const mutants = [comparison(1, "Survived"), comparison(3, "NoCoverage"), ...killed(1)];
    expect(survivorsOf(reportOf(mutants))).toEqual([identity, identity]);
  });

  it("pass when each is listed, and those with the same code are counted", () => {
    const report = reportOf([comparison(1, "Survived"), comparison(3, "Survived"), ...killed(38)]);
    expect(complaintsAbout(report, listOf(`${row} ¦ 2`))).toEqual([]);
    expect(complaintsAbout(report, listOf(row))).toEqual([
      `${identity}: survived. Write a test that fails with it, or list it.`,
    ]);
  });

  it("must not be gone from the run while they are listed", () => {
    expect(complaintsAbout(reportOf(killed(1)), listOf(row))).toEqual([
      `${identity}: is listed, but did not survive. Remove the row.`,
    ]);
  });

  it("may take too long where they are listed", () => {
    const hung = comparison(1, "Killed", "Test timed out in 5000ms.");
    for (const mutant of [comparison(1, "Timeout"), hung])
      expect(complaintsAbout(reportOf([mutant]), listOf(row))).toEqual([]);
  });

  it("of a part of the files are compared with the rows of these files", () => {
    const partial: Report = { files: { [file]: { source, mutants: [comparison(1, "Survived")] } } };
    const other = "@ packages/sdk/src/send/send.ts\n= Both are the same here.\n";
    expect(complaintsAbout(partial, `${listOf(row)}\n${other}${row}`, true)).toEqual([]);
    expect(complaintsAbout(partial, `${other}${row}`, true)).toEqual([
      `${identity}: survived. Write a test that fails with it, or list it.`,
    ]);
    expect(complaintsAbout({ files: { [file]: { source, mutants: killed(1) } } }, listOf(row), true)).toEqual([
      `${identity}: is listed, but did not survive. Remove the row.`,
    ]);
  });

  it("lower the score of their group also when they are listed", () => {
    const report = reportOf([comparison(1, "Survived"), ...killed(18)]);
    expect(complaintsAbout(report, listOf(row))).toEqual(["backend: rules: 94.7 % were killed, fewer than 95 %."]);
    expect(complaintsAbout(reportOf([comparison(1, "Survived"), ...killed(19)]), listOf(row))).toEqual([]);
  });

  it("do not include mutants that were not run, so those are refused", () => {
    expect(complaintsAbout(reportOf([comparison(1, "RuntimeError"), ...killed(1)]), "")).toEqual([
      `${file} ¦ a < b: the run ended with RuntimeError. Repeat it.`,
    ]);
    expect(complaintsAbout(reportOf([]), "")).toEqual(["backend: rules: has no mutants. Run all groups."]);
  });
});

it("the score counts a timeout as killed and leaves out what was ignored", () => {
  const report = reportOf([comparison(1, "Timeout"), comparison(1, "Ignored"), comparison(1, "NoCoverage")]);
  expect(scoresOf(report)[0]).toEqual({ group: "backend: rules", mutants: 2, killed: 1, survived: 1 });
});

it.each([
  ["a row without a file", row],
  ["a row without a reason", `@ ${file}\n${row}`],
  ["a row without a replacement", listOf("EqualityOperator ¦ a < b")],
  ["a row with a count of nothing", listOf(`${row} ¦ none`)],
])("the list refuses %s", (_name, list) => {
  expect(() => readList(list)).toThrow(/^Line \d+ of the survivors must be/);
});
