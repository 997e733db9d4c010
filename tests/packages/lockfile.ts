// What package-lock.json says of the workspace's own packages and of everybody else's.
import { isObject, type JsonObject, objectIn } from "../../scripts/release/json.ts";

/** The entries of a lockfile by their path, e.g. `node_modules/hono`. */
export const entriesOf = (lockfile: string): JsonObject => objectIn(objectIn(JSON.parse(lockfile) as unknown).packages);

const carried = ["version", "dependencies", "devDependencies", "peerDependencies"];

/**
 * A lockfile whose entries of the workspace's packages say what their package.json files say now. Only versions of our own
 * move in a release, so nothing has to be resolved anew.
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
