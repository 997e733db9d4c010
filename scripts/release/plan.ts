// Says what the release workflow has to do, in lines of `name=value`: whether changes wait for a version, which commit has versions
// that are not published, whether the Python client is among them, and which uv publishes it. Uses nothing but Node, npm and git, so
// that it runs before anything is installed.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pythonPackage } from "./versions.ts";

/** What a state of the repository says about releases. */
export interface ReleaseState {
  /** The ids of the changesets that wait. Those of a prerelease are in `.changeset/pre/`. */
  readonly changesets: readonly string[];
  /** The contents of `.changeset/pre.json`; undefined unless prereleases are made. */
  readonly pre?: { readonly mode: string } | undefined;
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
  /** The packages whose recorded versions are not released. */
  readonly unreleased: readonly string[];
}

/** Decides what to do. `isReleased` says whether the registry has a version, and whether it was announced by its tag. */
export function planOf(
  { changesets, pre, recorded }: ReleaseState,
  isReleased: (name: string, version: string) => boolean,
): ReleasePlan {
  const unreleased = Object.entries(recorded ?? {}).flatMap(([name, version]) =>
    isReleased(name, version) ? [] : [name],
  );
  return { propose: changesets.length > 0 || pre?.mode === "exit", publish: unreleased.length > 0, unreleased };
}

/** A file of requirements as one line, which an output of a job must be. */
export const lineOf = (requirements: string): string =>
  requirements
    .replace(/^#.*\n/gm, "")
    .replace(/\s*\\\n\s*/g, " ")
    .trim();

type Asked = (name: string, version: string) => boolean;

/** Whether a version is out: it has its tag, and npm has it. The Python client gets its tag once PyPI has it, and npm never does. */
export const releasedBy =
  (isTagged: Asked, isPublished: Asked): Asked =>
  (name, version) =>
    isTagged(name, version) && (name === pythonPackage || isPublished(name, version));

const record = "scripts/release/releases.json";
/** uv with its digests, where Dependabot sees it. The job that publishes has no checkout, and runs no code of others. */
const uv = "scripts/release/requirements.txt";
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
  const recorded = JSON.parse(readFileSync(record, "utf8")).at(-1)?.versions;
  const changesets = names.map((name) => name.slice(0, -".md".length));
  const commit = git("log", "-1", "--format=%H", "--", record);
  // Where another branch has the tag, the version counts as new, and the step that publishes refuses its other content.
  const tags = new Set(git("tag", "--merged", commit).split("\n"));
  const isTagged = (name: string, version: string): boolean => tags.has(`${name}@${version}`);
  const plan = planOf({ changesets, pre, recorded }, releasedBy(isTagged, isPublished));
  const python = recorded?.[pythonPackage];
  console.log(`propose=${plan.propose}\npublish=${plan.publish}\nunreleased=${plan.unreleased.join(" ")}`);
  console.log(`python=${python !== undefined && !isTagged(pythonPackage, python)}\ncommit=${commit}`);
  console.log(`uv=${lineOf(readFileSync(uv, "utf8"))}`);
}
