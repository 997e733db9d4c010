// The Python client for checks of receivers: its sources, and the environment that `npm run check -- python` installs.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment, keepBytecode, missingPython } from "../../scripts/python.ts";

export const pythonFolder = fileURLToPath(new URL("../../packages/python", import.meta.url));

/** Installs what the package needs, unless that was done before, and returns the path of its Python. */
export const pythonCommand = (): string =>
  join(ensureEnvironment("python", join(pythonFolder, "requirements.txt")), "python");

/** Variables for a process that runs the package from its sources. */
export const pythonEnvironment = { PYTHONPATH: join(pythonFolder, "src"), ...keepBytecode } as const;

export { missingPython };
