// Rules for dependencies: fixed versions, no install scripts without approval, permissive licences.
import { dirname } from "node:path/posix";
import { type JsonObject, objectIn } from "../../scripts/release/json.ts";

/** Allowed licences of packages that customers install with ours. */
export const allowedLicences: ReadonlySet<string> = new Set(
  "MIT ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0".split(" "),
);

const exactVersion = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
const fromElsewhere = /^(?:git|https?:|file:|link:|github:|[\w-]+\/[\w-]+)/;

const nameIn = (path: string): string => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);

const installedAlong = ["dependencies", "optionalDependencies"];

/**
 * Dependencies without one exact version from a registry. `untestedRanges` checks the dependencies of published packages.
 */
export function looseVersions(description: JsonObject): string[] {
  const kinds = description.private === true ? ["devDependencies", ...installedAlong] : ["devDependencies"];
  return kinds.flatMap((kind) =>
    Object.entries(objectIn(description[kind]))
      .filter(([, version]) => typeof version !== "string" || !exactVersion.test(version))
      .map(([name, version]) => `${kind} ${name} is ${String(version)}. Use one exact version.`),
  );
}

/** Problems of a lockfile's entries. `allowScripts` is the list in the package.json beside it. */
export function lockfileProblems(entries: JsonObject, allowScripts: JsonObject): string[] {
  return Object.entries(entries).flatMap(([path, value]) => {
    const entry = objectIn(value);
    if (!path.includes("node_modules/") || entry.link === true) return [];
    const { integrity, resolved, hasInstallScript, inBundle } = entry;
    // An alias has its real name in `name`.
    const name = typeof entry.name === "string" ? entry.name : nameIn(path);
    return [
      ...(inBundle !== true && !/^sha512-/.test(String(integrity))
        ? [`${path} has no sha512 integrity. Run npm install again.`]
        : []),
      ...(resolved === undefined ? [] : [`${path} has an address: ${String(resolved)}. Remove \`resolved\`.`]),
      ...(hasInstallScript === true && !(name in allowScripts)
        ? [`${path} has an install script. Allow or refuse it in allowScripts.`]
        : []),
      ...Object.entries({ ...objectIn(entry.dependencies), ...objectIn(entry.optionalDependencies) })
        .filter(([, version]) => fromElsewhere.test(String(version)))
        .map(([needed, version]) => `${path} takes ${needed} from ${String(version)}. Use a version from a registry.`),
    ];
  });
}

/** Path of a dependency: the nearest node_modules upwards that has it. */
function placeOf(name: string, from: string, entries: JsonObject): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = folder === "." || folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (path in entries) return path;
    if (folder === "." || folder === "") return undefined;
  }
}

/**
 * Dependencies of a published package with the wrong range. It must start at the locked version, which is the tested one,
 * and end before the next major, or before the next minor for packages of the workspace.
 */
export function untestedRanges(description: JsonObject, folder: string, entries: JsonObject): string[] {
  return installedAlong.flatMap((kind) =>
    Object.entries(objectIn(description[kind])).flatMap(([name, range]) => {
      const entry = objectIn(entries[placeOf(name, folder, entries) ?? ""]);
      const isOurs = entry.link === true;
      const { version } = isOurs ? objectIn(entries[String(entry.resolved)]) : entry;
      if (version === undefined) return [`${kind} ${name} is not in the lockfile. Run npm install.`];
      const tested = `${isOurs ? "~" : "^"}${String(version)}`;
      return range === tested
        ? []
        : [`${kind} ${name} is ${String(range)}. Change it to ${tested}, the locked version.`];
    }),
  );
}

/** Paths of everything that customers install with some packages of the workspace. */
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

/** Whether a licence is allowed; of an expression that offers several, one of them. */
export const isAllowedLicence = (licence: unknown): boolean =>
  String(licence)
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((one) => allowedLicences.has(one));
