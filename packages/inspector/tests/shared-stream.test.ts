import { expect, onTestFinished, test, vi } from "vitest";
import { createSharedFollow } from "../src/data/connection/shared-stream.ts";
import type { StreamListener, ToTab, ToWorker } from "../src/data/connection/source.ts";

/** A tab with a worker that this test plays, and the events of the tab's window. */
function openTab() {
  const ports: { readonly sent: ToWorker[]; onmessage: ((event: { data: ToTab }) => void) | null }[] = [];
  class Worker {
    readonly port;
    constructor() {
      const sent: ToWorker[] = [];
      this.port = { sent, onmessage: null, postMessage: (message: ToWorker) => void sent.push(message), close() {} };
      ports.push(this.port);
    }
  }
  const tab = new EventTarget();
  vi.stubGlobal("SharedWorker", Worker);
  vi.stubGlobal("addEventListener", tab.addEventListener.bind(tab));
  vi.stubGlobal("removeEventListener", tab.removeEventListener.bind(tab));
  onTestFinished(() => void vi.unstubAllGlobals());
  const follow = createSharedFollow({ baseUrl: "http://localhost", fetch: (request) => fetch(request) });
  return {
    follow,
    ports,
    show: (persisted: boolean) => tab.dispatchEvent(Object.assign(new Event("pageshow"), { persisted })),
  };
}

function record(): StreamListener & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    heard,
    events: (events) => heard.push(...events.map(({ type }) => type)),
    state: ({ state }) => heard.push(state),
  };
}

test("what is on its way from the sandbox before does not reach the listener of the next one", () => {
  const { follow, ports } = openTab();
  const leave = follow("one", undefined, record());
  const late = ports[0];
  leave();
  const next = record();
  follow("two", undefined, next);
  late?.onmessage?.({ data: { type: "events", events: [{ eventId: "1-1", at: "", type: "call.started" }] } });
  expect(next.heard).toEqual(["connecting"]);
});

test("a page that was loaded joins once, and one that is shown again says first that it missed events", () => {
  const { follow, ports, show } = openTab();
  const listener = record();
  follow("one", undefined, listener);
  const joins = () => ports.flatMap(({ sent }) => sent).filter(({ type }) => type === "follow").length;
  show(false);
  expect(joins()).toBe(1);
  show(true);
  expect([joins(), ...listener.heard]).toEqual([2, "connecting", "lost"]);
});
