// How a command reaches a running server.
import {
  type ControlClient,
  controlAnswers,
  createControlClient,
  formatDuration,
} from "@call-transfer/backend/control-client";
import { type Connection, startHint, type Terminal } from "./output.ts";

/** A server, as a command acts on it. */
export interface Server {
  readonly control: ControlClient;
  /** Sends a request to the server, and gives up on one that does not answer. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Without a slash at the end. */
  readonly url: string;
  readonly sandbox: string;
  readonly controlToken: string | undefined;
}

/** Creates the client of a server. It says what it waits for, and rejects answers that are not those of a mock server. */
export function connect(
  { url: address, sandbox, controlToken }: Pick<Server, "url" | "sandbox" | "controlToken">,
  terminal: Terminal,
): Server {
  const url = address.replace(/\/+$/, "");
  const fetch = createWaitingFetch({ url, say: terminal.note });
  const control = createControlClient({ url, sandbox, token: controlToken, fetch });
  checkAnswers(control, url);
  return { control, fetch, url, sandbox, controlToken };
}

/** An error of a command with a server, in words that say what to do. */
export function explained(error: unknown, url: string, given: Connection): unknown {
  if (error instanceof SyntaxError)
    return new Error(`The server at ${url} is not a mock server. Check --url.`, { cause: error });
  if (!(error instanceof TypeError)) return error;
  const { code } = Object(error.cause) as { code?: unknown };
  if (typeof code === "string" && /CERT|VERIFY|ISSUER/.test(code))
    return new Error(
      `The certificate of ${url} is not trusted, or it is for another name. Set NODE_EXTRA_CA_CERTS to the file of --tls-cert, and use a name of the certificate in --url.`,
      { cause: error },
    );
  return error.message === "fetch failed" ? new Error(unreachable(url, code, given), { cause: error }) : error;
}

/** Why there was no response, and what to do. */
function unreachable(url: string, code: unknown, { config }: Connection): string {
  if (code === "UND_ERR_SOCKET" || code === "ECONNRESET")
    return `The server at ${url} closed the connection. If it was started with --tls-cert, use https:// in --url.`;
  if (code === "EPROTO" || (typeof code === "string" && code.startsWith("ERR_SSL_")))
    return `The server at ${url} does not use TLS. Use http:// in --url.`;
  return `No server is running at ${url}. Check --url, or start a server: ${startHint({ config, url })}`;
}

/** Makes a client reject successes that do not have what the control plane's document says. */
function checkAnswers(control: ControlClient, url: string): void {
  control.use({
    async onResponse({ request, response, schemaPath }) {
      if (response.headers.get("content-type")?.includes("problem+json") && (await isPrism(response)))
        throw new Error(
          `The server at ${url} is Prism, which has no control plane. Start the server without --prism, or name another one with --url.`,
        );
      const [status, ...fields] = controlAnswers[`${request.method} ${schemaPath}`] ?? [];
      if (!response.ok || status === undefined) return undefined;
      const refuse = (what: string) => {
        const operation = `${request.method} ${new URL(request.url).pathname}`;
        throw new Error(
          `The server at ${url} answered ${operation} with ${what}, so it is not a mock server of this version. Check --url.`,
        );
      };
      if (response.status !== status) refuse(`status ${response.status}`);
      if (fields.length === 0) return undefined;
      const text = await response.text();
      const found = new Map<string, unknown>(Object.entries(Object(JSON.parse(text))));
      const missing = fields.filter((field) => !has(found, field));
      if (missing.length > 0) refuse(`JSON that lacks ${missing.map(nameOf).join(", ")}`);
      return new Response(text, response);
    },
  });
}

/** The name of a field; `[]` at its end says that it is a list. */
const nameOf = (field: string): string => field.replace("[]", "");

function has(found: ReadonlyMap<string, unknown>, field: string): boolean {
  const name = nameOf(field);
  return field === name ? found.get(name) !== undefined : Array.isArray(found.get(name));
}

/** Whether a problem is one of Prism, which answers every path that the document lacks. */
async function isPrism(response: Response): Promise<boolean> {
  return (await response.clone().text()).includes("https://stoplight.io/prism/");
}

// A server that accepts connections and never answers must not hold a command in silence.

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
