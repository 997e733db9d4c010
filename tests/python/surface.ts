// Compares packages/python/surface.json with what the sources of the Python client promise, or writes it.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether the record of public names is up to date. Says what to do if not.
 *
 * @param commands The folder of the commands of Python's environment.
 * @param folder The folder of the client.
 * @param write Whether to write the record instead.
 */
export function checkSurface(commands: string, folder: string, write: boolean): boolean {
  const file = join(folder, "surface.json");
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };
  const text = execFileSync(join(commands, "python"), [join(folder, "tests", "surface.py")], { encoding: "utf8", env });
  const isCurrent = existsSync(file) && readFileSync(file, "utf8") === text;
  if (isCurrent) console.log("packages/python/surface.json: up to date");
  else if (write) {
    writeFileSync(file, text);
    console.log("wrote packages/python/surface.json");
  } else
    console.error("packages/python/surface.json: out of date. Run `npm run record -- python` and commit the result.");
  return isCurrent || write;
}
