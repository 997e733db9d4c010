// Entry point for the client of the control plane. It runs in pages too. Only this repository can import it
// (docs/decisions/0012). A command loads all of it, so it must not lead to the rest of the backend (docs/decisions/0016).

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./generated/types.gen.ts";
import type { BackendEvent } from "./model/events.ts";
import { jsonOrUndefined } from "./utils/values.ts";

export {
  addressOf,
  type DocumentedOperation,
  inputSchemaOf,
  type JsonObject,
  operationsIn,
  partsOf,
} from "./utils/documented-operations.ts";
export { formatDuration, longUnits, maskNumbers, suggestion } from "./utils/text.ts";
export { errorMessage } from "./utils/values.ts";

/** The address of a control plane and its credentials. */
export interface ControlAddress {
  /** Base URL of the server, e.g. `http://127.0.0.1:4010`. */
  readonly url: string;
  /** The sandbox to act on; `default` by default. */
  readonly sandbox?: string | undefined;
  /** The control token, which a server prints when other machines can reach it. */
  readonly token?: string | undefined;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** A client of a mock server's control plane, typed by its OpenAPI document. */
export type ControlClient = Client<paths>;

/** Creates a {@link ControlClient}. */
export function createControlClient({ url, sandbox, token, fetch }: ControlAddress): ControlClient {
  return createClient<paths>({
    baseUrl: url,
    ...(fetch !== undefined && { fetch }),
    headers: {
      ...(sandbox !== undefined && { "X-Sandbox": sandbox }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
  });
}

/** Headers for creating or deleting a sandbox. A proxy in front of several servers routes by its name. */
export function headersOf(sandbox: string): { readonly "X-Sandbox": string } {
  // The server says what is wrong with a name that a header cannot contain.
  return { "X-Sandbox": encodeURIComponent(sandbox) };
}

/** The data of a response. Throws an Error with the control plane's message for an error response. */
export function dataOf<Result extends { readonly data?: unknown; readonly error?: unknown }>(
  result: Result,
): Exclude<Result["data"], undefined> {
  if (result.error !== undefined) throw new Error(messageOf(result.error));
  return result.data as Exclude<Result["data"], undefined>;
}

/** A schema of the control plane's document by its name. */
export type Schema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/**
 * The data of a response as its schema in the document: openapi-fetch's types drop read-only arrays. Throws an Error with the
 * control plane's message for an error response.
 */
export function dataAs<Name extends keyof components["schemas"]>(result: {
  readonly data?: unknown;
  readonly error?: unknown;
}): Schema<Name> {
  return dataOf(result) as Schema<Name>;
}

/** The message of an error response of the control plane, or of the gate in front of it. */
export function messageOf(error: unknown): string {
  const { error: inner, detail } = Object(error) as { error?: { message?: unknown }; detail?: unknown };
  return String(inner?.message ?? detail ?? "The server is not a mock server. Check --url.");
}

/** A stream of events to follow. */
export interface EventFeed {
  /** The server's URL. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** The id of the last event already seen. */
  readonly after?: string | undefined;
  readonly signal: AbortSignal;
  /** Receives a sentence when the server is gone, and when it is back. */
  warn(text: string): void;
  /** Runs whenever a stream begins. */
  connected?(): void;
  /** Waits between two connections; real time by default. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const firstPauseMs = 250;
const longestPauseMs = 5000;
/** Characters of one event: far more than the server sends, and far less than memory holds. */
const longestEvent = 2_000_000;

/**
 * Yields events as they happen, until the signal aborts. After a lost connection it connects again and continues after the
 * last event. Throws an Error if the first connection fails, the server rejects one, or it sends no events.
 */
export async function* followEvents(source: EventFeed): AsyncGenerator<BackendEvent> {
  const { url, after, signal, warn, pause = pauseInRealTime } = source;
  let position = after;
  let hasConnected = false;
  let isLost = false;
  let pauseMs = 0;
  while (!signal.aborted) {
    const response = await connect(source, position).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      if (!hasConnected || error instanceof RejectedStream) throw error;
      return undefined;
    });
    if (response?.body) {
      if (isLost) warn(`Connected to ${url} again.`);
      isLost = false;
      hasConnected = true;
      source.connected?.();
      try {
        for await (const event of eventsIn(response.body)) {
          position = event.eventId;
          // Only events show that the server works: one that ends each connection is not asked without a pause.
          pauseMs = 0;
          yield event;
        }
      } catch (error) {
        if (error instanceof RejectedStream) throw error;
        // A connection that breaks off, also after a long silence. The next one continues after the last event.
      }
    } else if (!isLost && pauseMs > 0) {
      warn(`Lost the connection to ${url}. Trying again until Ctrl-C.`);
      isLost = true;
    }
    await pause(pauseMs, signal).catch(() => undefined);
    pauseMs = pauseMs === 0 ? firstPauseMs : Math.min(pauseMs * 2, longestPauseMs);
  }
}

/** Resolves after `ms`, or at once when the signal aborts. */
function pauseInRealTime(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

async function connect(
  { url, headers, signal, fetch: send = (request) => fetch(request) }: EventFeed,
  after: string | undefined,
): Promise<Response | undefined> {
  const request = new Request(`${url}/_control/v1/events/stream`, {
    headers: { ...headers, accept: "text/event-stream", ...(after !== undefined && { "Last-Event-ID": after }) },
    signal,
  });
  const response = await send(request);
  if (!response.ok) throw new RejectedStream(messageOf(await response.json()), response.status);
  if (response.headers.get("content-type")?.startsWith("text/event-stream")) return response;
  await response.body?.cancel();
  throw new RejectedStream(messageOf(undefined));
}

/** The server answered with an error or with something else than events, so another attempt would get the same. */
export class RejectedStream extends Error {
  /** The status of an error response. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

/** Parses server-sent events whose data is an event as JSON. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<BackendEvent> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    const blocks = (text + decoder.decode(chunk, { stream: true })).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const lines = block.split("\n").filter((line) => line.startsWith("data: "));
      if (lines.length > 0) yield eventOf(lines.map((line) => line.slice("data: ".length)).join("\n"));
    }
    if (text.length > longestEvent) throw new RejectedStream(messageOf(undefined));
  }
}

function eventOf(text: string): BackendEvent {
  const event = Object(jsonOrUndefined(text)) as BackendEvent;
  if ([event.eventId, event.at, event.type].every((field) => typeof field === "string")) return event;
  throw new RejectedStream(messageOf(undefined));
}
