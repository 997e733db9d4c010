import { describe, expect, it } from "vitest";
import {
  type Coverage,
  isShown,
  markdownOf,
  percentOf,
  sharesOf,
  shows,
  statusesOf,
  wordsOf,
} from "../src/data/records/coverage.ts";

const cell = (documented: boolean, count: number) => ({ documented, count });
const coverage: Coverage = {
  operations: [
    {
      operationId: "listThings",
      statuses: [
        { status: 200, ...cell(true, 3) },
        { status: 418, ...cell(false, 1) },
        { status: 500, ...cell(true, 0) },
      ],
      codes: [{ code: "internal_error", ...cell(true, 0) }],
    },
    {
      operationId: "addThing",
      statuses: [{ status: 201, ...cell(true, 0) }],
      codes: [{ code: "queue_full", ...cell(true, 0) }],
    },
  ],
  codes: [],
  unmatched: 0,
  rejected: 0,
};

describe("the shares", () => {
  it("count what is documented only", () => {
    expect(sharesOf(coverage)).toEqual({
      operations: { seen: 1, of: 2 },
      statuses: { seen: 1, of: 3 },
      codes: { seen: 0, of: 2 },
    });
  });

  it("are 100 % only with everything, and 0 % only with nothing", () => {
    const percent = (seen: number, of: number) => percentOf({ seen, of });
    expect([percent(0, 300), percent(1, 300), percent(299, 300), percent(300, 300)]).toEqual([0, 1, 99, 100]);
  });
});

it("the columns are all statuses, also undocumented ones, lowest first", () => {
  expect(statusesOf(coverage)).toEqual([200, 201, 418, 500]);
});

it("each choice shows its cells", () => {
  const cells = { never: cell(true, 0), seen: cell(true, 1), undocumented: cell(false, 1) };
  const shown = shows.map(([show]) => [
    show,
    ...Object.entries(cells).flatMap(([name, one]) => (isShown(one, show) ? [name] : [])),
  ]);
  expect(shown).toEqual([
    ["all", "never", "seen", "undocumented"],
    ["never", "never"],
    ["seen", "seen", "undocumented"],
    ["undocumented", "undocumented"],
  ]);
});

it("a cell says in words what its colour says", () => {
  expect([undefined, cell(true, 0), cell(true, 2), cell(false, 2)].map(wordsOf)).toEqual([
    "–",
    "never",
    "2×",
    "2× undocumented",
  ]);
});

it("Markdown holds the shares, the table and the codes never seen", () => {
  expect(markdownOf(coverage)).toBe(
    [
      "Operations: 1 of 2 (50 %). Statuses: 1 of 3 (33 %). Error codes: 0 of 2 (0 %).",
      "",
      "| Operation | 200 | 201 | 418 | 500 |",
      "| --- | --- | --- | --- | --- |",
      "| listThings | 3× | – | 1× undocumented | never |",
      "| addThing | – | never | – | – |",
      "",
      "Error codes that were never seen:",
      "",
      "- listThings: `internal_error`",
      "- addThing: `queue_full`",
      "",
    ].join("\n"),
  );
});
