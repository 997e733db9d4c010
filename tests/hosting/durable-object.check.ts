// Event stores in Durable Objects, in Cloudflare's runtime workerd.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventStoreCases } from "@call-transfer/contract/webhooks";
import { signWebhook } from "@call-transfer/sdk/webhooks";
import { build } from "esbuild";
import { Miniflare } from "miniflare";
import { limitMs } from "../receiving/server-process.ts";
import type { Order } from "./event-store-worker.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-durable-"));
/** The text of a program for workerd. */
async function scriptOf(path: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(path, import.meta.url))],
    bundle: true,
    format: "esm",
    conditions: ["@call-transfer/source", "workerd", "worker"],
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}
const script = await scriptOf("./event-store-worker.ts");

/** Starts workerd. What objects store outlives it. */
function startWorkerd(): Miniflare {
  return new Miniflare({
    modules: true,
    script,
    compatibilityDate: "2026-07-01",
    host: "127.0.0.1",
    port: 0,
    durableObjects: {
      EVENTS: { className: "EventStoreObject", useSQLite: true },
      QUICK: { className: "QuickObject", useSQLite: true },
    },
    durableObjectsPersist: folder,
  });
}

let workerd = startWorkerd();
after(async () => {
  await workerd.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function ask(order: Order): Promise<unknown> {
  // A connection of its own: on a busy machine, the runtime closes an idle one just when it is used again.
  const init = { method: "POST", body: JSON.stringify(order), headers: { Connection: "close" } };
  const response = await fetch(await workerd.ready, init);
  assert.equal(response.status, 200, await response.clone().text());
  return response.json();
}

for (const shards of [1, undefined, 1_000_000]) {
  describe(`a Durable Object store, ${shards ?? "default"} shards`, { concurrency: true }, () => {
    for (const { name: caseName } of eventStoreCases) {
      it(caseName, async () => {
        const order = { binding: "EVENTS" as const, caseName };
        assert.equal(await ask(shards === undefined ? order : { ...order, shards }), "passed");
      });
    }
  });
}

describe("what a Durable Object stores", () => {
  it("survives the process", async () => {
    await ask({ binding: "EVENTS", method: "complete", values: ["kept", "owner", '"kept"', 600_000] });
    await ask({ binding: "EVENTS", method: "claim", values: ["leased", "owner", 600_000] });
    await workerd.dispose();
    workerd = startWorkerd();
    const claim = (key: string) => ask({ binding: "EVENTS", method: "claim", values: [key, "other", 600_000] });
    assert.deepEqual(await claim("kept"), { state: "done", answer: '"kept"' });
    assert.deepEqual(await claim("leased"), { state: "busy" });
  });

  it("is deleted by an alarm when it ran out", async () => {
    const complete = (key: string, keepMs: number) =>
      ask({ binding: "QUICK", shards: 1, method: "complete", values: [key, "owner", '"answer"', keepMs] });
    await complete("long", 600_000);
    await complete("short", 1);
    const held = async () => (await ask({ binding: "QUICK" })) as { rows: number; alarms: number };
    // Two alarms from now on: one of them came after the answer ran out.
    const { alarms } = await held();
    const limit = AbortSignal.timeout(limitMs);
    while ((await held()).alarms < alarms + 2) {
      limit.throwIfAborted();
      await sleep(20);
    }
    assert.equal((await held()).rows, 1);
    const claimed = await ask({ binding: "QUICK", shards: 1, method: "claim", values: ["long", "other", 1] });
    assert.deepEqual(claimed, { state: "done", answer: '"answer"' });
  });
});

it("the program of docs/webhook-stores.md handles three copies once", async () => {
  const secret = "secret";
  const offer = JSON.stringify({ type: "transfer.offer", destinationId: "d0000000-0000-4000-8000-000000000001" });
  let printed = "";
  const worker = new Miniflare({
    modules: true,
    script: await scriptOf("../../examples/stores/worker.ts"),
    bindings: { SIGNING_SECRET: secret },
    compatibilityDate: "2026-07-01",
    durableObjects: { EVENTS: { className: "EventStoreObject", useSQLite: true } },
    handleRuntimeStdio: (stdout: Readable) => {
      stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
    },
  });
  const url = await worker.ready;
  for (let copy = 0; copy < 3; copy += 1) {
    const headers = { "Service-Signature": await signWebhook(offer, { secret }) };
    const { status } = await fetch(url, { method: "POST", headers, body: offer });
    assert.equal(status, 204);
  }
  await worker.dispose();
  assert.equal(printed.match(/a call is offered/g)?.length, 1, printed);
});
