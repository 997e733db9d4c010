// The Python client over real sockets under the faults of the simulation. packages/python/tests/fire.py sends, breaks and judges: its
// tests plant mistakes in the client, which it must find.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureEnvironment, keepBytecode } from "../../scripts/python.ts";
import type { Plan, Run, World } from "./plan.ts";

const folder = fileURLToPath(new URL("../../packages/python", import.meta.url));

async function run({ kind, seed, amount }: Run): Promise<World> {
  const commands = ensureEnvironment("python", join(folder, "requirements.txt"));
  const words = ["tests/fire.py", "--requests", String(amount), "--mode", kind, "--seed", String(seed)];
  const { status } = spawnSync(join(commands, "python"), words, {
    ...{ cwd: folder, stdio: "inherit" },
    env: { ...process.env, PYTHONPATH: "src", ...keepBytecode },
  });
  return { counts: { requests: amount }, findings: status === 0 ? [] : ["See above."] };
}

export const python: Plan = {
  does: "sends placements and rotations with the Python client under every fault over real sockets",
  kinds: ["sync", "async"],
  unit: "requests",
  amount: 10_000,
  mostPerWorld: 1_000_000,
  plants: {},
  run,
};
