// Receiving webhooks, for servers that map a Request to a Response.
import { readUpTo, toHex } from "./bytes.ts";
import { checkInbox, type EventInbox } from "./event-inbox.ts";
import type { EventStore } from "./event-store.ts";
import { memoryEventStore } from "./memory-event-store.ts";
import { handleOnce, type OnceSettings } from "./once.ts";
import { Refusal } from "./refusal.ts";
import { printFailure, type Step } from "./report.ts";
import { type SecretSource, secretsReader, type WebhookSecrets } from "./secrets.ts";
import {
  bytesOf,
  parseHeader,
  refuseOldNames,
  toleranceOf,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from "./signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Options of `createWebhookHandler`. */
export interface WebhookHandlerOptions<Tx = undefined> extends Omit<VerifyOptions, "secret"> {
  /**
   * The destination's signing secret. During a rotation, the new and the previous one: either may match. A function is
   * called for each webhook, so that secrets can change without a restart. If it fails or takes longer than 2 seconds, the
   * secrets that it returned last remain in use and `onError` receives the error.
   */
  secret: WebhookSecrets | SecretSource;
  /**
   * Handles a verified event. If it returns nothing, the response is 204; a `Response` is sent as it is. If it throws, or
   * returns anything else, the response is 500 without details. With `inbox`, `tx` is the transaction that also stores the
   * answer.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler may return a Response only sometimes
  onEvent(event: WebhookEvent, tx: NoInfer<Tx>): Promise<Response | undefined | void> | Response | undefined | void;
  /**
   * Remembers which events were handled, so that every copy of an event gets the first answer, also a copy with a new
   * signature. `memoryEventStore()` by default; several processes need a store that they share.
   */
  store?: EventStore;
  /**
   * Takes the place of `store` where what `onEvent` does is in a PostgreSQL database: its changes and the answer are
   * committed together. `/webhooks/postgres` makes one. Then `store`, `onStoreError`, `leaseMs` and `storeTimeoutMs` are
   * errors.
   */
  inbox?: EventInbox<Tx>;
  /**
   * Separates receivers that share a store: 1 to 100 letters, digits, dots, dashes or underscores; `default` by default.
   * Receivers with different secrets need different scopes.
   */
  scope?: string;
  /**
   * What a copy of an event gets. `answer`, the default: the first answer, for which it waits while the event is being
   * handled. `refuse`: 409, which declines an offer.
   */
  duplicates?: "answer" | "refuse";
  /**
   * What happens when the store fails. `handle`, the default: the event is handled without it, so no offer is lost, but
   * copies are handled too. `refuse`: the answer is 503, so nothing is handled twice, but offers are declined.
   */
  onStoreError?: "handle" | "refuse";
  /**
   * How long an event stays with a process that has crashed, in milliseconds: 100 to 60,000; 2,000 by default. It is extended
   * while `onEvent` runs, for at most 60 s.
   */
  leaseMs?: number;
  /**
   * How long a copy waits for the first answer, in milliseconds: 0 to 60,000; 8,000 by default, since the platform gives a
   * delivery up after 10 s. Then the answer is 503 with `Retry-After`.
   */
  waitMs?: number;
  /** How long an answer is kept for later copies, in milliseconds: at least 1,000; 86,400,000 (one day) by default. */
  keepMs?: number;
  /** How long one step of the store may take, in milliseconds: 1 to 60,000; 1,000 by default. Then it counts as failed. */
  storeTimeoutMs?: number;
  /**
   * Receives the error of a webhook that was refused or could not be handled. The sender gets no details. By default
   * `console.error` prints each cause at most once a minute, in one line.
   */
  onError?: (error: unknown) => void;
}

/** Verifies and handles a webhook. Never rejects. */
export type WebhookHandler = (request: Request) => Promise<Response>;

const plainId = /^[\x21-\x7e]{1,200}$/;

/** Names an event in a store: by its id, or by its body if it has none. */
async function keyOf(scope: string, { id }: WebhookEvent, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const hasId = typeof id === "string" && id !== "";
  if (hasId && plainId.test(id)) return `${scope}:id:${id}`;
  // As JSON, where half of a surrogate pair stays what it is.
  const digest = await crypto.subtle.digest("SHA-256", hasId ? bytesOf(JSON.stringify(id)) : body);
  return `${scope}:${hasId ? "id-sha256" : "body-sha256"}:${toHex(new Uint8Array(digest))}`;
}

const bodyUsed =
  "The body was read before verification. Verify first, or pass the bytes: new Request(request.url, { method: 'POST', " +
  "headers: request.headers, body: bytes })";

const invalidReturn = "onEvent must return nothing or a Response with a status from 200 to 599";

/** Turns what `onEvent` returned into the response. */
async function toResponse(returned: unknown): Promise<Response> {
  if (returned === undefined || returned === null) return new Response(null, { status: 204 });
  const { status, headers, bodyUsed, arrayBuffer } = returned as Response;
  if (typeof arrayBuffer !== "function" || !(status >= 200))
    throw new TypeError(`${invalidReturn}, not ${typeof returned}`);
  if (bodyUsed) throw new TypeError("The body of the Response from onEvent was already read. Return a new Response.");
  if (returned instanceof Response) return returned;
  // A Response of another realm: servers may accept only their own class.
  const body = await (returned as Response).arrayBuffer();
  return new Response(body.byteLength > 0 ? body : null, { status, headers: [...headers] });
}

/** The `onError` of the handler of each request, for the adapters. */
export const reports = new WeakMap<Request, (error: unknown) => void>();

/** A check of an option, and the rest of the error message after the option's name. */
type Rule = readonly [accepts: (value: unknown) => boolean, problem: string];

const checkedElsewhere: Rule = [() => true, ""];

const either = (one: string, other: string): Rule => [
  (value) => value === one || value === other,
  `must be "${one}" or "${other}"`,
];

const integer = (least: number, most: number): Rule => [
  (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  `must be an integer from ${least} to ${Math.floor(most)}`,
];

// A function, so that bundlers leave it out where only verifyWebhook is used.
const rules = (): Readonly<Record<keyof WebhookHandlerOptions, Rule>> => ({
  ...{ secret: checkedElsewhere, toleranceMs: checkedElsewhere, clock: checkedElsewhere },
  ...{ onEvent: checkedElsewhere, onError: checkedElsewhere, store: checkedElsewhere, inbox: checkedElsewhere },
  scope: [
    (value) => typeof value === "string" && /^[\w.-]{1,100}$/.test(value),
    "must be 1 to 100 letters, digits, dots, dashes or underscores",
  ],
  duplicates: either("answer", "refuse"),
  onStoreError: either("handle", "refuse"),
  leaseMs: integer(100, 60_000),
  waitMs: integer(0, 60_000),
  keepMs: integer(1000, Number.MAX_SAFE_INTEGER),
  storeTimeoutMs: integer(1, 60_000),
});

const defaults = {
  ...{ scope: "default", duplicates: "answer", onStoreError: "handle" },
  ...{ leaseMs: 2000, waitMs: 8000, keepMs: 86_400_000, storeTimeoutMs: 1000 },
} as const;

function checkNames<Tx>(options: WebhookHandlerOptions<Tx>): void {
  refuseOldNames(options);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(rules(), name));
  if (unknown === "replayStore")
    throw new TypeError(
      'replayStore is no longer an option. Use store, and duplicates: "refuse" if replays must be refused.',
    );
  if (unknown !== undefined) throw new TypeError(`${unknown} is not an option. Check its spelling.`);
}

function checkOnce<Tx>(options: WebhookHandlerOptions<Tx>): OnceSettings & { readonly scope: string } {
  const { store = memoryEventStore(options.clock && { clock: options.clock }) } = options;
  for (const name of ["claim", "complete", "release"] as const)
    if (typeof store?.[name] !== "function") throw new TypeError(`store must be an event store, which has ${name}()`);
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null);
  const settings: Readonly<Record<string, unknown>> = { ...defaults, ...Object.fromEntries(given), store };
  for (const [name, [accepts, problem]] of Object.entries(rules()))
    if (!accepts(settings[name])) throw new TypeError(`${name} ${problem}`);
  // Each field has its type by now.
  return settings as unknown as OnceSettings & { readonly scope: string };
}

