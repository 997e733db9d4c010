// Runs one program. The page starts it in a frame of an opaque origin without a network; see sandbox.ts.
import type { FromWorker, ToWorker } from "../messages.ts";
import { createAnswers, createRequire } from "./backends.ts";
import { compile, evaluate, lineOf } from "./compile.ts";
import { createConsole, formatError } from "./console.ts";

/** Names of globals that open connections, or a worker that has such globals. */
const network = [
  "fetch",
  "fetchLater",
  "XMLHttpRequest",
  "WebSocket",
  "WebSocketStream",
  "WebTransport",
  "EventSource",
  "RTCPeerConnection",
  "importScripts",
  "Worker",
  "SharedWorker",
];

/** Removes them. The policy of the frame refuses connections, too. This is a second line of defence. */
function removeNetwork(): void {
  for (let scope: object | null = self; scope !== null; scope = Reflect.getPrototypeOf(scope))
    for (const name of network) Reflect.deleteProperty(scope, name);
}

function start(port: MessagePort): void {
  const post = (message: FromWorker, moved: Transferable[] = []) => port.postMessage(message, moved);
  const report = (error: unknown) => post({ type: "uncaught", text: formatError(error), line: lineOf(error) });
  const answers = createAnswers(post);
  const require = createRequire(answers.add);

  const run = async (source: string) => {
    let failed = false;
    try {
      await evaluate(compile(source))(require, {});
    } catch (error) {
      failed = true;
      report(error);
    }
    post({ type: "ended", failed });
  };

  // Without importScripts, the SDK takes this for a server and accepts the demo's API key, which is no secret.
  removeNetwork();
  // As in Node, they work as properties of any object.
  for (const name of ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const)
    Object.assign(self, { [name]: self[name].bind(self) });
  Object.assign(console, createConsole(post));
  // An SDK without a fetch of its own calls this. The error says what to do.
  self.fetch = () =>
    Promise.reject(new TypeError("There is no network here. Give the client the backend: fetch: backend.fetch."));
  addEventListener("error", (event) => {
    event.preventDefault();
    report(event.error ?? event.message);
  });
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    report(event.reason);
  });
  port.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    if (data.type === "run") void run(data.source);
    else if (data.type === "request") void answers.answer(data.id, data.request);
    else answers.abort(data.id);
  };
}

addEventListener("message", ({ ports: [port] }) => port && start(port), { once: true });
