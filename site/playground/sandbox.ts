import type { FromWorker, ToWorker } from "./messages.ts";
import { createRemoteBackend, type RemoteBackend } from "./remote-backend.ts";

/** The functions that are called while a program runs. */
export interface ProgramListener {
  printed(message: Extract<FromWorker, { type: "print" | "uncaught" }>): void;
  ended(failed: boolean): void;
  /** The program has created its backend. */
  backend(backend: RemoteBackend): void;
}

/** A program that was started. */
export interface RunningProgram {
  /** Ends the program and its backend, also in the middle of an endless loop. */
  stop(): void;
}

/** No network, no files, no frames: a program can only compute and send messages. */
const policy = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; worker-src data:";

/** The worker runs the script that it gets, and passes the port on to it. */
const workerScript =
  "onmessage = ({ data, ports }) => { onmessage = null; (0, eval)(data); dispatchEvent(new MessageEvent('message', { ports })) }";

// A worker of a data URL is a secure context, which signatures of webhooks need. One of a blob URL of this frame is not.
const frameDocument = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>
addEventListener("message", ({ data, ports }) => {
  new Worker("data:text/javascript," + encodeURIComponent("${workerScript}")).postMessage(data, ports);
}, { once: true });
</script>`;

/**
 * Runs a program in a worker of its own. The worker belongs to a frame with an opaque origin, so the program reaches neither
 * this site's storage nor its cookies.
 *
 * @param runtime The script of the worker.
 */
export function startProgram(runtime: string, source: string, listener: ProgramListener): RunningProgram {
  const { port1: port, port2 } = new MessageChannel();
  const send = (message: ToWorker) => port.postMessage(message);
  const backend = createRemoteBackend(send);
  port.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === "print" || data.type === "uncaught") listener.printed(data);
    else if (data.type === "ended") listener.ended(data.failed === true);
    else if (data.type === "backend") listener.backend(backend);
    else backend.receive(data);
  };
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.hidden = true;
  frame.title = "The running program";
  frame.srcdoc = frameDocument;
  frame.addEventListener("load", () => frame.contentWindow?.postMessage(runtime, "*", [port2]), { once: true });
  document.body.append(frame);
  send({ type: "run", source });
  return {
    stop() {
      // Its worker ends with the frame.
      frame.remove();
      port.close();
      backend.end();
    },
  };
}
