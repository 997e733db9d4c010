// Says what the release workflow has to do, in lines of `name=value`: whether changes wait for a version, and which commit has
// versions that are not published, and whether the Python client is among them. Uses nothing but Node, npm and git, so that it runs before anything is installed.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pythonPackage } from "./python-package.ts";

/** What a state of the repository says about releases. */
export interface ReleaseState {
  /** The ids of the changesets. */
  readonly changesets: readonly string[];
  /** The contents of `.changeset/pre.json`; undefined unless prereleases are made. */
  readonly pre?: { readonly mode: string; readonly changesets: readonly string[] } | undefined;
  /** The versions of the last record; undefined before the first release. */
  readonly recorded?: Readonly<Record<string, string>> | undefined;
}

/** What the workflow does next. */
export interface ReleasePlan {
  /** Whether to propose the next versions. */
  readonly propose: boolean;
  /**
   * Whether to publish what the record names. Also while other changes wait: a release that failed half-way is finished from
   * its own commit, as long as no later one is recorded.
   */
  readonly publish: boolean;
}

/** Decides what to do. `isReleased` says whether the registry has a version, and whether it was announced by its tag. */
export function planOf(
  { changesets, pre, recorded }: ReleaseState,
  isReleased: (name: string, version: string) => boolean,
): ReleasePlan {
  // A changeset of a prerelease stays, and is listed, until the prereleases end.
  const isWaiting = changesets.some((id) => !pre?.changesets.includes(id));
  return {
    propose: isWaiting || pre?.mode === "exit",
    publish: Object.entries(recorded ?? {}).some(([name, version]) => !isReleased(name, version)),
  };
}

type Asked = (name: string, version: string) => boolean;

/** Whether a version is out: it has its tag, and npm has it. The Python client gets its tag once PyPI has it, and npm never does. */
export const releasedBy =
  (isTagged: Asked, isPublished: Asked): Asked =>
  (name, version) =>
    isTagged(name, version) && (name === pythonPackage || isPublished(name, version));

const record = "releases/release.json";
const git = (...options: string[]): string => execFileSync("git", options, { encoding: "utf8" }).trim();

/** Whether the registry has a version. Anything but its "not found" ends the plan: a release must not be guessed. */
function isPublished(name: string, version: string): boolean {
  try {
    execFileSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8", stdio: "pipe" });
    return true;
  } catch (error) {
    if (String((error as { stderr?: unknown }).stderr).includes("E404")) return false;
    throw error;
  }
}

if (import.meta.main) {
  const names = readdirSync(".changeset").filter((name) => name.endsWith(".md") && name !== "README.md");
  const pre = existsSync(".changeset/pre.json") ? JSON.parse(readFileSync(".changeset/pre.json", "utf8")) : undefined;
  const { versions, bootstrap } = JSON.parse(readFileSync(record, "utf8"));
  const recorded = bootstrap === undefined ? versions : undefined;
  const changesets = names.map((name) => name.slice(0, -".md".length));
  const isTagged = (name: string, version: string): boolean => git("tag", "--list", `${name}@${version}`) !== "";
  const plan = planOf({ changesets, pre, recorded }, releasedBy(isTagged, isPublished));
  const python = recorded?.[pythonPackage];
  console.log(`propose=${plan.propose}\npublish=${plan.publish}`);
  console.log(`python=${python !== undefined && !isTagged(pythonPackage, python)}`);
  console.log(`commit=${git("log", "-1", "--format=%H", "--", record)}`);
}
