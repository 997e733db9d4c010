import { expect, it } from "vitest";
import { unsaidFindings } from "../../targets/report.ts";

const page = `| Id | Open question | Our assumption | Where |
|---|---|---|---|
| <a id="a-1"></a>A-1 | The code | The destination is not an \`app\`: \`bad_request\` | Contract |
`;

it.each([
  ["A-1", "the destination is not an app", true],
  ["A-1", "an unknown flow", false],
  ["A-2", "the destination is not an app", false],
])("a finding of %s about %s is reported once unless the page says it", (assumption, subject, isSaid) => {
  const finding = { assumption, subject };
  const sentence = `docs/assumptions.md: ${assumption} does not say "${subject}". Say it there, or cite the row that does.`;
  expect(unsaidFindings([finding, finding], page)).toEqual(isSaid ? [] : [sentence]);
});
