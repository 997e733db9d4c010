import { expect, it } from "vitest";
import { pagesAmong } from "../scripts/changed-pages.ts";

it.each([
  [["docs/sdk.md", "README.md", "packages/sdk/README.md"], true],
  [["docs/decisions/0001-one-table-of-error-codes.md"], true],
  [["docs/images/session.svg"], false],
  [["SECURITY.md"], false],
  [["docs/sdk.md", "packages/sdk/src/index.ts"], false],
  [[".changeset/first.md"], false],
  [["packages/sdk/CHANGELOG.md", "openapi/limits.yaml"], false],
  [[], false],
])("the pages run alone after a change of %j: %s", (changed, isPagesOnly) => {
  expect(pagesAmong(changed)).toEqual(isPagesOnly ? changed : undefined);
});
