import { readFileSync } from "node:fs";
import { join } from "node:path";

/** An entry of a package. */
export interface Entry {
  /** Its name without the scope, e.g. `sdk/webhooks`. */
  readonly name: string;
  /** The absolute path of its source. */
  readonly file: string;
}

/** The packages in the order of the reference. Types that several packages export are documented in the first of them. */
export const packages = ["spec", "sdk", "backend", "mock-server", "contract", "mcp"] as const;

/** The entries of all packages with types that a release promises, in the order of the packages. */
export function entriesOf(root: string): Entry[] {
  return packages.flatMap((name) => {
    const { exports } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"));
    return Object.entries<Record<string, string>>(exports).flatMap(([subpath, conditions]) => {
      const source = conditions["@call-transfer/source"];
      return source && Object.keys(conditions).length > 1 && subpath !== "./unstable"
        ? [{ name: name + subpath.slice(1), file: join(root, "packages", name, source) }]
        : [];
    });
  });
}
