// `npm install` for the commands in pages: puts the named packages of this workspace into the folder, as built. They are
// copied with what they declare, as an install does; other packages are links.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = process.env.ROOT ?? "";

function install(name, from = root) {
  const place = join("node_modules", name);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  const folder = join(root, name.replace("@call-transfer/", "packages/"));
  if (!name.startsWith("@call-transfer/")) {
    const target = [join(from, "node_modules", name), join(root, "node_modules", name)].find((path) =>
      existsSync(path),
    );
    if (!target)
      throw new Error(`The workspace has no ${name}. Add it to devDependencies, or mark the block as not run.`);
    symlinkSync(target, place);
    return;
  }
  const { files = [], dependencies = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const file of ["package.json", ...files])
    if (existsSync(join(folder, file))) cpSync(join(folder, file), join(place, file), { recursive: true });
  for (const dependency of Object.keys(dependencies)) install(dependency, folder);
}

if (!existsSync("package.json")) writeFileSync("package.json", "{}\n");
for (const word of process.argv.slice(2)) if (!word.startsWith("-")) install(word.replace(/(?<=.)@[^/]*$/, ""));
