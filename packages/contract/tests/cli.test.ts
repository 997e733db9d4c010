import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { operations } from "@call-transfer/spec";
import { expect, it } from "vitest";

it("removes the empty secret file when it is interrupted", async () => {
  const folder = mkdtempSync(join(tmpdir(), "contract-cli-"));
  const secretFile = join(folder, "secret");
  let hanging = (): void => {};
  const hangs = new Promise<void>((resolve) => {
    hanging = resolve;
  });
  const server = createServer(({ url }, response) => {
    if (url === operations.listAccounts.path) response.end("{}");
    else hanging();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const command = spawn(
    process.execPath,
    [
      ...["--conditions=@call-transfer/source", fileURLToPath(new URL("../src/cli.ts", import.meta.url))],
      ...["--base-url", `http://127.0.0.1:${port}`, "--allow-changes"],
      ...["--rotate-destination-id", "any", "--secret-file", secretFile],
    ],
    { env: { ...process.env, CALL_TRANSFER_API_KEY: "svc_live_any" }, stdio: "ignore" },
  );
  try {
    const ended = once(command, "exit");
    await hangs;
    expect(existsSync(secretFile)).toBe(true);
    command.kill("SIGINT");
    expect(await ended).toEqual([130, null]);
    expect(existsSync(secretFile)).toBe(false);
  } finally {
    command.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
