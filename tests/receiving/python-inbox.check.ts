// The inbox of the Python client over each client of PostgreSQL that its page shows, and beside Node on one table. The cases are in
// packages/python/tests/webhooks/inbox_check.py.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, it } from "node:test";
import { promisify } from "node:util";
import { createWebhookHandler, signWebhook } from "@call-transfer/sdk/webhooks";
import { inboxTableSql } from "@call-transfer/sdk/webhooks/postgres";
import { Pool } from "pg";
import { pythonCommand, pythonEnvironment, pythonFolder } from "./python.ts";
import { startPostgres } from "./servers.ts";
import { pgInbox } from "./stores.ts";

const postgres = await startPostgres();
const env = { ...process.env, ...pythonEnvironment, DATABASE_URL: postgres.url };
const pool = new Pool({ connectionString: postgres.url, max: 2 });
after(async () => {
  await pool.end();
  await postgres.stop();
});

it("Python: the cases of an inbox", async () => {
  const words = ["-m", "pytest", "tests/webhooks/inbox_check.py"];
  // Throws what it printed.
  await promisify(execFile)(pythonCommand(), words, { cwd: pythonFolder, env });
});

it("Python: an inbox sends the response of Node's, and Node that of Python's", async () => {
  const table = "shared.events";
  await pool.query("create schema shared");
  await pool.query(inboxTableSql({ table }));
  const secret = "secret-of-a-test";
  const inbox = pgInbox(pool, { table });
  const receive = createWebhookHandler({ secret, inbox, onEvent: () => new Response("from Node") });
  const program = `import os, sys
from contextlib import contextmanager
import psycopg
from call_transfer.webhooks import WebhookHandler, WebhookResponse
from call_transfer.webhooks.postgres import postgres_inbox
inbox = postgres_inbox(
    transaction=lambda: psycopg.connect(os.environ["DATABASE_URL"]),
    query=lambda connection, sql, args: connection.execute(sql, args).fetchall(),
    table="${table}",
)
handler = WebhookHandler(secret="${secret}", inbox=inbox, on_event=lambda event, tx: WebhookResponse(200, "from Python"))
print(handler.handle(sys.argv[1], {"Service-Signature": sys.argv[2]}).body.decode())`;
  const both = async (id: string, isNodeFirst: boolean) => {
    const body = JSON.stringify({ type: "transfer.offer", id });
    const header = await signWebhook(body, { secret });
    const node = async () => {
      const headers = { "Service-Signature": header };
      const request = new Request("http://localhost", { method: "POST", body, headers });
      return (await receive(request)).text();
    };
    const python = async () =>
      (await promisify(execFile)(pythonCommand(), ["-c", program, body, header], { env })).stdout.trim();
    return isNodeFirst ? [await node(), await python()] : [await python(), await node()];
  };
  assert.deepEqual(await both("one", true), ["from Node", "from Node"]);
  assert.deepEqual(await both("two", false), ["from Python", "from Python"]);
});
