// Builds the site into site/dist: assembles the pages, then runs VitePress.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { assemble } from "./assemble.ts";

await assemble();
const folder = fileURLToPath(new URL("./", import.meta.url));
const command = process.argv[2] ?? "build";
execFileSync(process.execPath, ["node_modules/vitepress/bin/vitepress.js", command, ".", ...process.argv.slice(3)], {
  cwd: folder,
  stdio: "inherit",
});
