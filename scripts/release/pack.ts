// Writes what a release consists of into the folder that is named, which must not exist yet. Expects the packages to be built.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReleaseFiles } from "./release-files.ts";

const [folder] = process.argv.slice(2);
if (!folder || existsSync(folder)) {
  console.error("Name a folder that does not exist yet: npm run release:pack -- packed");
  process.exitCode = 2;
} else {
  for (const { name, version, tarball } of writeReleaseFiles(
    fileURLToPath(new URL("../../", import.meta.url)),
    resolve(folder),
  )) {
    console.log(`${name} ${version}: ${tarball}`);
  }
}
