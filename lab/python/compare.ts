// The Python client beside other SDKs, one table. openapi-python-client writes its client first.
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "../../scripts/packed.ts";
import { ensureEnvironment } from "../../scripts/python.ts";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const commands = ensureEnvironment("python-peers", at("requirements.txt"));
using folder = temporaryFolder("python-peers");
copyFileSync(at("../../packages/spec/openapi.json"), join(folder.path, "openapi.json"));
process.env.PATH = `${commands}:${process.env.PATH}`;
const config = at("../../tests/generators/openapi-python-client/config.yml");
run(folder.path, "openapi-python-client", "generate", "--path", "openapi.json", "--config", config, "--meta", "none");
const sources = [at("../../packages/python/src"), at("../../packages/python/tests"), at(".")].join(":");
const environment = { ...process.env, PYTHONPATH: sources, PYTHONDONTWRITEBYTECODE: "" };
const { status } = spawnSync(join(commands, "python"), [at("compare.py"), folder.path], {
  stdio: "inherit",
  env: environment,
});
process.exitCode = status ?? 1;
