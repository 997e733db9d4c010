// Smoke test of the built packages on any system: starts the mock server, calls every operation and stops it. Written in
// JavaScript because Node 20 does not run TypeScript. Requires built packages.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const server = spawn(process.execPath, [at("packages/mock-server/dist/cli.js"), "start", "--port", "0", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [line] = await once(createInterface(server.stdout), "line", { signal: AbortSignal.timeout(60_000) });
  const { url, apiKey } = JSON.parse(line);
  const env = { ...process.env, CALL_TRANSFER_BASE_URL: url, CALL_TRANSFER_API_KEY: apiKey };
  const options = { env, stdio: "inherit", timeout: 120_000 };
  const { status } = spawnSync(process.execPath, [at("examples/every-operation.mjs")], options);
  console.log(`Node ${process.version} on ${process.platform}: ${status === 0 ? "every operation answers" : "FAILED"}`);
  process.exitCode = status ?? 1;
} finally {
  server.kill();
}
