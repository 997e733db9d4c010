// Checks packages/python: format and lint, the types by mypy, the record of public names, the tests, and the package. `npm run check --
// python tests` runs one part, with options for it; `surface --write` writes the record. `--installed` only says whether this machine has Python, and `--environment` where its packages are.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commandFile } from "../../build/command-file.ts";
import { ensureEnvironment, keepBytecode, missingPython } from "../../scripts/python.ts";
import { checkPackage } from "./check-package.ts";
import { checkSurface } from "./surface.ts";

const folder = fileURLToPath(new URL("../../packages/python", import.meta.url));

async function run(program: string, ...options: readonly string[]): Promise<boolean> {
  console.log(`\n--- ${[program.split("/").at(-1), ...options].join(" ")}`);
  const environment = { ...process.env, PYTHONPATH: "src", ...keepBytecode };
  const child = spawn(program, options, { cwd: folder, stdio: "inherit", env: environment });
  const [status] = await once(child, "exit");
  return status === 0;
}

function parts(commands: string): Readonly<Record<string, (...options: string[]) => Promise<boolean>>> {
  const python = (name: string) => join(commands, name);
  return {
    format: async () => (await run(python("ruff"), "check")) && run(python("ruff"), "format", "--check"),
    mypy: () => run(python("mypy"), "--cache-dir=../../.cache/mypy"),
    surface: async (...options) => {
      console.log("\n--- surface");
      return checkSurface(commands, folder, options.includes("--write"));
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
if (name === "--installed") {
  const missing = missingPython();
  if (missing !== undefined) console.log(missing);
  process.exitCode = missing === undefined ? 0 : 1;
} else if (name === "--environment") {
  console.log(ensureEnvironment("python", join(folder, "requirements.txt")));
} else {
  const all = parts(ensureEnvironment("python", join(folder, "requirements.txt")));
  const chosen = name === undefined ? Object.values(all) : [all[name]];
  if (chosen.includes(undefined)) throw new Error(`Unknown part ${name}. There are ${Object.keys(all).join(", ")}.`);
  for (const part of chosen) if (!(await part?.(...options))) process.exitCode = 1;
}
