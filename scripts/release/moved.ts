// Finds what changed for each package.
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
import { type Change, merged } from "./change.ts";
import { compareCommands } from "./compare/commands.ts";
import { compareContracts } from "./compare/contracts.ts";
import { compareManifests } from "./compare/manifests.ts";
import { comparePromises } from "./compare/promises.ts";
import { comparePython } from "./compare/python.ts";
import { compareBudgets } from "./compare/python-budget.ts";
import { compareSettings } from "./compare/settings.ts";
import { compareSurfaces } from "./compare/surfaces.ts";
import { compareVectors } from "./compare/vectors.ts";
import { documentIn } from "./present.ts";
import { pythonPackage } from "./python-package.ts";
import type { Moved } from "./verdict.ts";

/** Reads a file, or a folder as JSON of its files by path. Empty if the path does not exist. */
export type Read = (path: string) => string;

/** Packages that a change of a document affects. */
const carriers: Readonly<Record<string, readonly string[]>> = {
  [contractFile]: ["@call-transfer/spec", "@call-transfer/sdk", pythonPackage],
  // The backend serves the control plane, and the mock server passes it on.
  [controlFile]: ["@call-transfer/backend", "@call-transfer/mock-server"],
};

/** Packages whose names and promises another package passes on. */
const passedOn: Readonly<Record<string, readonly string[]>> = {
  "@call-transfer/mock-server": ["@call-transfer/backend"],
};

/** Files that only one package publishes, and how they are compared. */
const published: Readonly<Record<string, readonly (readonly [string, (was: string, is: string) => Change[]])[]>> = {
  "@call-transfer/contract": [[vectorsFolder, compareVectors]],
  "@call-transfer/mock-server": schemaFiles.map((path) => [path, (was, is) => compareSettings(path, was, is)]),
  [pythonPackage]: [[pythonRetryFile, compareBudgets]],
};

/**
 * Changes for each package.
 * @param uncompiled Contract cases of the last release that no longer compile
 */
export function movedSince(was: Read, is: Read, names: readonly string[], uncompiled: readonly Change[]): Moved[] {
  const documents = Object.keys(carriers).map((path) => ({ path, changes: compareDocuments(was(path), is(path)) }));
  return names.map((name) => {
    const carried = documents.filter(({ path }) => carriers[path]?.includes(name));
    const changes = [
      ...carried.flatMap(({ path, changes }) =>
        path === contractFile && name !== pythonPackage ? [...changes, ...uncompiled] : changes,
      ),
      ...[name, ...(passedOn[name] ?? [])].flatMap((each) => [
        ...compareSurfaces(was(surfaceFile(each)), is(surfaceFile(each))),
        ...comparePromises(was(promisesFile(each)), is(promisesFile(each))),
      ]),
      ...compareManifests(was(manifestFile(name)), is(manifestFile(name))),
      ...compareCommands(was(commandFile(name)), is(commandFile(name))),
      ...comparePython(was(pythonFile(name)), is(pythonFile(name))),
      ...(published[name] ?? []).flatMap(([path, compare]) => compare(was(path), is(path))),
    ];
    return { name, changes: merged(changes) };
  });
}

/** A document that the last release did not record cannot be compared. */
const compareDocuments = (before: string, after: string): Change[] =>
  before === "" ? [] : compareContracts(documentIn(before), documentIn(after));
