// Checks packages/python: format and lint, the types by mypy, the record of public names, the tests, and the package. `npm run check --
// python tests` runs one part, with options for it; `surface --write` writes the record. `--environment` says where its packages are.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../build/command-file.ts";
import { ensureEnvironment, keepBytecode } from "../../scripts/python.ts";
import { checkPackage } from "./check-package.ts";

const folder = fileURLToPath(new URL("../../packages/python", import.meta.url));

async function run(program: string, ...options: readonly string[]): Promise<boolean> {
  console.log(`\n--- ${[program.split("/").at(-1), ...options].join(" ")}`);
  const environment = { ...process.env, PYTHONPATH: "src", ...keepBytecode };
  const child = spawn(program, options, { cwd: folder, stdio: "inherit", env: environment });
  const [status] = await once(child, "exit");
  return status === 0;
}

/** Whether the record of public names is up to date, or writes it. Says what to do if not. */
function checkSurface(commands: string, write: boolean): boolean {
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

function parts(commands: string): Readonly<Record<string, (...options: string[]) => Promise<boolean>>> {
  const python = (name: string) => join(commands, name);
  return {
    format: async () => (await run(python("ruff"), "check")) && run(python("ruff"), "format", "--check"),
    mypy: () => run(python("mypy"), "--cache-dir=../../.cache/mypy"),
    surface: async (...options) => {
      console.log("\n--- surface");
      return checkSurface(commands, options.includes("--write"));
    },
    tests: (...options) => {
      // The sources as one file start in a third of the time.
      const command = `call_transfer_mock_command=${process.execPath} ${commandFile()}`;
      return run(python("python"), "-m", "pytest", "-o", command, ...options);
    },
    package: async () => {
      console.log("\n--- package");
      await checkPackage();
      return true;
    },
  };
}

const [name, ...options] = process.argv.slice(2);
if (name === "--environment") {
  console.log(ensureEnvironment("python", join(folder, "requirements.txt")));
} else {
  const all = parts(ensureEnvironment("python", join(folder, "requirements.txt")));
  const chosen = name === undefined ? Object.values(all) : [all[name]];
  if (chosen.includes(undefined)) throw new Error(`Unknown part ${name}. There are ${Object.keys(all).join(", ")}.`);
  for (const part of chosen) if (!(await part?.(...options))) process.exitCode = 1;
}
