// Compares two versions of a published package.json: can an installation, an import or a command that worked stop working?
// docs/releasing.md has the rules as a table.
import { subset } from "semver";
import { type Bump, type Change, change, changeIf, compareNamed } from "../change.ts";
import { isEqual, isObject, type JsonObject, listDifference, mapIn, objectIn, stable, textsIn } from "../json.ts";

/** Keys that other rules compare, that say nothing to users, or that a release changes itself. */
const ignored: ReadonlySet<string> = new Set(
  "name version private scripts devDependencies publishConfig workspaces packageManager".split(" "),
);
const descriptions: ReadonlySet<string> = new Set(
  "description keywords homepage bugs repository author contributors funding".split(" "),
);
const compared: ReadonlySet<string> = new Set(
  "engines exports bin files sideEffects dependencies optionalDependencies peerDependencies peerDependenciesMeta".split(
    " ",
  ),
);

/** Every change between two package.json texts. A text that is empty was not recorded: there is nothing to compare. */
export function compareManifests(before: string, after: string): Change[] {
  if (before === "" || after === "") return [];
  const [was, is] = [before, after].map((text) => objectIn(JSON.parse(text) as unknown));
  return was && is ? compareDescriptions(was, is) : [];
}

const compareDescriptions = (was: JsonObject, is: JsonObject): Change[] => [
  ...compareEngines(was.engines, is.engines),
  ...compareExports(was.exports, is.exports),
  ...compareNamed(binOf(was), binOf(is), {
    removed: (name) => change("major", `command ${name}`, "was removed"),
    added: (name) => change("minor", `command ${name}`, "was added"),
    kept: (old, now, name) => changeIf(old !== now, "patch", `command ${name}`, `${old} is now ${now}`),
  }),
  ...compareDependencies(was, is),
  ...comparePeers(was, is),
  ...compareFiles(textsIn(was.files), textsIn(is.files)),
  ...compareSideEffects(was.sideEffects, is.sideEffects),
  ...Object.keys({ ...was, ...is }).flatMap((key) => compareRest(key, was[key], is[key])),
];

const shown = (value: unknown): string =>
  value === undefined ? "none" : typeof value === "string" ? value : stable(value);

/** A lower limit that rises, or an engine that was not named before, shuts out installations. */
const compareEngines = (was: unknown, is: unknown): Change[] =>
  compareNamed(mapIn(was), mapIn(is), {
    removed: (name) => change("minor", `engines.${name}`, "was removed"),
    added: (name, range) => change("major", `engines.${name}`, `was added: ${shown(range)}`),
    kept: (old, now, name) => compareRange(String(old), String(now), `engines.${name}`),
  });

/** A range that accepts all earlier versions and more is a minor. A range that leaves any out is a major. */
function compareRange(was: string, is: string, place: string): Change[] {
  if (was === is) return [];
  const bump: Bump = !subset(was, is) ? "major" : subset(is, was) ? "patch" : "minor";
  return [change(bump, place, `${was} is now ${is}`)];
}

const compareExports = (was: unknown, is: unknown): Change[] =>
  compareNamed(subpathsOf(was), subpathsOf(is), {
    removed: (subpath) => change("major", `exports "${subpath}"`, "was removed"),
    added: (subpath) => change("minor", `exports "${subpath}"`, "was added"),
    kept: (old, now, subpath) =>
      compareNamed(conditionsOf(old), conditionsOf(now), {
        removed: (condition) => change("major", `exports "${subpath}"`, `the condition ${condition} was removed`),
        added: (condition) => change("minor", `exports "${subpath}"`, `the condition ${condition} was added`),
        // The files behind an entry may move. A change of their format shows.
        kept: (one, other, condition) =>
          changeIf(
            one !== other,
            formatOf(one) === formatOf(other) ? "patch" : "major",
            `exports "${subpath}"`,
            `the condition ${condition} is now ${other}`,
          ),
      }),
  });

/** An entry that has only sources is for this repository. */
const isInternal = (entry: unknown): boolean =>
  isObject(entry) && Object.keys(entry).join() === "@call-transfer/source";

/** Public entries by subpath. `exports` may also be the single entry itself. */
const subpathsOf = (exports: unknown): Map<string, unknown> => {
  const isTable = isObject(exports) && Object.keys(exports).every((key) => key.startsWith("."));
  if (!isTable) return new Map(exports === undefined ? [] : [[".", exports]]);
  return new Map([...mapIn(exports)].filter(([, entry]) => !isInternal(entry)));
};

