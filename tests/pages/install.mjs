// `npm install` for the commands in pages: links the named packages from this workspace into the folder.
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));
for (const name of names.map((one) => one.replace(/(?<=.)@[^/]*$/, ""))) {
  const target = join(process.env.ROOT ?? "", "node_modules", name);
  if (!existsSync(target))
    throw new Error(`The workspace has no ${name}. Add it to devDependencies, or mark the block as not run.`);
  const link = join("node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(target, link);
}
if (!existsSync("package.json")) writeFileSync("package.json", "{}\n");
