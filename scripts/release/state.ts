// The state of everything that the gate compares, and what changed in it for each package.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { published } from "../generate/publish.ts";
import { loadControl, loadDocument } from "../generate/read/document.ts";
import { type Change, merged } from "./change.ts";
import { type Changeset, GateError, type Moved, taken } from "./changesets.ts";
import { compareContracts } from "./compare/contracts.ts";
import { compareRecords } from "./compare/records.ts";
import { isEqual, type JsonObject, objectIn } from "./json.ts";
import { contractFile, controlFile, type Read, recordOf, schemaFiles, textNow, vectorsFolder } from "./record.ts";
import { type Package, surfacesOf } from "./surface.ts";
import { pythonPackage } from "./versions.ts";

/** The present state. */
export interface Present {
  readonly read: Read;
  /** The reports that are committed, by their path: public types, commands and promises. */
  readonly reports: ReadonlyMap<string, string>;
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

/** The document in a file: JSON, or a generated module that exports it. Empty for an empty text. */
function documentIn(text: string): JsonObject {
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
  const emitting = surfacesOf(
    packages.filter(({ sources }) => sources.size > 0),
    root,
    compilerOptions(root),
  );
  const documents = await Promise.all([loaded(async () => published(await loadDocument())), loaded(loadControl)]);
  const collected = await collectedFrom(root, packages);
  const types = [...(await emitting)].map(([name, text]) => [recordOf(name, "api.d.ts"), text] as const);
  const reports = new Map([...types, ...collected]);
  const [contract, control] = documents.map((document) => JSON.stringify(document));
  const texts = new Map([[contractFile, contract], [controlFile, control], ...reports]);
  return {
    // The rest is compared as it is committed. The names of the Python client too: this must work without Python.
    read: (path) => texts.get(path) ?? textNow(root, path),
    reports,
    isGenerated: [contractFile, controlFile].every((path, index) =>
      isEqual(documentIn(textNow(root, path)), documents[index]),
    ),
  };
}

/** The commands and promises, which are read by running the sources; the committed ones if these do not run. */
async function collectedFrom(root: string, packages: readonly Package[]): Promise<(readonly [string, string])[]> {
  try {
    const { commandsOf, promisesOf } = await import("./reports.ts");
    const found = { "command.json": commandsOf(), "promises.json": await promisesOf(root) };
    return Object.entries(found).flatMap(([file, reports]) =>
      [...reports].map(([name, report]) => [recordOf(name, file), `${JSON.stringify(report, null, 2)}\n`] as const),
    );
  } catch (error) {
    console.error(`The commands and promises of the packages cannot be read: ${(error as Error).message}`);
    const paths = packages.flatMap(({ name }) => ["command.json", "promises.json"].map((file) => recordOf(name, file)));
    return paths.map((path) => [path, textNow(root, path)] as const).filter(([, text]) => text !== "");
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

const mock = "@call-transfer/mock-server";
const backend = "@call-transfer/backend";
/** Packages to which a change of the contract is one of their own. Every other one moves with it, since it serves or tests it. */
const speakers: readonly string[] = ["@call-transfer/spec", "@call-transfer/sdk", pythonPackage];
const records = ["api.d.ts", "command.json", "package.json", "promises.json", "surface.json"];
/** What the mock server passes on of the backend: its types and its promises. */
const passedOn = ["api.d.ts", "promises.json"].map((file) => recordOf(backend, file));

/**
 * Changes for each package.
 * @param uncompiled What no longer compiles of the contract suite of the last release
 */
export function movedSince(
  was: Read,
  is: Read,
  packages: readonly Package[],
  pending: readonly Changeset[],
  uncompiled: readonly Change[],
): Moved[] {
  const documents = [contractFile, controlFile].map((path) => {
    const before = was(path);
    // A document that the last release did not have cannot be compared.
    return before === "" ? [] : compareContracts(documentIn(before), documentIn(is(path)));
  });
  const [contract = [], control = []] = documents;
  const further = contract.filter(({ bump }) => bump === "minor" || bump === "major");
  return packages.map(({ name, version }) => {
    const paths = [
      ...records.map((file) => recordOf(name, file)),
      ...(name === mock ? [...passedOn, ...schemaFiles] : []),
      ...(name === "@call-transfer/contract" ? [vectorsFolder] : []),
    ];
    const changes = [
      ...(speakers.includes(name) ? contract : further),
      ...(name === "@call-transfer/spec" || name === "@call-transfer/sdk" ? uncompiled : []),
      ...(name === backend || name === mock ? control : []),
      ...paths.flatMap((path) => compareRecords(path, was(path), is(path))),
      ...taken(name, pending),
    ];
    return { name, version, changes: merged(changes) };
  });
}
