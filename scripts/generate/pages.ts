// Writes the tables of operations into the pages that show them, between two comments.
import { readFileSync } from "node:fs";
import type { OperationModel } from "./read/model.ts";

/** A table, by the name in the comments around it, and the pages that show it. */
interface Table {
  readonly name: string;
  readonly head: string;
  readonly pages: readonly string[];
  rowOf(operation: OperationModel): string;
}

const tables: readonly Table[] = [
  {
    name: "operations",
    head: "| Operation | Method |\n|---|---|\n",
    pages: ["docs/sdk.md", "packages/sdk/README.md"],
    rowOf: (operation) => `| ${operation.summary} | \`${methodOf(operation, inputOf(operation).join(", "))}\` |\n`,
  },
  {
    name: "permissions",
    head: "| Method | Roles | Scope of a key |\n|---|---|---|\n",
    pages: ["docs/authentication.md"],
    rowOf: (operation) =>
      `| \`${methodOf(operation, "…")}\` | ${operation.roles.join(", ")} | \`${operation.scope}\` |\n`,
  },
];

const methodOf = ({ resource, sdkMethod }: OperationModel, input: string): string =>
  `client.${resource}.${sdkMethod}(${input})`;

const inputOf = ({ pathParameters, requestSchema, queryParameters }: OperationModel): readonly string[] => [
  ...pathParameters.map(({ name }) => name),
  ...(requestSchema ? ["body"] : []),
  ...(queryParameters.length > 0 ? ["query"] : []),
];

/** The pages with tables of operations, by their paths in the repository. */
export function renderPages(root: URL, operations: readonly OperationModel[]): Map<string, string> {
  const rendered = tables.flatMap(({ name, head, pages, rowOf }) => {
    const table = head + operations.map(rowOf).join("");
    return pages.map((path): [string, string] => [
      path,
      withTable(path, readFileSync(new URL(path, root), "utf8"), name, table),
    ]);
  });
  return new Map(rendered);
}

function withTable(path: string, text: string, name: string, table: string): string {
  const start = `<!-- ${name}, written by \`npm run record\` -->\n`;
  const end = `<!-- end of ${name} -->\n`;
  const [before, rest] = text.split(start);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${path} lacks the two comments around its table of ${name}. Restore them.`);
  return `${before}${start}\n${table}\n${end}${after}`;
}
