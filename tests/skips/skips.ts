// Why a test may be skipped on this machine, by the list in skips.txt.
import { readFileSync } from "node:fs";

interface Condition {
  readonly why: string;
  /** Whether a test may be skipped for it here. */
  readonly holds: () => boolean;
}

const isLinux = process.platform === "linux";
/** Runs of CI on Linux have everything that .ci/run installs. */
const mayLack = (): boolean => !(isLinux && process.env.CI);
const isRoot = (): boolean => process.getuid?.() === 0;

export const conditions: Readonly<Record<string, Condition>> = {
  Windows: { why: "Windows has no such permissions and signals", holds: () => process.platform === "win32" },
  "not Linux": { why: "it reads a setting of Linux", holds: () => !isLinux },
  "not root": { why: "only root gives a folder to another user", holds: () => !isRoot() },
  "before Node 24": {
    why: "the fetch of Node 22 rejects an aborted body with an AbortError instead of the reason",
    holds: () => Number.parseInt(process.versions.node, 10) < 24,
  },
  "no browser": { why: "there is no browser", holds: mayLack },
  "no oasdiff": { why: "npm has oasdiff for Linux on x64 alone", holds: () => !(isLinux && process.arch === "x64") },
};

export interface Skip {
  readonly path: string;
  readonly condition: string;
  readonly count: number;
}

/** The rows of the list. */
export function listedSkips(text: string = readFileSync(new URL("skips.txt", import.meta.url), "utf8")): Skip[] {
  return text.split("\n").flatMap((line) => {
    const [path = "", condition = "", count = ""] = line.split(" | ");
    return line.startsWith("#") || line === "" ? [] : [{ path, condition, count: Number(count) }];
  });
}

/** Why the tests of a file may be skipped here; undefined if nothing allows it. */
export function reasonFor(path: string, listed: readonly Skip[] = listedSkips()): string | undefined {
  const holding = listed.filter((skip) => skip.path === path && conditions[skip.condition]?.holds());
  return holding.length === 0 ? undefined : holding.map(({ condition }) => conditions[condition]?.why).join(", or ");
}
