// The programs of docs/webhooks-python.md receive offers that the reference backend signs: the servers over HTTP, and the stores in
// two processes.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBackend, demo } from "@call-transfer/backend";
import { attackReceiver, formatReport } from "@call-transfer/mock-server/attack";
import { CallTransfer } from "@call-transfer/sdk";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { freePort } from "../../build/free-port.ts";
import { functionUrlEvent, httpApiEvent, restEvent } from "../../packages/sdk/tests/lambda-events.ts";
import { pythonCommand, pythonEnvironment } from "./python.ts";
import { limitMs } from "./server-process.ts";
import { startPostgres, startRedis } from "./servers.ts";

const folder = fileURLToPath(new URL("../../examples/python/", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "call-transfer-recipes-"));
const secretsFile = join(scratch, "offer-secrets");
const python = pythonCommand();
const env = {
  ...process.env,
  ...pythonEnvironment,
  PYTHONWARNINGS: "error",
  CALL_TRANSFER_SIGNING_SECRETS_FILE: secretsFile,
  PATH: `${dirname(python)}:${process.env.PATH}`,
};

const started: ChildProcess[] = [];
after(async () => {
  for (const child of started) {
    const ended = once(child, "exit");
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await ended;
    }
  }
  rmSync(scratch, { recursive: true, force: true });
});

/** By the name of the recipe, how the page starts it on port 3000. */
const page = readFileSync(new URL("../../docs/webhooks-python.md", import.meta.url), "utf8");
const commands = new Map(
  [...page.matchAll(/^.*\b(\w+)_app\b.* 3000$/gm)].map(([command, name = ""]) => [name, command]),
);
assert.deepEqual([...commands.keys()], ["fastapi", "starlette", "flask", "django"]);

/** By the name of the recipe, its row in the page: how many checks of an attack it passed. */
const attacked = new Map(
  [...page.matchAll(/^\| (\w+) \| \w+ \| (\d+) \|$/gm)].map(([, name = "", passed]) => [name.toLowerCase(), passed]),
);
assert.deepEqual([...attacked.keys()], ["fastapi", "flask"]);

