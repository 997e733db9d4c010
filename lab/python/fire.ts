// The Python client under every fault over real sockets. The options are those of packages/python/tests/fire.py.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment } from "../../scripts/python.ts";

const folder = fileURLToPath(new URL("../../packages/python", import.meta.url));
const commands = ensureEnvironment("python", join(folder, "requirements.txt"));
const { status } = spawnSync(join(commands, "python"), ["tests/fire.py", ...process.argv.slice(2)], {
  cwd: folder,
  stdio: "inherit",
  env: { ...process.env, PYTHONPATH: "src", PYTHONDONTWRITEBYTECODE: "1" },
});
process.exitCode = status ?? 1;
