// Sandboxes as objects: side by side, followed by event streams, asleep, and expired.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { until } from "../receiving/server-process.ts";
import { MockServer, temporaryFolder } from "./hosted-server.ts";
import { storedRows } from "./stored.ts";
import { controlToken } from "./workerd.ts";

const msOfDay = 86_400_000;

const folder = temporaryFolder();
let server: MockServer;
before(async () => {
  server = await MockServer.start({ folder: folder.path });
});
after(async () => {
  await server.stop();
  folder.remove();
});

const clientOf = (sandbox: string, at = server) =>
  new CallTransfer({ baseUrl: `${at.url}/_sandbox/${sandbox}`, apiKey: demo.apiKey });

/** The names of the sandboxes, in the order of creation. */
async function names(at: MockServer): Promise<string[]> {
  const { sandboxes } = await at.control("default", "GET", "/sandboxes");
  return sandboxes.map(({ name }: { name: string }) => name);
}

/** The id of the latest event of a sandbox. */
async function latestEvent(sandbox: string): Promise<string> {
  const { events } = await server.control(sandbox, "GET", "/events?limit=1");
  return events[0].eventId;
}

/** Whether the object of a sandbox has been in memory since an event: events are kept there only. Keeps it in memory. */
async function remembers(sandbox: string, eventId: string): Promise<boolean> {
  return (await server.control(sandbox, "GET", `/events?after=${eventId}`)).complete;
}

/**
 * Longer than an object stays in memory that nothing uses: 10 s until it notices that a reader has left, 5 s until its last
 * alarm, and 10 to 20 s in which the runtime keeps it.
 */
const untilAsleepMs = 38_000;

interface StoredTransfer {
  readonly status: string;
}

describe("an object", { concurrency: true }, () => {
  /** Opens the event stream of a new sandbox. */
  async function follow(sandbox: string) {
    await server.control("default", "POST", "/sandboxes", { name: sandbox });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/_sandbox/${sandbox}/_control/v1/events/stream`, {
      headers: { Authorization: `Bearer ${controlToken}` },
      signal: leaving.signal,
    });
    assert.equal(response.headers.get("content-type"), "text/event-stream");
    const stream = { text: "", leave: () => leaving.abort() };
    const read = async () => {
      for await (const chunk of response.body ?? []) stream.text += Buffer.from(chunk).toString();
    };
    read().catch(() => {});
    await until("There is not yet the beginning of the stream", () => stream.text.startsWith(": connected"));
    return stream;
  }

  it("sends events as they happen, and stays in memory while they are read", async () => {
    const stream = await follow("followed");
    await clientOf("followed").roles.list();
    await until("There is not yet the event of the request", () => stream.text.includes('"type":"request.completed"'));
    const event = await latestEvent("followed");
    await sleep(untilAsleepMs);
    assert.equal(await remembers("followed", event), true);
    stream.leave();
  });

  it("sleeps when the last reader of its events has left", async () => {
    const stream = await follow("left");
    await clientOf("left").roles.list();
    const event = await latestEvent("left");
    stream.leave();
    // A busy machine takes longer, and each question keeps the object awake.
    await until("There is not yet the object to sleep", async () => {
      await sleep(untilAsleepMs);
      return !(await remembers("left", event));
    });
  });

  it("sleeps while a transfer rings, and ends the ring at its time with no request coming in", async () => {
    // Long enough for the object to fall asleep, and well within what `until` waits.
    const totalTimeoutSecs = 40;
    await server.control("default", "POST", "/sandboxes", { name: "ringing" });
    const { id: groupId } = await clientOf("ringing").destinationGroups.create({
      name: "Rings long",
      members: [{ destinationId: demo.destinations.phone }],
      totalTimeoutSecs,
    });
    const start = Date.now();
    const { id } = await server.control("ringing", "POST", "/transfers", { groupId });
    const stored = async () => (await storedRows<StoredTransfer>(folder.path, "ringing", "transfers"))[0];
    assert.equal((await stored())?.status, "ringing");
    const event = await latestEvent("ringing");
    await until("There is not yet the end of the transfer", async () => (await stored())?.status === "unanswered");
    const tookMs = Date.now() - start;
    // Later only by how busy the machine is.
    assert.ok(tookMs > (totalTimeoutSecs - 5) * 1000, `${tookMs} ms`);
    const { transfers } = await server.control("ringing", "GET", `/transfers?id=${id}`);
    assert.equal(transfers[0]?.status, "unanswered");
    assert.equal(await remembers("ringing", event), false);
  });
});

describe("a sandbox that no one uses", { concurrency: true }, () => {
  const expiring = temporaryFolder();
  /** Long enough for a busy machine to use the other one in time. */
  const expiryMs = 12_000;
  let other: MockServer;
  before(async () => {
    other = await MockServer.start({ folder: expiring.path, settings: { SANDBOX_IDLE_DAYS: expiryMs / msOfDay } });
  });
  after(async () => {
    await other.stop();
    expiring.remove();
  });

  const isStored = async (name: string) => (await storedRows(expiring.path, name, "accounts")).length > 0;
  const areStored = (...all: string[]) => Promise.all(all.map(isStored));

  it("is deleted with all it has stored, is no longer listed, and is created again as new", async () => {
    await clientOf("default", other).roles.list();
    const start = Date.now();
    for (const name of ["unused", "used"]) await other.control("default", "POST", "/sandboxes", { name });
    const members = [{ destinationId: demo.destinations.phone }];
    await clientOf("unused", other).destinationGroups.create({ name: "Old", members });
    let isOver = false;
    const using = (async () => {
      while (!isOver) {
        await clientOf("used", other).roles.list();
        await sleep(500);
      }
    })();
    assert.deepEqual(await areStored("default", "unused", "used"), [true, true, true]);
    await until("There is not yet the end of the sandbox", async () => !(await isStored("unused")));
    assert.ok(Date.now() - start > expiryMs / 2, "not before its time");
    isOver = true;
    await using;
    assert.deepEqual(await names(other), ["default", "used"]);
    await assert.rejects(other.control("unused", "GET", "/clock"), /404.*Sandboxes are deleted after/);
    assert.deepEqual(await areStored("default", "used"), [true, true]);
    await other.control("default", "POST", "/sandboxes", { name: "unused" });
    assert.equal((await other.control("unused", "GET", "/records/groups")).records.length, 1);
  });
});
