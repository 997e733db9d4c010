// What the dependencies must keep to: nothing that can change under us, no scripts that run unasked, and licences that let
// customers do what ours does.
import { dirname } from "node:path/posix";
import { type JsonObject, objectIn } from "../../scripts/release/json.ts";

/** Licences of what customers install along with our packages. */
export const allowedLicences: ReadonlySet<string> = new Set([
  "MIT",
  "ISC",
  "0BSD",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
]);

const exactVersion = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const fromElsewhere = /^(?:git|https?:|file:|link:|github:|[\w-]+\/[\w-]+)/;

const nameIn = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

const installedAlong = ["dependencies", "optionalDependencies"];

/**
 * Dependencies of a package.json whose version can move by itself, or that come from somewhere else than a registry. What
 * customers install along with a published package is left to `untestedRanges`.
 */
export function looseVersions(description: JsonObject): string[] {
  const kinds = description.private === true ? ["devDependencies", ...installedAlong] : ["devDependencies"];
  return kinds.flatMap((kind) =>
    Object.entries(objectIn(description[kind]))
      .filter(([, version]) => typeof version !== "string" || !exactVersion.test(version))
      .map(([name, version]) => `${kind} ${name} is ${String(version)}, which is not one exact version`),
  );
}

/** What is wrong with the entries of a lockfile; `allowScripts` is the list of its package.json. */
export function lockfileProblems(entries: JsonObject, allowScripts: JsonObject): string[] {
  return Object.entries(entries).flatMap(([path, value]) => {
    const entry = objectIn(value);
    if (!path.includes("node_modules/") || entry.link === true) return [];
    const { integrity, resolved, hasInstallScript, inBundle } = entry;
    // An alias is installed under another name than its own.
    const name = typeof entry.name === "string" ? entry.name : nameIn(path);
    return [
      ...(inBundle !== true && !/^sha512-/.test(String(integrity)) ? [`${path} has no sha512 integrity`] : []),
      ...(resolved === undefined ? [] : [`${path} names where it comes from: ${String(resolved)}`]),
      ...(hasInstallScript === true && !(name in allowScripts)
        ? [`${path} runs a script at install; decide on it in allowScripts`]
        : []),
      ...Object.entries({ ...objectIn(entry.dependencies), ...objectIn(entry.optionalDependencies) })
        .filter(([, version]) => fromElsewhere.test(String(version)))
        .map(([needed, version]) => `${path} takes ${needed} from ${String(version)}`),
    ];
  });
}

/** Where a package finds what it depends on: the nearest folder upwards that holds it. */
function placeOf(name: string, from: string, entries: JsonObject): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = folder === "." || folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in entries) return path;
    if (folder === "." || folder === "") return undefined;
  }
}

/**
 * What a published package depends on in another range than it must: from the version that the lockfile has, which is the
 * one that is tested, up to the next major, and for packages of the workspace up to the next minor.
 */
export function untestedRanges(description: JsonObject, folder: string, entries: JsonObject): string[] {
  return installedAlong.flatMap((kind) =>
    Object.entries(objectIn(description[kind])).flatMap(([name, range]) => {
      const entry = objectIn(entries[placeOf(name, folder, entries) ?? ""]);
      const isOurs = entry.link === true;
      const { version } = isOurs ? objectIn(entries[String(entry.resolved)]) : entry;
      if (version === undefined) return [`${kind} ${name} is not in the lockfile; run npm install`];
      const tested = `${isOurs ? "~" : "^"}${String(version)}`;
      return range === tested ? [] : [`${kind} ${name} is ${String(range)}; it must be ${tested}, by the lockfile`];
    }),
  );
}

/** The paths of everything that comes along when some packages of the workspace are installed. */
export function shippedWith(folders: readonly string[], entries: JsonObject): string[] {
  const found = new Set<string>();
  const visit = (path: string): void => {
    const entry = objectIn(entries[path]);
    if (entry.link === true) return;
    for (const name of Object.keys({ ...objectIn(entry.dependencies), ...objectIn(entry.optionalDependencies) })) {
      const place = placeOf(name, path, entries);
      if (!place || found.has(place) || objectIn(entries[place]).link === true) continue;
      found.add(place);
      visit(place);
    }
  };
  for (const folder of folders) visit(folder);
  return [...found].sort();
}

/** Whether every licence that a package demands, or one of those it offers, is allowed. */
export function isAllowedLicence(expression: unknown): boolean {
  const words = typeof expression === "string" ? (expression.match(/[()]|[^\s()]+/g) ?? []) : [];
  const takes = (word: string): boolean => words[0] === word && words.shift() !== undefined;
  const one = (): boolean => {
    if (!takes("(")) return allowedLicences.has(words.shift() ?? "");
    const holds = any();
    return takes(")") && holds;
  };
  // Both sides are read whatever the first one says.
  const all = (): boolean => {
    let holds = one();
    while (takes("AND")) holds = one() && holds;
    return holds;
  };
  const any = (): boolean => {
    let holds = all();
    while (takes("OR")) holds = all() || holds;
    return holds;
  };
  return any() && words.length === 0;
}
