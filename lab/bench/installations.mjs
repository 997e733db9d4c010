// What an installation of the mock server brings, beside those of Prism's and Mockoon's command: packages, bytes and seconds.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const lab = JSON.parse(readFileSync(join(root, "lab/package.json"), "utf8"));

const sizeOf = (path) =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
    : statSync(path).size;

const npmIn =
  (cwd) =>
  (...args) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Packs what an installation of the mock server consists of. Returns the packages by their names. */
function packedServer(folder) {
  const npm = npmIn(folder);
  const packed = ["spec", "backend", "mock-server"].flatMap((name) =>
    JSON.parse(npm("pack", join(root, "packages", name), "--json", "--ignore-scripts")),
  );
  return Object.fromEntries(packed.map(({ name, filename }) => [name, `file:${join(folder, filename)}`]));
}

/** Installs twice and measures the second time, when everything has been downloaded. */
function installation(folder, dependencies) {
  let seconds = 0;
  let project = folder;
  for (const _ of [1, 2]) {
    project = mkdtempSync(join(folder, "project-"));
    writeFileSync(join(project, "package.json"), JSON.stringify({ name: "installation", private: true, dependencies }));
    const from = performance.now();
    npmIn(project)("install", "--prefer-offline", "--no-audit", "--no-fund", "--omit=dev", "--ignore-scripts");
    seconds = (performance.now() - from) / 1000;
  }
  const lockfile = JSON.parse(readFileSync(join(project, "node_modules/.package-lock.json"), "utf8"));
  const packages = Object.keys(lockfile.packages).length;
  return { packages, mb: sizeOf(join(project, "node_modules")) / 1e6, seconds };
}

const peers = { "@stoplight/prism-cli": lab.dependencies["@stoplight/prism-cli"], "@mockoon/cli": "9.9.0" };

/** Of the three commands, by their names. */
export const installations = (folder) => ({
  "@call-transfer/mock-server": installation(mkdtempSync(join(folder, "own-")), packedServer(folder)),
  ...Object.fromEntries(
    Object.entries(peers).map(([name, version]) => [
      name,
      installation(mkdtempSync(join(folder, "peer-")), { [name]: version }),
    ]),
  ),
});