/** Files by the conditions that lead to them, e.g. `import > types`. */
function conditionsOf(entry: unknown, path: readonly string[] = []): Map<string, string> {
  if (!isObject(entry)) return new Map([[path.join(" > ") || "default", shown(entry)]]);
  return new Map(Object.entries(entry).flatMap(([condition, inner]) => [...conditionsOf(inner, [...path, condition])]));
}

const formatOf = (path: string): string => /(?:\.d)?\.\w+$/.exec(path)?.[0] ?? "";

/** Commands by name. A single command has the package's name. */
const binOf = ({ bin, name }: JsonObject): Map<string, string> => {
  const own = String(name).split("/").at(-1) ?? "";
  return typeof bin === "string"
    ? new Map([[own, bin]])
    : new Map([...mapIn(bin)].map(([each, path]) => [each, shown(path)]));
};

/** What is installed along. Customers notice its changes only as fixes, unless they must install it themselves. */
function compareDependencies(was: JsonObject, is: JsonObject): Change[] {
  const listed = (from: JsonObject) =>
    mapIn({ ...objectIn(from.optionalDependencies), ...objectIn(from.dependencies) });
  const peers = objectIn(is.peerDependencies);
  return compareNamed(listed(was), listed(is), {
    removed: (name) =>
      name in peers
        ? change("major", `dependency ${name}`, "is now a peer that customers install themselves")
        : change("patch", `dependency ${name}`, "was removed"),
    added: (name, range) => change("patch", `dependency ${name}`, `was added: ${shown(range)}`),
    kept: (old, now, name) =>
      changeIf(old !== now, "patch", `dependency ${name}`, `${shown(old)} is now ${shown(now)}`),
  });
}

function comparePeers(was: JsonObject, is: JsonObject): Change[] {
  const isOptional = (from: JsonObject, name: string): boolean =>
    objectIn(objectIn(from.peerDependenciesMeta)[name]).optional === true;
  return compareNamed(mapIn(was.peerDependencies), mapIn(is.peerDependencies), {
    // Removing a peer asks nothing of customers.
    removed: (name) => change("minor", `peer ${name}`, "was removed"),
    added: (name, range) =>
      change(isOptional(is, name) ? "minor" : "major", `peer ${name}`, `was added: ${shown(range)}`),
    kept: (old, now, name) => [
      ...compareRange(String(old), String(now), `peer ${name}`),
      ...changeIf(isOptional(was, name) && !isOptional(is, name), "major", `peer ${name}`, "is no longer optional"),
      ...changeIf(!isOptional(was, name) && isOptional(is, name), "minor", `peer ${name}`, "is now optional"),
    ],
  });
}

/** Imports reach only what `exports` names, which has rules of its own. Sources serve debuggers. */
function compareFiles(was: readonly string[], is: readonly string[]): Change[] {
  const { added, removed } = listDifference(was, is);
  return [
    ...added.map((path) => change("patch", `files ${path}`, "was added")),
    ...removed.map((path) => change("patch", `files ${path}`, "was removed")),
  ];
}

const isText = (value: unknown): value is string => typeof value === "string";
const isListed = (sideEffects: unknown): boolean => sideEffects !== undefined && sideEffects !== true;

/** Bundlers drop unused modules that are not listed. Customers may rely on the effect of one that is listed no longer. */
function compareSideEffects(was: unknown, is: unknown): Change[] {
  if (isEqual(was, is)) return [];
  const kept = (value: unknown): readonly string[] => (value === false ? [] : isText(value) ? [value] : textsIn(value));
  const keepsAll =
    is === undefined || is === true || (isListed(was) && kept(was).every((path) => kept(is).includes(path)));
  return [change(keepsAll ? "patch" : "major", "sideEffects", `${shown(was)} is now ${shown(is)}`)];
}

/** `type`, `main`, `types`, `typesVersions` and anything else decide what an import finds. */
function compareRest(key: string, was: unknown, is: unknown): Change[] {
  if (compared.has(key) || ignored.has(key) || isEqual(was, is)) return [];
  const message = `${shown(was)} is now ${shown(is)}`;
  if (key === "license") return [change("major", key, message)];
  if (descriptions.has(key)) return [change("patch", key, "was reworded")];
  // Older tools read `main`, `types` and `typesVersions`. An entry for them more takes nothing away.
  return [change(was === undefined && olderEntries.has(key) ? "minor" : "major", key, message)];
}

const olderEntries: ReadonlySet<string> = new Set(["main", "types", "typesVersions", "module", "browser"]);
