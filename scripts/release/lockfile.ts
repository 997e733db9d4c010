// Reads package-lock.json and updates the entries of the workspace's packages.
import { isObject, type JsonObject, objectIn } from "./json.ts";

/** The entries of a lockfile by their path, e.g. `node_modules/hono`. */
export const entriesOf = (lockfile: string): JsonObject => objectIn(objectIn(JSON.parse(lockfile) as unknown).packages);

const carried = ["version", "dependencies", "devDependencies", "peerDependencies"];

/**
 * Updates the entries of the workspace's packages from their package.json files. A release changes only these versions, so
 * npm does not have to resolve anything.
 */
export function withWorkspaceVersions(lockfile: string, packageJsonOf: (folder: string) => string): string {
  const whole = objectIn(JSON.parse(lockfile) as unknown);
  const packages = Object.entries(objectIn(whole.packages)).map(([path, entry]): [string, unknown] => {
    if (!path.startsWith("packages/") || path.includes("node_modules") || !isObject(entry)) return [path, entry];
    const description = objectIn(JSON.parse(packageJsonOf(path)) as unknown);
    return [
      path,
      Object.fromEntries(
        Object.entries(entry).map(([key, value]) => [key, carried.includes(key) ? description[key] : value]),
      ),
    ];
  });
  return `${JSON.stringify({ ...whole, packages: Object.fromEntries(packages) }, null, 2)}\n`;
}
