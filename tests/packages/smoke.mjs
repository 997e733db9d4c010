// Smoke test of the built packages on any system: starts the mock server, opens its inspector, calls every operation and stops
// it. Written in JavaScript because Node 20 does not run TypeScript. Requires built packages.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { startMockServer } from "../../packages/mock-server/dist/index.js";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

async function openInspector(url) {
  const { status } = await fetch(`${url}/_inspector/`);
  if (status !== 200) throw new Error(`${url}/_inspector/ answers ${status}. The build has no inspector.`);
}

const library = await startMockServer({ port: 0 });
await openInspector(library.url).finally(() => library.close());

const server = spawn(process.execPath, [at("packages/mock-server/dist/cli.js"), "start", "--port", "0", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [line] = await once(createInterface(server.stdout), "line", { signal: AbortSignal.timeout(300_000) });
  const { url, apiKey } = JSON.parse(line);
  await openInspector(url);
  const env = { ...process.env, CALL_TRANSFER_BASE_URL: url, CALL_TRANSFER_API_KEY: apiKey };
  const options = { env, stdio: "inherit", timeout: 300_000 };
  const { status } = spawnSync(process.execPath, [at("examples/every-operation.mjs")], options);
  console.log(`Node ${process.version} on ${process.platform}: ${status === 0 ? "every operation answers" : "FAILED"}`);
  process.exitCode = status ?? 1;
} finally {
  server.kill();
}
