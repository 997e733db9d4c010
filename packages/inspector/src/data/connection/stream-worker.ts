// The shared worker of all tabs: it follows each sandbox once, because a browser opens at most six connections to a server
// and each stream keeps one.
import { follow } from "./follow.ts";
import type { StreamState, ToTab, ToWorker } from "./source.ts";

interface Stream {
  readonly ports: Set<MessagePort>;
  state: StreamState;
  leave(): void;
}

const streams = new Map<string, Stream>();
/** The control token that the server accepted last. A new tab gets it from here, so that it does not ask for it again. */
let accepted: string | undefined;

function start(key: string, { baseUrl, sandbox, token }: Extract<ToWorker, { type: "follow" }>): Stream {
  const ports = new Set<MessagePort>();
  const send = (message: ToTab) => {
    for (const port of ports) port.postMessage(message);
  };
  const stream: Stream = { ports, state: { state: "connecting" }, leave: () => {} };
  streams.set(key, stream);
  stream.leave = follow({ baseUrl, fetch: (request) => fetch(request) }, sandbox, token, {
    events: (events) => send({ type: "events", events }),
    state: (state) => {
      stream.state = state;
      if (state.state === "live" && token !== undefined) accepted = token;
      if (state.state === "refused" && state.status === 403 && token === accepted) accepted = undefined;
      // The next tab that asks begins again, perhaps with another token.
      if (state.state === "refused") streams.delete(key);
      send({ type: "state", state });
    },
  });
  return stream;
}

function leave(port: MessagePort): void {
  for (const [key, { ports, leave: end }] of streams) {
    if (!ports.delete(port) || ports.size > 0) continue;
    streams.delete(key);
    end();
  }
}

function serve(port: MessagePort): void {
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    leave(port);
    if (data.type === "leave") return;
    if (data.token === undefined && accepted !== undefined) {
      port.postMessage({ type: "token", token: accepted } satisfies ToTab);
      return;
    }
    const key = JSON.stringify([data.sandbox, data.token]);
    const stream = streams.get(key) ?? start(key, data);
    stream.ports.add(port);
    port.postMessage({ type: "state", state: stream.state } satisfies ToTab);
  };
}

addEventListener("connect", (event) => {
  if (event instanceof MessageEvent) for (const port of event.ports) serve(port);
});
