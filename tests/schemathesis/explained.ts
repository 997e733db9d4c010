// The findings that are right as they are, and why: explained.yaml.
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import * as z from "zod";
import type { Finding } from "./report.ts";

const explanations = z.array(
  z.strictObject({
    operations: z.array(z.string()).min(1),
    check: z.string(),
    answers: z.array(z.string()).min(1),
    because: z.string(),
    rare: z.boolean().optional(),
  }),
);
export type Explanation = z.infer<typeof explanations>[number];

export const readExplanations = (): readonly Explanation[] =>
  explanations.parse(parse(readFileSync(new URL("explained.yaml", import.meta.url), "utf8")));

const keyOf = ({ operation, check, answer }: Pick<Finding, "operation" | "check" | "answer">) =>
  `${operation} ${check} ${answer}`;

/** What an entry explains, one line for each operation and answer. */
const keysOf = ({ operations, check, answers }: Explanation) =>
  operations.flatMap((operation) => answers.map((answer) => keyOf({ operation, check, answer })));

/** Compares findings with the list: what it does not explain, each once, and the entries that no finding needs. */
export function compare(findings: readonly Finding[], list: readonly Explanation[]) {
  const explained = new Set(list.flatMap(keysOf));
  const found = new Map(findings.toReversed().map((finding) => [keyOf(finding), finding]));
  return {
    unexplained: [...found].filter(([key]) => !explained.has(key)).map(([, finding]) => finding),
    unused: list.filter((entry) => !entry.rare && !keysOf(entry).some((key) => found.has(key))),
  };
}