/**
 * Creates a webhook handler for servers that map a `Request` to a `Response` (§6). It verifies the signature of the raw
 * body, so mount it before any body parser. Each event is handled once, and every copy gets the same answer: its status,
 * content type, and body up to 16 kB. If handling throws or answers 5xx, the next copy is handled.
 *
 * @throws {TypeError} An option is invalid, e.g. an empty secret.
 */
export function createWebhookHandler<Tx = undefined>(options: WebhookHandlerOptions<Tx>): WebhookHandler {
  checkNames(options ?? {});
  const { onEvent, onError, clock, inbox } = options ?? {};
  if (typeof onEvent !== "function") throw new TypeError("onEvent must be a function");
  checkInbox(inbox, options);
  const once = checkOnce(options);
  const verification = { toleranceMs: toleranceOf(options), ...(clock && { clock }) };
  const printed = new Map();
  const report = async (step: Step, error: unknown): Promise<void> => {
    try {
      await (onError ? onError(error) : printFailure(printed, step, error));
    } catch {
      // The sender gets its response all the same.
    }
  };
  const readSecrets = secretsReader(options.secret, (error) => void report("secrets", error));
  const handle = async (request: Request, enter: (step: Step) => void): Promise<Response> => {
    if (request.method !== "POST") throw new Refusal(405, "Webhooks are sent by POST.", { allow: "POST" });
    if (request.bodyUsed) throw new Refusal(500, bodyUsed);
    const body = request.body ? await readUpTo(maxBodyBytes, request.body, "the Request") : new Uint8Array();
    if (!body) throw new Refusal(413, `The body is larger than ${maxBodyBytes} bytes.`);
    const input = { body, headers: request.headers };
    // Forgeries without a signature must not call a function for the secrets.
    enter("signature");
    parseHeader(request.headers);
    enter("secrets");
    const secret = await readSecrets();
    enter("signature");
    const event = await verifyWebhook(input, { ...verification, secret });
    enter("store");
    const key = await keyOf(once.scope, event, body);
    const handleEvent = async (call: () => ReturnType<typeof onEvent>) => {
      enter("event");
      return toResponse(await call());
    };
    if (inbox) {
      const handleIn = (tx: Tx) => handleEvent(() => onEvent(event, tx));
      return inbox.receive(key, once, handleIn, (error) => void report("inbox", error));
    }
    // Tx is undefined, so onEvent has one parameter.
    const handleAlone = onEvent as (event: WebhookEvent) => ReturnType<typeof onEvent>;
    return handleOnce(
      key,
      once,
      () => handleEvent(() => handleAlone(event)),
      (error) => void report("store", error),
    );
  };
  return async (request) => {
    let step: Step = "request";
    const enter = (next: Step): void => {
      step = next;
    };
    try {
      reports.set(request, (error) => void report("response", error));
      return await handle(request, enter);
    } catch (error) {
      void report(step, error);
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook could not be verified.\n", { status: 400 });
      if (!(error instanceof Refusal)) return new Response("The webhook could not be handled.\n", { status: 500 });
      return new Response(`${error.message}\n`, { status: error.status, headers: error.headers });
    }
  };
}
