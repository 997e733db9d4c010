// Writes the tables of operations into the pages that show them, between two comments.
import { readFileSync } from "node:fs";
import type { OperationModel } from "./model.ts";

const pages = ["docs/sdk.md", "packages/sdk/README.md"];
const start = "<!-- operations, written by `npm run generate` -->\n";
const end = "<!-- end of operations -->\n";

function rowOf({
  summary,
  resource,
  sdkMethod,
  pathParameters,
  requestSchema,
  queryParameters,
}: OperationModel): string {
  const input = [
    ...pathParameters.map(({ name }) => name),
    ...(requestSchema ? ["body"] : []),
    ...(queryParameters.length > 0 ? ["query"] : []),
  ];
  return `| ${summary} | \`client.${resource}.${sdkMethod}(${input.join(", ")})\` |\n`;
}

/** The pages with tables of operations, by their paths in the repository. */
export function renderPages(root: URL, operations: readonly OperationModel[]): Map<string, string> {
  const table = `| Operation | Method |\n|---|---|\n${operations.map(rowOf).join("")}`;
  return new Map(
    pages.map((path) => {
      const [before, rest] = readFileSync(new URL(path, root), "utf8").split(start);
      const after = rest?.split(end)[1];
      if (after === undefined)
        throw new Error(`${path} lacks the two comments around its table of operations. Restore them.`);
      return [path, `${before}${start}\n${table}\n${end}${after}`];
    }),
  );
}
