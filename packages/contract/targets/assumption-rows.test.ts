import { describe, expect, it } from "vitest";
import { unsaidFindings } from "./assumption-rows.ts";

const page = `| Id | Open question | Our assumption | Where |
|---|---|---|---|
| <a id="a-1"></a>A-1 | The code | The destination is not an \`app\`: \`bad_request\` | Contract |
`;

describe("a finding", () => {
  it("may cite a row that says its subject", () => {
    expect(unsaidFindings([{ assumption: "A-1", subject: "the destination is not an app" }], page)).toEqual([]);
  });

  it.each([
    ["A-1", "an unknown flow"],
    ["A-2", "the destination is not an app"],
  ])("is reported once when %s does not say %s", (assumption, subject) => {
    const finding = { assumption, subject };
    expect(unsaidFindings([finding, finding], page)).toEqual([
      `docs/assumptions.md: ${assumption} does not say "${subject}". Say it there, or cite the row that does.`,
    ]);
  });
});
