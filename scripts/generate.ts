// Generates files from openapi/. With --check, writes nothing, lists stale files, lints the two documents by Redocly's rules, and
// fails if there are any or if one breaks a rule.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { formatProblems, getTotals, lint, loadConfig } from "@redocly/openapi-core";
import { renderControl } from "./generate/control.ts";
import {
  renderErrorCodeStatus,
  renderErrorCodes,
  renderLimits,
  renderOperations,
  renderSdkErrorCodes,
  renderStatusErrors,
} from "./generate/operations.ts";
import { renderPages } from "./generate/pages.ts";
import { renderAssumptions, renderPolicies } from "./generate/policies.ts";
import { renderDocument } from "./generate/publish.ts";
import { renderPython } from "./generate/python.ts";
import { renderQueries } from "./generate/queries.ts";
import { IncompleteDescription, loadDocument, readCodeTable } from "./generate/read/document.ts";
import { modelOf } from "./generate/read/model.ts";
import {
  renderNoun,
  renderResources,
  renderSdkConstants,
  renderSdkExports,
  renderSdkOperations,
  renderSignature,
  renderVersion,
} from "./generate/resources.ts";
import { renderResponseSchemas, renderSchemas } from "./generate/schemas.ts";
import { renderSpecification } from "./generate/specification.ts";
import { renderTypes, sdkModels, sdkTypes } from "./generate/types.ts";

const root = new URL("../", import.meta.url);
const generatedFolders = [
  "packages/spec/src",
  "packages/sdk/src/errors",
  "packages/sdk/src/generated",
  "packages/sdk/src/query",
  "packages/sdk/src/resources",
  "packages/backend/src/generated",
  "packages/python/src/call_transfer/_generated",
];

/** The documents with the rules for each. */
const lintedDocuments = [
  ["packages/spec/openapi.json", "openapi/redocly.yaml"],
  ["openapi/control/control.yaml", "openapi/control/redocly.yaml"],
] as const;

/** Every generated file by its path in the repository. */
async function render(): Promise<Map<string, string>> {
  const document = await loadDocument();
  const operations = modelOf(document);
  const types = await renderTypes(document, operations);
  const nouns = Map.groupBy(operations, ({ noun }) => noun);
  const pages = renderPages(root, document, operations);
  const files = new Map([
    ["packages/spec/openapi.json", renderDocument(document)],
    ["packages/spec/src/types.gen.ts", types.paths],
    ["packages/spec/src/models.gen.ts", types.models],
    ["packages/spec/src/schemas.gen.ts", await renderSchemas(document, operations)],
    ["packages/spec/src/response-schemas.gen.ts", await renderResponseSchemas(document, operations)],
    ["packages/spec/src/operations.gen.ts", renderOperations(operations)],
    ["packages/spec/src/error-codes.gen.ts", renderErrorCodes(document)],
    ["packages/spec/src/error-code-status.gen.ts", renderErrorCodeStatus(document)],
    ["packages/spec/src/limits.gen.ts", renderLimits(document)],
    ["packages/sdk/src/generated/types.gen.ts", sdkTypes],
    ["packages/sdk/src/generated/models.gen.ts", sdkModels],
    ["packages/sdk/src/generated/constants.gen.ts", renderSdkConstants(document)],
    ["packages/sdk/src/generated/operations.gen.ts", renderSdkOperations(operations)],
    [
      "packages/sdk/src/generated/version.gen.ts",
      renderVersion(read("packages/sdk/package.json"), read("packages/spec/package.json")),
    ],
    ["packages/sdk/src/generated/signature.gen.ts", renderSignature(document)],
    ["packages/sdk/src/query/queries.gen.ts", renderQueries(operations)],
    ["packages/sdk/src/generated/error-codes.gen.ts", renderSdkErrorCodes(document)],
    ["packages/sdk/src/errors/status-errors.gen.ts", renderStatusErrors(readCodeTable().classes)],
    ["packages/sdk/src/resources/resources.gen.ts", renderResources(nouns)],
    ["packages/sdk/src/resources/index.gen.ts", renderSdkExports(document, nouns)],
    ...(await renderControl()),
    ["packages/backend/src/generated/policies.gen.ts", renderPolicies()],
    ["packages/backend/src/generated/specification.gen.ts", renderSpecification(pages)],
    ...renderAssumptions(pages),
    ...renderPython(document, operations, read("packages/python/package.json"), read("packages/spec/package.json")),
  ]);
  for (const [noun, members] of nouns) {
    files.set(`packages/sdk/src/resources/${noun}.gen.ts`, renderNoun(noun, members, document));
  }
  return files;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, root), "utf8");
  } catch {
    return undefined;
  }
}

/** Files of earlier runs that are no longer generated. */
function orphansOf(files: Map<string, string>): string[] {
  return generatedFolders.flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, root))
      .filter((name) => name.endsWith(".gen.ts") || name.endsWith(".py"))
      .map((name) => `${folder}/${name}`)
      .filter((path) => !files.has(path)),
  );
}

/** Writes every generated file, or compares it. */
async function generate(isCheck: boolean): Promise<void> {
  for (const folder of generatedFolders) mkdirSync(new URL(`${folder}/`, root), { recursive: true });
  const files = await render().catch((error: unknown) => {
    if (!(error instanceof IncompleteDescription)) throw error;
    console.error(error.message);
    process.exit(1);
  });
  const stale = [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);
  const orphans = orphansOf(files);

  if (isCheck) {
    for (const path of stale) console.error(`stale: ${path}`);
    for (const path of orphans) console.error(`no longer generated: ${path}`);
    if (stale.length + orphans.length > 0) {
      console.error("Generated files differ from openapi/. Run `npm run record` and commit what it writes.");
      process.exit(1);
    }
    console.log(`${files.size} generated files match openapi/`);
    for (const [document, rules] of lintedDocuments) {
      const config = await loadConfig({ configPath: fileURLToPath(new URL(rules, root)) });
      const problems = await lint({ ref: fileURLToPath(new URL(document, root)), config });
      formatProblems(problems, { totals: getTotals(problems), cwd: fileURLToPath(root) });
      if (problems.length > 0) process.exitCode = 1;
      else console.log(`${document} follows ${rules}`);
    }
  } else {
    for (const path of stale) {
      mkdirSync(dirname(fileURLToPath(new URL(path, root))), { recursive: true });
      writeFileSync(new URL(path, root), files.get(path) ?? "");
      console.log(`wrote ${path}`);
    }
    for (const path of orphans) {
      rmSync(new URL(path, root));
      console.log(`removed ${path}`);
    }
    console.log(`${files.size} generated files, ${stale.length} written, ${orphans.length} removed`);
  }
}

await generate(process.argv.includes("--check"));
