// The Python client beside other SDKs. openapi-python-client writes its client first.
import { spawnSync } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, temporaryFolder } from "../../scripts/packed.ts";
import { ensureEnvironment, keepBytecode } from "../../scripts/python.ts";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** What each row of python_peers.py is, and what it takes at most. */
const figures = {
  lost: { what: "A POST whose response is lost: sent so many times", unit: "" },
  get: { what: "Processor time of a GET, beside bare `httpx2`", unit: "×", limit: 1.45 },
  size: {
    what: "Installation, with dependencies",
    unit: " MB",
    why: "pydantic, which openapi-python-client does without",
  },
};

export async function measure() {
  const commands = ensureEnvironment("python-peers", at("lab/bench/requirements.txt"));
  using folder = temporaryFolder("python-peers");
  copyFileSync(at("packages/spec/openapi.json"), join(folder.path, "openapi.json"));
  process.env.PATH = `${commands}:${process.env.PATH}`;
  const config = join(folder.path, "config.yml");
  writeFileSync(config, "package_name_override: call_transfer_client\n");
  run(folder.path, "openapi-python-client", "generate", "--path", "openapi.json", "--config", config, "--meta", "none");
  const sources = [at("packages/python/src"), at("packages/python/tests"), at("lab/bench")].join(":");
  const { status, stdout } = spawnSync(join(commands, "python"), [at("lab/bench/python_peers.py"), folder.path], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PYTHONPATH: sources, ...keepBytecode },
  });
  if (status !== 0) throw new Error(`python_peers.py ended with ${status}.`);
  const rows = JSON.parse(stdout);
  return Object.entries(figures).map(([key, figure]) => {
    const { "call-transfer": value, ...peers } = rows[key];
    return { ...figure, value, peers };
  });
}
