// `build` assembles the pages and builds the site into site/dist, with the Markdown of each page and llms.txt beside it.
// `dev` serves it while you write, `preview` serves what was built.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.ts";
import { licencesName, siteLicences } from "./licences.ts";
import { llmsText } from "./llms.ts";
import { referencePages } from "./reference.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const [command = "build", ...options] = process.argv.slice(2);

rmSync(siteLicences, { force: true });
const pages = command === "preview" ? [] : await assemble(referencePages);
execFileSync(process.execPath, ["node_modules/vitepress/bin/vitepress.js", command, ".", ...options], {
  cwd: folder,
  stdio: "inherit",
});
if (command === "build") {
  for (const { path, text } of pages) {
    mkdirSync(dirname(join(folder, "dist", path)), { recursive: true });
    writeFileSync(join(folder, "dist", path), text);
  }
  writeFileSync(join(folder, "dist/llms.txt"), llmsText(pages));
  copyFileSync(siteLicences, join(folder, "dist", licencesName));
}
