// The product as a customer meets it: packs the packages, installs the tarballs in a fresh folder, starts the packed mock
// server there and runs examples/every-operation.mjs against it. Expects the packages to be built.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install, pack, type Ready, withPackedServer } from "./packed.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const program = "every-operation.mjs";
const drivenWithinMs = 300_000;

async function drive(project: string, { url, apiKey }: Ready): Promise<void> {
  const copy = join(project, program);
  copyFileSync(join(root, "examples", program), copy);
  const environment = { ...process.env, CALL_TRANSFER_BASE_URL: url, CALL_TRANSFER_API_KEY: apiKey };
  const customer = spawn(process.execPath, [copy], {
    cwd: project,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: drivenWithinMs,
  });
  const [code, signal] = (await once(customer, "exit")) as [number | null, string | null];
  if (signal) throw new Error(`${program} was ended by ${signal} (it may take ${drivenWithinMs / 1000} s)`);
  if (code !== 0) throw new Error(`${program} ended with status ${code}`);
}

async function demo(folder: string): Promise<void> {
  console.log("Packing the packages and installing them in a fresh project …");
  const project = join(folder, "customer");
  const tarballs = pack(folder, ["spec", "sdk", "backend", "mock-server"]);
  install(project, tarballs);
  for (const filename of Object.values(tarballs)) console.log(`  installed ${filename}`);
  await withPackedServer(project, [], async (ready) => {
    console.log(`  mock server at ${ready.url}\n`);
    await drive(project, ready);
  });
}

const folder = mkdtempSync(join(tmpdir(), "call-transfer-demo-"));
try {
  await demo(folder);
} catch (error) {
  console.error(`\nThe demo failed. ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
