// `build` assembles the pages and builds the site into site/dist. `dev` serves it while you write, `preview` serves what was built.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.ts";
import { siteLicences } from "./playground/plugin.ts";
import { referencePages } from "./reference.ts";

const folder = fileURLToPath(new URL("./", import.meta.url));
const [command = "build", ...options] = process.argv.slice(2);

rmSync(siteLicences, { force: true });
if (command !== "preview") await assemble(referencePages);
execFileSync(process.execPath, ["node_modules/vitepress/bin/vitepress.js", command, ".", ...options], {
  cwd: folder,
  stdio: "inherit",
});
if (command === "build") copyFileSync(siteLicences, join(folder, "dist/THIRD-PARTY-LICENSES.txt"));
