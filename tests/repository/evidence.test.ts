import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { cases } from "../../packages/contract/src/cases/index.ts";
import { entriesIn, readEvidence, type TestName, trace } from "../../scripts/evidence.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const hasTest = ({ path, title }: TestName) =>
  existsSync(new URL(`../../${path}`, import.meta.url)) && read(path).includes(`"${title}"`);

const page = `# A page

## <a id="s3"></a>3. The service

It places calls.

- A call has an id.

Not specified: how long it lasts ([A-25](assumptions.md#a-25)).

1. <a id="s3-1"></a>It ends.

| Status | When |
|---|---|
| 200 | Placed |
| 404 | |

| Field | Type |
|---|---|
| \`id\` | string |

| Code | Status |
|---|---|
| \`busy\` | 409 |
| \`gone\` | 410 |
`;
const entries = entriesIn(page);
const [example] = cases;
if (!example) throw new Error("There are no cases");
const problemsOf = (table: string) => trace(entries, readEvidence(table), [example], hasTest).problems;
const complete = `§3 ¦ It places ¦ reason background
§3 ¦ A call ¦ facts
§3.1 ¦ It ends ¦ case ^${example.resource}:
§3 ¦ 200 ¦ facts
§3 ¦ 404 ¦ facts
§3 ¦ Table of ¦ facts`;

describe("the parts of a page", () => {
  it("are its paragraphs, list items, rules, rows of statuses and other tables", () => {
    expect(entries.map(({ section, text }) => `${section} ${text}`)).toEqual([
      "3 It places calls.",
      "3 A call has an id.",
      "3 Not specified: how long it lasts (A-25).",
      "3.1 It ends.",
      "3 200 · Placed",
      "3 404",
      "3 Table of 3. The service (Field, Type)",
      "3 Table of 3. The service (Code, Status)",
    ]);
    expect(entries[2]).toMatchObject({ isOpen: true, assumptions: ["A-25"] });
  });

  it("need evidence, except for what only an assumption answers", () => {
    expect(problemsOf(complete)).toEqual([]);
  });

  it.each([
    [complete.replace("§3 ¦ A call ¦ facts\n", ""), '§3 "A call has an id." has no case'],
    [`${complete}\n§3 ¦ It flies ¦ facts`, '§3 has no part that starts with "It flies"'],
    [
      `${complete}\n§3 ¦ It places ¦ case ^no such case`,
      '§3 "It places calls.": no case has a name like ^no such case',
    ],
    [
      `${complete}\n§3 ¦ It places ¦ test tests/none.test.ts: places calls`,
      '§3 "It places": tests/none.test.ts has no test "places calls"',
    ],
    [
      `${complete}\n§3 ¦ It places ¦ test tests/repository/names.test.ts: places calls`,
      'tests/repository/names.test.ts has no test "places calls"',
    ],
  ])("are reported when the evidence is wrong", (table, problem) => {
    expect(problemsOf(table).join()).toContain(problem);
  });

  it("with a table of codes are shown by cases of these codes", () => {
    const named = (code: string) => ({ ...example, resource: "codes", name: `${code} arrives` });
    const rows = readEvidence("§3 ¦ Table of 3. The service (Code ¦ case ^codes: {code} arrives");
    const { traced } = trace(entries, rows, [named("away"), named("gone")], hasTest);
    expect(traced.at(-1)?.cases.map(({ name }) => name)).toEqual(["gone arrives"]);
  });

  it("refuse evidence of another kind", () => {
    expect(() => readEvidence("§3 ¦ It places ¦ trust me")).toThrow("Line 1 must be");
  });
});

describe("scripts/evidence.txt", () => {
  it("has evidence for each part of the specification", () => {
    const entries = entriesIn(read("docs/specification.md"));
    expect(trace(entries, readEvidence(read("scripts/evidence.txt")), cases, hasTest).problems).toEqual([]);
  });
});
