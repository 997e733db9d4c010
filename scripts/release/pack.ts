// Writes the files of a release into a new folder. Requires built packages.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writeReleaseFiles } from "./release-files.ts";

const [folder] = process.argv.slice(2);
if (!folder || existsSync(folder)) {
  console.error("The folder is missing or already exists. Name a new folder: npm run release -- pack packed");
  process.exitCode = 2;
} else {
  for (const { name, version, tarball } of writeReleaseFiles(
    fileURLToPath(new URL("../../", import.meta.url)),
    resolve(folder),
  )) {
    console.log(`${name} ${version}: ${tarball}`);
  }
}