/** Starts a recipe. Returns its address, and what it prints. */
async function start(name: string): Promise<{ url: string; printed: () => string }> {
  // The command of the page names it.
  const port = String(await freePort());
  const command = `exec ${commands.get(name)?.replace("3000", port)}`;
  const child = spawn("sh", ["-c", command], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  const url = `http://127.0.0.1:${port}/offers`;
  while (!(await fetch(url).catch(() => undefined))) {
    assert.equal(child.exitCode, null, printed);
    await sleep(50);
  }
  return { url, printed: () => printed };
}

describe("a recipe of Python receives signed offers, also while the secret is rotated", { concurrency: true }, () => {
  for (const name of commands.keys()) {
    it(name, async () => {
      writeFileSync(secretsFile, `${demo.signingSecret}\n`);
      const { url, printed } = await start(name);
      const backend = createBackend({ clockMode: "running", fetch: (_, init) => fetch(url, init) });
      const client = new CallTransfer({ baseUrl: "http://localhost", apiKey: demo.apiKey, fetch: backend.fetch });
      const destinationId = demo.destinations.app;
      const first = await backend.deliveries.trigger({ destinationId });
      assert.equal(first.status, 204, printed());
      await backend.deliveries.redeliver(first.id);
      await client.destinations.rotateSecret(destinationId);
      const second = await backend.deliveries.trigger({ destinationId });
      assert.deepEqual([second.status, second.signature?.v1.length], [204, 2], printed());
      const offers = () => printed().match(/^offer /gm)?.length ?? 0;
      // What a program prints may arrive after its answer.
      for (const end = Date.now() + limitMs; offers() < 2 && Date.now() < end; ) await sleep(20);
      const forged = {
        method: "POST",
        body: '{"type":"transfer.offer"}',
        headers: { "Service-Signature": "t=1,v1=00" },
      };
      assert.equal((await fetch(url, forged)).status, 400);
      if (name === "fastapi") assert.deepEqual(await (await fetch(url.replace("offers", "ready"))).json(), []);
      assert.equal(offers(), 2, printed());
    });
  }
});

describe("a recipe of Python passes what its page says of an attack", { concurrency: true }, () => {
  for (const [name, expected] of attacked) {
    it(name, async () => {
      const secret = "the-secret-after-the-demo's";
      writeFileSync(secretsFile, `${secret}\n${demo.signingSecret}\n`);
      const { url, printed } = await start(name);
      const handled = async () => {
        // What the program prints may follow its answers, but in order. Threads may print between the parts of a line, so that
        // a log's digits follow an id: a UUID, or one with -2.
        const last = crypto.randomUUID();
        const body = JSON.stringify({ type: "transfer.offer", id: last });
        const headers = { "Service-Signature": await signWebhook(body, { secret }) };
        assert.equal((await fetch(url, { method: "POST", body, headers })).status, 204);
        for (const end = Date.now() + limitMs; !printed().includes(last) && Date.now() < end; ) await sleep(20);
        const counts = new Map<string, number>();
        for (const [, id = ""] of printed().matchAll(/offer ([0-9a-f-]{36}(?:-2)?)/g))
          if (id !== last) counts.set(id, (counts.get(id) ?? 0) + 1);
        return counts;
      };
      const report = await attackReceiver({
        ...{ url, secret, previousSecret: demo.signingSecret, handled },
        payload: { destinationId: demo.destinations.app },
      });
      assert.deepEqual(report.findings, [], formatReport(report));
      assert.deepEqual([String(report.passed), report.notChecked], [expected, []]);
    });
  }
});

describe("a program of Python with a store or an inbox handles an offer once in two processes", async () => {
  const [redis, postgres] = [await startRedis(), await startPostgres()];
  after(async () => {
    await redis.stop();
    await postgres.stop();
  });
  const all = { ...env, REDIS_URL: redis.url, DATABASE_URL: postgres.url };
  const body = JSON.stringify({ type: "transfer.offer", id: "7" });
  const program = `import sys
from importlib import import_module
handler = import_module(sys.argv[1]).handler
for _ in range(2):
    print("answered", handler.handle(sys.argv[2], {"Service-Signature": sys.argv[3]}).status)
print("ready", handler.check_readiness() == [])`;
  it("readiness", async () => {
    // The program of the page names it.
    const port = await freePort();
    const text = readFileSync(join(folder, "readiness.py"), "utf8").replace("8081", String(port));
    const file = join(scratch, "readiness.py");
    writeFileSync(file, `${text}print("started", flush=True)\ninput()\n`);
    const child = spawn(python, [file], {
      env: { ...all, PYTHONPATH: `${env.PYTHONPATH}:${folder}` },
      stdio: ["pipe", "pipe", "inherit"],
    });
    started.push(child);
    await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    const probe = await fetch(`http://127.0.0.1:${port}/`);
    assert.deepEqual([probe.status, await probe.json()], [200, []]);
    child.stdin.end("\n");
  });
  it("lambda_function, behind each kind of gateway", async () => {
    const secretId = "offers/secrets";
    const extension = createServer((request, response) => {
      const isAllowed = request.headers["x-aws-parameters-secrets-token"] === "session-token";
      const isExpected = request.url === `/secretsmanager/get?secretId=${encodeURIComponent(secretId)}`;
      response.writeHead(isAllowed && isExpected ? 200 : 400);
      response.end(JSON.stringify({ SecretString: `another\n${demo.signingSecret}\n` }));
    }).listen(0, "127.0.0.1");
    await once(extension, "listening");
    const offer = JSON.stringify({ type: "transfer.offer", id: "8", note: "Zoë" });
    const header = await signWebhook(offer, { secret: demo.signingSecret });
    const requests = [offer, `${offer} `].map((text) => {
      const headers: [string, string][] = [["Service-Signature", header]];
      return { method: "POST", path: "/offers", headers, body: Buffer.from(text) };
    });
    const events = requests.flatMap((request) =>
      [restEvent, httpApiEvent, functionUrlEvent].flatMap((event) => [event(request, false), event(request, true)]),
    );
    const code =
      "import json, sys, lambda_function as f\nfor event in json.load(sys.stdin): print(f.handler(event, None))";
    const variables = {
      ...{ AWS_SESSION_TOKEN: "session-token", CALL_TRANSFER_SIGNING_SECRETS_ID: secretId },
      PARAMETERS_SECRETS_EXTENSION_HTTP_PORT: String((extension.address() as AddressInfo).port),
    };
    const running = promisify(execFile)(python, ["-c", code], { cwd: folder, env: { ...all, ...variables } });
    running.child.stdin?.end(JSON.stringify(events));
    const { stdout } = await running;
    extension.close();
    assert.deepEqual(stdout.match(/\d{3}(?=, 'headers)/g), [...Array(6).fill("204"), ...Array(6).fill("400")], stdout);
    assert.equal(stdout.match(/^offer 8$/gm)?.length, 1, stdout);
  });
  for (const name of ["redis_store", "postgres_inbox"]) {
    it(name, async () => {
      writeFileSync(secretsFile, `${demo.signingSecret}\n`);
      const header = await signWebhook(body, { secret: demo.signingSecret });
      let printed = "";
      for (let process = 0; process < 2; process += 1) {
        const words = ["-c", program, name, body, header];
        printed += (await promisify(execFile)(python, words, { cwd: folder, env: all })).stdout;
      }
      assert.equal(printed.match(/answered 204/g)?.length, 4, printed);
      assert.equal(printed.match(/offer 7/g)?.length, 1, printed);
      assert.equal(printed.match(/ready True/g)?.length, 2, printed);
    });
  }
});
