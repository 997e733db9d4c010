// Compares the subjects of findings with the rows of docs/assumptions.md that they cite.
import { readFileSync } from "node:fs";
import type { Finding } from "../src/suite/check.ts";

const plain = (text: string): string => text.replaceAll("`", "").toLowerCase();

/** The rows of docs/assumptions.md by id, as plain text. */
function rowsOf(page: string): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^\| <a id="[^"]+"><\/a>(A-\d+) \| (.*) \|$/gm);
  return new Map([...rows].map(([, id = "", text = ""]) => [id, plain(text)]));
}

/** The findings whose subject does not occur in the row that they cite. */
export function unsaidFindings(findings: readonly Pick<Finding, "assumption" | "subject">[], page: string): string[] {
  const rows = rowsOf(page);
  const unsaid = findings
    .filter(({ assumption, subject }) => !rows.get(assumption)?.includes(plain(subject)))
    .map(
      ({ assumption, subject }) =>
        `docs/assumptions.md: ${assumption} does not say "${subject}". Say it there, or cite the row that does.`,
    );
  return [...new Set(unsaid)];
}

/** The text of docs/assumptions.md. */
export const assumptionsPage = (): string =>
  readFileSync(new URL("../../../docs/assumptions.md", import.meta.url), "utf8");
