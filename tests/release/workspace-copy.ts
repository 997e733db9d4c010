// A copy of what changesets reads of the workspace: the manifests and changelogs, without pending changesets.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { objectIn } from "../../scripts/release/json.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export interface WorkspaceCopy {
  readonly folder: string;
  /** The folder of the changesets. */
  readonly changesets: string;
  /** Runs `changeset version`. */
  readonly moveVersions: () => void;
  readonly manifest: (name: string) => Manifest;
  readonly changelog: (name: string) => string;
}

/** Makes a copy whose packages have one version; changelogs are empty or as they are. Remove the folder after use. */
export function workspaceCopy(version = "1.0.0", changelogOf?: (name: string) => string): WorkspaceCopy {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-versions-"));
  const changesets = join(folder, ".changeset");
  const copied = (path: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  };
  for (const path of ["package.json", ".changeset/config.json", "scripts/release/changelog-lines.ts"]) copied(path);
  writeFileSync(join(folder, "package-lock.json"), "{}");
  for (const name of readdirSync(join(root, "packages"))) {
    const path = `packages/${name}`;
    copied(`${path}/package.json`);
    const text = readFileSync(join(folder, path, "package.json"), "utf8");
    const versions = /("version"|"@call-transfer\/[a-z-]+"): "(~?)\d+\.\d+\.\d+"/g;
    writeFileSync(join(folder, path, "package.json"), text.replaceAll(versions, `$1: "$2${version}"`));
    // A private package has none.
    if (!existsSync(join(root, path, "CHANGELOG.md"))) continue;
    copied(`${path}/CHANGELOG.md`);
    if (changelogOf) writeFileSync(join(folder, path, "CHANGELOG.md"), changelogOf(`@call-transfer/${name}`));
  }
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  const read = (name: string, file: string): string => readFileSync(join(folder, "packages", name, file), "utf8");
  return {
    folder,
    changesets,
    moveVersions: () => {
      const options = { cwd: folder, stdio: "pipe", timeout: 300_000 } as const;
      execFileSync(join(root, "node_modules/.bin/changeset"), ["version"], options);
    },
    manifest: (name) => {
      const { version: found, dependencies } = objectIn(JSON.parse(read(name, "package.json")));
      const entries = Object.entries(objectIn(dependencies)).map(([key, range]) => [key, String(range)]);
      return { version: String(found), dependencies: Object.fromEntries(entries) };
    },
    changelog: (name) => read(name, "CHANGELOG.md"),
  };
}
