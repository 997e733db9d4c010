// The present state of everything that the gate compares, read from the working tree.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { published } from "../generate/publish.ts";
import { loadControl, loadDocument } from "../generate/read/document.ts";
import {
  commandFile,
  contractFile,
  controlFile,
  manifestFile,
  promisesFile,
  pythonFile,
  pythonRetryFile,
  schemaFiles,
  surfaceFile,
  vectorsFolder,
} from "./baseline.ts";
import { GateError } from "./changesets.ts";
import { commandTexts } from "./commands.ts";
import { type Package, surfacesOf } from "./compare/surface.ts";
import { isEqual, type JsonObject, objectIn } from "./json.ts";
import { textNow } from "./tree.ts";

/** Texts by their path in the repository. */
export type Texts = ReadonlyMap<string, string>;

/** The present state. */
export interface Present {
  /** The two documents, the reports, the manifests, and what is compared as committed. */
  readonly texts: Texts;
  /** The committed reports: public types, commands and promises. */
  readonly reports: Texts;
  /** Whether the generated documents are up to date. */
  readonly isGenerated: boolean;
}

/** Reads a document in openapi/. */
async function loaded(load: () => Promise<unknown>): Promise<JsonObject> {
  try {
    return objectIn(await load());
  } catch (error) {
    throw new GateError(`openapi/ cannot be read: ${(error as Error).message}`);
  }
}

/** The contract as customers get it. @throws {GateError} if openapi/ cannot be read */
export const publishedContract = (): Promise<JsonObject> => loaded(async () => published(await loadDocument()));

/** The document in a file: JSON, or a generated module that exports it. Empty for an empty text. */
export function documentIn(text: string): JsonObject {
  const json = text.startsWith("{") ? text : (/=>? \(?(\{.*\})/s.exec(text)?.[1] ?? text);
  return json === "" ? {} : objectIn(JSON.parse(json) as unknown);
}

/** Compiler options as in a tsconfig.json. */
export function compilerOptions(root: string): JsonObject {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile) as { config: unknown };
  return { ...objectIn(objectIn(config).compilerOptions), types: ["node"] };
}

/** Reads the present state. @throws {GateError} if openapi/ cannot be read */
export async function presentState(root: string, packages: readonly Package[]): Promise<Present> {
  // The compiler runs beside the rest.
  const typed = packages.filter(({ sources }) => sources.size > 0);
  const emitting = surfacesOf(typed, root, compilerOptions(root));
  const documents = await Promise.all([publishedContract(), loaded(loadControl)]);
  const promises = await promisesIn(root, packages);
  const generated = [contractFile, controlFile].map((path) => generatedIn(textNow(root, path)));
  const surfaces = await emitting;
  const reports = new Map([
    ...[...surfaces].map(([name, text]): [string, string] => [surfaceFile(name), text]),
    ...[...commandTexts()].map(([name, text]): [string, string] => [commandFile(name), text]),
    ...[...promises].map(([name, found]): [string, string] => [
      promisesFile(name),
      `${JSON.stringify(found, null, 2)}\n`,
    ]),
  ]);
  // The names of the Python client are compared as committed: this must work without Python, and its check reads the sources.
  const committed = [
    ...packages.flatMap(({ name }) => [manifestFile(name), pythonFile(name)]),
    ...[vectorsFolder, ...schemaFiles, pythonRetryFile],
  ].map((path): [string, string] => [path, textNow(root, path)]);
  const [contract, control] = documents.map((document) => JSON.stringify(document));
  return {
    texts: new Map([[contractFile, contract ?? ""], [controlFile, control ?? ""], ...reports, ...committed]),
    reports,
    isGenerated: isEqual(documents, generated),
  };
}

/** The promises, which are read by running the sources; the committed ones if these do not run. */
async function promisesIn(root: string, packages: readonly Package[]): Promise<ReadonlyMap<string, object>> {
  try {
    const { promisesOf } = await import("./promises.ts");
    return await promisesOf(root);
  } catch (error) {
    console.error(`The promises of the packages cannot be read: ${(error as Error).message}`);
    const committed = packages.map(({ name }) => [name, textNow(root, promisesFile(name))] as const);
    return new Map(committed.flatMap(([name, text]) => (text === "" ? [] : [[name, objectIn(JSON.parse(text))]])));
  }
}

/** A generated document; undefined if it cannot be read. */
function generatedIn(text: string): JsonObject | undefined {
  try {
    return documentIn(text);
  } catch {
    return undefined;
  }
}

/** The paths of reports that differ from the committed ones. */
export const staleReports = (root: string, { reports }: Present): string[] =>
  [...reports].filter(([path, text]) => textNow(root, path) !== text).map(([path]) => path);

/** Writes the reports that differ. */
export function writeReports(root: string, present: Present): void {
  for (const path of staleReports(root, present)) {
    writeFileSync(join(root, path), present.reports.get(path) ?? "");
    console.log(`wrote ${path}`);
  }
}
