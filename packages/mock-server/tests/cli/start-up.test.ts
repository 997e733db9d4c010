import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { run } from "./start-command.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-start-up-"));
afterAll(() => rmSync(folder, { recursive: true }));

const listAtExit = `process.on("exit", () => console.log(JSON.stringify(process.moduleLoadList)));`;

it("starts and answers requests without Node's implementation of fetch and TLS, whose loading takes as long as the rest", async () => {
  const preload = `data:text/javascript,${encodeURIComponent(listAtExit)}`;
  const { child, output, stop } = run(["--port", "0", "--json"], { node: ["--import", preload] });
  await once(child.stdout, "data");
  const { url, apiKey, accountId, tokens } = JSON.parse(output.stdout);
  for (const token of [apiKey, tokens.owner]) {
    const headers = { authorization: `Bearer ${token}`, "x-account-id": accountId };
    const answer = await fetch(`${url}/api/v1/roles`, { headers });
    expect(answer.status).toBe(200);
    const group = await fetch(`${url}/api/v1/transfers/destination-groups`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: "{}",
    });
    expect(group.status).toBe(400);
  }
  await stop();
  const modules: string[] = JSON.parse(output.stdout.trimEnd().split("\n").at(-1) ?? "");
  expect(modules).toContain("NativeModule http");
  expect(modules.filter((name) => /undici|NativeModule (https|tls|crypto)$/.test(name))).toEqual([]);
});

it("keeps compiled code below the home folder, unless a variable says otherwise, and says nothing if it cannot", async () => {
  const homeWith = async (env: NodeJS.ProcessEnv) => {
    const home = mkdtempSync(join(folder, "home-"));
    const { child, output } = run(["--version"], { env: { HOME: home, NODE_COMPILE_CACHE: undefined, ...env } });
    await once(child, "close");
    expect(output).toEqual({ stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/), stderr: "" });
    return readdirSync(home, { recursive: true });
  };
  expect(await homeWith({})).toContain(join(".cache", "call-transfer-mock"));
  expect(await homeWith({ NODE_DISABLE_COMPILE_CACHE: "1" })).toEqual([]);
  expect(await homeWith({ NODE_COMPILE_CACHE: join(folder, "elsewhere") })).toEqual([]);
  expect(await homeWith({ HOME: "/dev/null" })).toEqual([]);
});
