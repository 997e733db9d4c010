// Checks every lockfile, the versions of our own dependencies, and the licences of what customers install with our packages.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { objectIn } from "../../scripts/release/json.ts";
import { packagesIn } from "../../scripts/release/surface.ts";
import { isAllowedLicence, lockfileProblems, looseVersions, shippedWith, untestedRanges } from "./supply-chain.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readJson = (...path: string[]) => objectIn(JSON.parse(readFileSync(join(root, ...path), "utf8")) as unknown);
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");
const committed = (name: string): string[] =>
  tracked.filter((path) => (path === name || path.endsWith(`/${name}`)) && existsSync(join(root, path)));

const problems: string[] = [];
for (const path of committed("package.json")) {
  problems.push(...looseVersions(readJson(path)).map((problem) => `${path}: ${problem}`));
}
const lockfiles = committed("package-lock.json");
for (const path of lockfiles) {
  const entries = objectIn(readJson(path).packages);
  const { allowScripts } = readJson(dirname(path), "package.json");
  problems.push(...lockfileProblems(entries, objectIn(allowScripts)).map((problem) => `${path}: ${problem}`));
}

const shipping = packagesIn(join(root, "packages")).filter(({ isPrivate }) => !isPrivate);
const entries = objectIn(readJson("package-lock.json").packages);
const folders = shipping.map(({ folder }) => `packages/${basename(folder)}`);
for (const folder of folders) {
  const found = untestedRanges(readJson(folder, "package.json"), folder, entries);
  problems.push(...found.map((problem) => `${folder}/package.json: ${problem}`));
}
const shipped = shippedWith(folders, entries);
for (const path of shipped) {
  const { name, version, license } = readJson(path, "package.json");
  if (!isAllowedLicence(license))
    problems.push(
      `${name} ${version} has the licence ${JSON.stringify(license)}, which is not allowed. See allowedLicences.`,
    );
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(`${lockfiles.length} lockfiles passed; the licences of ${shipped.length} shipped packages are allowed`);
