import { createSandboxRegistry, demo, inboxUrl } from "@call-transfer/backend";
import { signal } from "@preact/signals";
import { expect, onTestFinished, test, vi } from "vitest";
import { followHere } from "../src/data/connection/follow.ts";
import { createBackendSource, type Source, type StreamListener } from "../src/data/connection/source.ts";
import { eventsOf } from "../src/data/events.ts";
import { createMemoryRouter } from "../src/data/place.ts";
import { act, createSession, type Session } from "../src/data/session.ts";

const url = "http://localhost";

/** A session whose requests can be held back, and whose events this test sends. */
function start() {
  const sandboxes = createSandboxRegistry({ controlPlane: true, clockMode: "frozen" });
  sandboxes.create("other", { now: "2030-01-01T00:00:00Z" });
  const { fetch, ...rest } = createBackendSource(sandboxes, url, followHere);
  const listeners: StreamListener[] = [];
  let gate: Promise<unknown> = Promise.resolve();
  const source: Source = {
    ...rest,
    async fetch(request) {
      const opened = gate;
      const response = await fetch(request);
      await opened;
      return response;
    },
    follow(_sandbox, _token, listener) {
      listener.state({ state: "connecting" });
      listeners.push(listener);
      return () => {};
    },
  };
  const place = { onKey: () => () => {}, theme: signal(undefined) };
  const session = createSession(source, createMemoryRouter(), place);
  onTestFinished(() => session.end());
  return {
    session,
    sandboxes,
    listener: () => listeners.at(-1),
    /** Holds back all later answers until the returned function is called. */
    hold() {
      let open = () => {};
      gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      return () => {
        gate = Promise.resolve();
        open();
      };
    },
  };
}

test("the clock of the sandbox before is not shown when its answer is late", async () => {
  const { session, listener, hold } = start();
  const release = hold();
  listener()?.state({ state: "live" });
  session.switchTo("other");
  release();
  await expect.poll(() => session.clock.clock.value).toBeUndefined();
  const seen: (string | undefined)[] = [];
  const stop = session.clock.clock.subscribe((clock) => void seen.push(clock?.now));
  listener()?.state({ state: "live" });
  await expect.poll(() => session.clock.clock.value?.now).toMatch(/^2030/);
  stop();
  expect(seen.filter((now) => now !== undefined && !now.startsWith("2030"))).toEqual([]);
});

const clockEvents = [
  { type: "key.expired" },
  { type: "timer.set" },
  { type: "record.changed" },
  { type: "scenario.applied" },
  { type: "request.completed", changeCount: 1 },
];

test.each(clockEvents)("the clock and what comes next are read again after %o", async (event) => {
  const { session, sandboxes, listener } = start();
  let reads = 0;
  session.clock.clock.subscribe((clock) => {
    if (clock !== undefined) reads += 1;
  });
  listener()?.state({ state: "live" });
  // Once for the connection, once for the beginning of the events.
  await expect.poll(() => reads).toBe(2);
  const expiresAt = new Date(session.clock.now.value + 60_000).toISOString();
  const { id } = sandboxes.default.credentials.createApiKey({ expiresAt });
  listener()?.events([{ eventId: "s-1", at: expiresAt, ...event }]);
  await expect.poll(() => session.clock.clock.value?.upcomingTimers[0]).toMatchObject({ kind: "key.expires", id });
});

test("a request between the reading of a sandbox's events and the beginning of its events is shown", async () => {
  const { session, sandboxes, listener } = start();
  const list = eventsOf(session);
  listener()?.state({ state: "live" });
  await expect.poll(() => list.isLoaded.value).toBe(true);
  session.switchTo("other");
  await expect.poll(() => list.isLoaded.value).toBe(true);
  await sandboxes.fetch(new Request(`${url}/`, { headers: { "X-Sandbox": "other" } }));
  listener()?.state({ state: "live" });
  await expect.poll(() => list.entries.value).toHaveLength(1);
});

test("events of the same moment stand in the same order after the list is read again", async () => {
  const { session, sandboxes, listener } = start();
  const list = eventsOf(session);
  listener()?.state({ state: "live" });
  await expect.poll(() => list.isLoaded.value).toBe(true);
  const { transfers, events, collections } = sandboxes.default;
  collections.update("destinations", demo.destinations.app, { config: { url: inboxUrl } });
  await sandboxes.fetch(new Request(`${url}/one`));
  const groupId = demo.groups.existing;
  const { id } = transfers.start({ groupId, script: [{ destinationId: demo.destinations.phone, answerAfterSecs: 0 }] });
  await sandboxes.default.clock.runDue();
  await sandboxes.fetch(new Request(`${url}/two`));
  expect(transfers.get(id)?.status).toBe("connected");
  listener()?.events(events.latest().events);
  const keys = () => list.entries.value.map(({ key }) => key);
  const live = keys();
  expect([live[0], live.at(-1)]).toEqual(["2", "1"]);
  listener()?.events([{ eventId: "s-9", at: "", type: "stream.gap" }]);
  await expect.poll(() => list.isLoaded.value).toBe(true);
  expect(keys()).toEqual(live);
});

test("an error is shown on the screen where it happened only, and not twice", () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { session } = start();
  const texts = () => session.notices.value.map(({ text }) => text);
  session.notify("ok", "Saved.");
  session.notify("bad", "It does not ring.");
  session.notify("bad", "It does not ring.");
  expect(texts()).toEqual(["Saved.", "It does not ring."]);
  session.go("calls", "c-1");
  expect(texts()).toEqual(["Saved."]);
  session.notify("bad", "It does not ring.");
  session.switchTo("other");
  expect(texts()).toEqual(["Saved."]);
  session.notify("bad", "It does not ring.");
  vi.runAllTimers();
  expect(texts()).toEqual([]);
});

test("only a request that got no answer says that the server could not be reached", async () => {
  const noticeOf = async (error: unknown) => {
    const notices: string[] = [];
    const notify: Session["notify"] = (_tone, text) => void notices.push(text);
    await act({ notify }, () => Promise.reject(error));
    return notices.join();
  };
  expect(await noticeOf(new TypeError("Failed to fetch"))).toBe("The server could not be reached. Failed to fetch");
  expect(await noticeOf(new Error("There is no owner."))).toBe("There is no owner.");
});
