// Writes the files of a release into a new folder. Requires built packages, and Python with venv.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { writePythonFiles } from "./python-files.ts";
import { writeReleaseFiles } from "./release-files.ts";

const [folder] = process.argv.slice(2);
if (!folder || existsSync(folder)) {
  console.error("The folder is missing or already exists. Name a new folder: npm run release -- pack packed");
  process.exitCode = 2;
} else {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  for (const { name, version, tarball } of writeReleaseFiles(root, resolve(folder)))
    console.log(`${name} ${version}: ${tarball}`);
  console.log(`Python: ${writePythonFiles(root, resolve(folder)).join(", ")}`);
}
