// A server that accepts connections and never answers must not hold a command in silence.
import { formatDuration } from "@call-transfer/backend/control-client";

/** The server did not answer, neither the command's request nor a question whether it is there; or it left an answer without its end. */
export class NoAnswerError extends Error {
  override readonly name = "NoAnswerError";
}

export interface Waiting {
  /** The server's URL, without a slash at the end. */
  readonly url: string;
  /** Receives a sentence, once, when the server takes long. */
  say(text: string): void;
  readonly fetch?: (request: Request | string, init?: RequestInit) => Promise<Response>;
  /** Milliseconds until it says so; 2 seconds by default. */
  readonly sayAfterMs?: number;
  /** Milliseconds until it gives up: without an answer, or without a byte more of one; 10 seconds by default. */
  readonly endAfterMs?: number;
}

/**
 * A `fetch` for commands. After 2 seconds without an answer it says what it waits for, and asks the server for its health. If
 * that is not answered either until 10 seconds have passed, it rejects with a NoAnswerError. A server that answers may take as
 * long as the request needs, such as one that waits for requests. Once its headers are there, the server must not pause for 10
 * seconds: the response resolves with its whole body.
 */
export function createWaitingFetch(options: Waiting): (request: Request) => Promise<Response> {
  const { url, fetch = globalThis.fetch, sayAfterMs = 2000, endAfterMs = 10_000 } = options;
  let hasSaid = false;
  const say = (text: string) => {
    if (!hasSaid) options.say(text);
    hasSaid = true;
  };
  return async (request) => {
    const ending = new AbortController();
    const asking = new AbortController();
    const [sayAfter, endAfter] = [formatDuration(sayAfterMs), formatDuration(endAfterMs)];
    const end = (problem: string) => ending.abort(new NoAnswerError(problem));
    const limit = setTimeout(
      () => end(`No answer from ${url} within ${endAfter}. Check --url, or restart the server.`),
      endAfterMs,
    );
    const patience = setTimeout(() => {
      say(`Waiting for ${url}, which has not answered for ${sayAfter}.`);
      fetch(`${url}/health`, { signal: asking.signal })
        .then((response) => {
          clearTimeout(limit);
          return response.body?.cancel();
        })
        // Then the limit decides, or the request itself fails.
        .catch(() => undefined);
    }, sayAfterMs);
    try {
      const response = await fetch(request, { signal: AbortSignal.any([request.signal, ending.signal]) });
      clearTimeout(patience);
      clearTimeout(limit);
      if (response.body === null) return response;
      // The server is found, so these do not doubt --url.
      const waiting = `Waiting for the rest of the answer from ${url}, which has sent nothing for ${sayAfter}.`;
      const stopped = `${url} stopped in the middle of its answer and has sent nothing for ${endAfter}.`;
      const body = await readWhole(response.body, {
        [sayAfterMs]: () => say(waiting),
        [endAfterMs]: () => end(`${stopped} Restart the server, or try again.`),
      });
      return new Response(body, response);
    } finally {
      clearTimeout(patience);
      clearTimeout(limit);
      // An unanswered request would keep the process running.
      asking.abort();
    }
  };
}

/** Reads a body to its end. Each step runs if nothing has arrived for its milliseconds. */
async function readWhole(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  steps: Readonly<Record<number, () => void>>,
): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const start = () => Object.entries(steps).map(([ms, step]) => setTimeout(step, Number(ms)));
  let timers = start();
  try {
    for await (const part of body) {
      parts.push(part);
      timers.forEach(clearTimeout);
      timers = start();
    }
    return new Blob(parts);
  } finally {
    timers.forEach(clearTimeout);
  }
}
