// The recipe's event store in Durable Objects, in Cloudflare's runtime workerd. check -- recipes runs its Worker.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { eventStoreCases } from "@call-transfer/contract/webhooks";
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

describe("a Durable Object store", { concurrency: true }, () => {
  for (const { name: caseName } of eventStoreCases)
    it(caseName, async () => assert.equal(await ask({ binding: "EVENTS", caseName }), "passed"));
});

describe("what a Durable Object stores", () => {
  it("survives the process", async () => {
    await ask({ binding: "EVENTS", method: "complete", values: ["kept", "owner", '"kept"'] });
    await ask({ binding: "EVENTS", method: "claim", values: ["leased", "owner", 600_000] });
    await workerd.dispose();
    workerd = startWorkerd();
    const claim = (key: string) => ask({ binding: "EVENTS", method: "claim", values: [key, "other", 600_000] });
    assert.deepEqual(await claim("kept"), { state: "completed", response: '"kept"' });
    assert.deepEqual(await claim("leased"), { state: "in_progress" });
  });

  it("is deleted by an alarm when it expired", async () => {
    const claim = (key: string, ms: number) => ask({ binding: "QUICK", method: "claim", values: [key, "owner", ms] });
    await claim("long", 600_000);
    await claim("short", 1);
    const held = async () => (await ask({ binding: "QUICK" })) as { keys: string[]; alarms: number };
    const limit = AbortSignal.timeout(limitMs);
    while ((await held()).alarms < 4) {
      limit.throwIfAborted();
      await sleep(20);
    }
    assert.deepEqual(new Set((await held()).keys), new Set(["long"]));
  });
});
