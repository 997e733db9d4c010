import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";

const cli = fileURLToPath(new URL("../src/cli.ts", import.meta.url));
const listAtExit = `process.on("exit", () => console.log(JSON.stringify(process.moduleLoadList)));`;

let server: ChildProcess | undefined;

afterEach(() => {
  server?.kill("SIGKILL");
});

it("starts and answers requests without Node's implementation of fetch, whose loading takes as long as the rest", async () => {
  const preload = `data:text/javascript,${encodeURIComponent(listAtExit)}`;
  const source = "--conditions=@call-transfer/source";
  const child = spawn(process.execPath, [source, "--import", preload, cli, "--port", "0", "--json"]);
  server = child;
  const printed = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
  const { url, apiKey, accountId, tokens } = JSON.parse((await printed.next()).value);
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
  child.kill("SIGTERM");
  const list: string[] = [];
  for (let part = await printed.next(); !part.done; part = await printed.next()) list.push(part.value);
  const modules: string[] = JSON.parse(list.join(""));
  expect(modules).toContain("NativeModule http");
  expect(modules.filter((name) => name.includes("undici"))).toEqual([]);
});
