import { DatabaseSync } from "node:sqlite";
import { demo } from "@call-transfer/backend";
import { afterEach, expect, it, vi } from "vitest";
import { graceMs } from "../../src/worker/alarm-clock.ts";
import type { ObjectStorage } from "../../src/worker/platform.ts";
import { RunningSandbox } from "../../src/worker/running-sandbox.ts";
import { readSettings } from "../../src/worker/settings.ts";

afterEach(() => vi.unstubAllGlobals());

/** The storage of an object, with the alarms that were set. */
function createStorage() {
  const database = new DatabaseSync(":memory:");
  const alarms: number[] = [];
  const storage: ObjectStorage = {
    sql: { exec: (query, ...values) => database.prepare(query).all(...values) as never },
    transactionSync: (task) => task(),
    setAlarm: async (at) => void alarms.push(at),
    async deleteAlarm() {},
    async deleteAll() {},
  };
  return { storage, alarms };
}

it("wakes after a crash until a delivery is stored, also while the body of the receiver's answer arrives", async () => {
  const { storage, alarms } = createStorage();
  let body: ReadableStreamDefaultController<Uint8Array> | undefined;
  const reading = new Promise<void>((resolve) => {
    vi.stubGlobal("fetch", async () => {
      const answer = new ReadableStream<Uint8Array>({
        start(controller) {
          body = controller;
        },
        pull: () => resolve(),
      });
      return new Response(answer);
    });
  });
  const sandbox = new RunningSandbox(storage, readSettings({}), { name: "default", options: {}, usedAt: Date.now() });
  sandbox.start();
  /** Whether the object would wake by itself if it crashed now. */
  const wakes = async () => {
    alarms.length = 0;
    await sandbox.ring();
    return alarms.some((at) => at <= Date.now() + graceMs);
  };
  const headers = new Headers({ "content-type": "application/json" });
  const trigger = new Request("http://localhost/_control/v1/webhooks/trigger", {
    method: "POST",
    headers,
    body: JSON.stringify({ destinationId: demo.destinations.app }),
  });
  const delivered = sandbox.respond(trigger, headers);
  await reading;
  await expect(wakes()).resolves.toBe(true);
  body?.close();
  await expect((await delivered).json()).resolves.toMatchObject({ status: 200, accepted: true });
  await vi.waitFor(async () => expect(await wakes()).toBe(false));
  sandbox.close();
});
