// Receiving webhooks, for servers that map a Request to a Response.
import { messageOf } from "../utils/guards.ts";
import { readUpTo, toHex } from "./bytes.ts";
import { ClockWatch } from "./clock-watch.ts";
import { CodedError, codeOf, type WebhookErrorCode } from "./codes.ts";
import { checkInbox } from "./event-inbox.ts";
import { checkNames, checkOnce, type WebhookHandlerOptions } from "./handler-options.ts";
import { Once } from "./once.ts";
import { isRefusal, Refusal } from "./refusal.ts";
import { describeFailure, printFailure, type Step } from "./report.ts";
import { type SecretsReader, secretsReader } from "./secrets.ts";
import {
  bytesOf,
  parseHeader,
  toleranceOf,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
} from "./signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Verifies and handles a webhook. Never rejects. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/** Whether a handler can do its work. */
export interface WebhookReadiness {
  /** Whether nothing is known to be wrong. */
  readonly isReady: boolean;
  /** What is wrong: a code of the store, `secrets_failed` or `clock_skew`, and a message for the operator. */
  readonly problems: readonly { readonly code: WebhookErrorCode; readonly message: string }[];
}

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

/** What is reported while nothing failed. */
const warnings: readonly WebhookErrorCode[] = ["handled_twice", "store_forgets", "answer_not_stored"];

/** The codes of what a step throws without one of its own. */
const codesOfSteps: Readonly<Record<Step, WebhookErrorCode>> = {
  ...{ request: "bad_request", signature: "clock_skew", event: "event_failed" },
  ...{ secrets: "secrets_failed", newSecrets: "secrets_failed" },
  ...{ store: "store_failed", inbox: "store_failed", response: "response_failed", warning: "store_failed" },
};

function codeOfStep(step: Step, error: unknown): WebhookErrorCode {
  return error instanceof WebhookVerificationError ? error.code : codeOf(error, codesOfSteps[step]);
}

async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (request.method !== "POST") throw new Refusal(405, "bad_request", "Webhooks are sent by POST.", { allow: "POST" });
  if (request.bodyUsed) throw new Refusal(500, "bad_body", bodyUsed);
  const body = request.body ? await readUpTo(maxBodyBytes, request.body, "the Request") : new Uint8Array();
  if (!body) throw new Refusal(413, "too_large", `The body is larger than ${maxBodyBytes} bytes.`);
  return body;
}

/** Key in a request for the `onError` of its handler, for the adapters, which may be another copy's. */
const reportKey: unique symbol = Symbol.for("@call-transfer/sdk/1/webhook-report");

/** Tells the `onError` of a request's handler what an adapter failed at. */
export const reportTo = (request: Request | undefined, error: unknown): void =>
  (request as { readonly [reportKey]?: (error: unknown) => void } | undefined)?.[reportKey]?.(error);

/** The work of one handler. */
class Receiver<Tx> {
  readonly #options: WebhookHandlerOptions<Tx>;
  readonly #toleranceMs: number;
  readonly #settings: ReturnType<typeof checkOnce>;
  readonly #once: Once;
  readonly #readSecrets: SecretsReader;
  readonly #watch = new ClockWatch();
  readonly #printed = new Map();
  /** Where events are kept, as a step. */
  readonly #keeping: Step;

  constructor(options: WebhookHandlerOptions<Tx>) {
    checkNames(options ?? {});
    const { onEvent, inbox } = options ?? {};
    if (typeof onEvent !== "function") throw new TypeError("onEvent must be a function");
    checkInbox(inbox, options);
    this.#options = options;
    this.#toleranceMs = toleranceOf(options);
    this.#settings = checkOnce(options, this.#toleranceMs);
    this.#readSecrets = secretsReader(options.secret, (error) => void this.report("newSecrets", error));
    this.#keeping = inbox ? "inbox" : "store";
    this.#once = new Once(this.#settings, this.#reportKeeping);
  }

  #count(result: "handled" | "repeated" | WebhookErrorCode): void {
    try {
      this.#options.instrumentation?.webhook(result);
    } catch {
      // The sender gets its response all the same.
    }
  }

  async report(step: Step, error: unknown, code = codeOfStep(step, error)): Promise<void> {
    this.#count(code);
    const { onError } = this.#options;
    try {
      await (onError ? onError(error, code) : printFailure(this.#printed, step, error));
    } catch {
      // The same.
    }
  }

  readonly #reportKeeping = (error: unknown, code: WebhookErrorCode): void =>
    void this.report(warnings.includes(code) ? "warning" : this.#keeping, error, code);

  async #verify(request: Request, body: Uint8Array<ArrayBuffer>, secret: readonly string[]): Promise<WebhookEvent> {
    const { clock } = this.#settings;
    try {
      const { headers } = request;
      const event = await verifyWebhook({ body, headers }, { secret, toleranceMs: this.#toleranceMs, clock });
      this.#watch.accept();
      return event;
    } catch (error) {
      if (error instanceof WebhookVerificationError && error.code === "stale") {
        const { timestamp } = parseHeader(request.headers);
        const problem = this.#watch.refuse(timestamp, clock.now() - Number(timestamp) * 1000);
        if (problem !== undefined) void this.report("warning", new CodedError(problem, "clock_skew"));
      }
      throw error;
    }
  }

  async #handle(request: Request, enter: (step: Step) => void): Promise<Response> {
    const { onEvent, inbox } = this.#options;
    const body = await readBody(request);
    // Forgeries without a signature must not call a function for the secrets.
    enter("signature");
    parseHeader(request.headers);
    enter("secrets");
    const secret = await this.#readSecrets();
    enter("signature");
    const event = await this.#verify(request, body, secret);
    enter(this.#keeping);
    const key = await keyOf(this.#settings.scope, event, body);
    const handleEvent = async (call: () => ReturnType<typeof onEvent>) => {
      enter("event");
      return toResponse(await call());
    };
    // Without an inbox, Tx is undefined, so onEvent has one parameter.
    const handleAlone = onEvent as (event: WebhookEvent) => ReturnType<typeof onEvent>;
    const { response, isCopy } = await (inbox
      ? inbox.receive({
          ...this.#settings,
          key,
          handle: (tx) => handleEvent(() => onEvent(event, tx)),
          report: this.#reportKeeping,
        })
      : this.#once.handle(key, () => handleEvent(() => handleAlone(event))));
    this.#count(isCopy ? "repeated" : "handled");
    return response;
  }

  async receive(request: Request): Promise<Response> {
    let step: Step = "request";
    const enter = (next: Step): void => {
      step = next;
    };
    try {
      const report = (error: unknown) => void this.report("response", error);
      // Fails silently where a request cannot have it, such as a frozen one of a test.
      Reflect.defineProperty(request, reportKey, { value: report, configurable: true });
      return await this.#handle(request, enter);
    } catch (error) {
      void this.report(isRefusal(error) && error.status === 503 ? this.#keeping : step, error);
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook could not be verified.\n", { status: 400 });
      // What a receiver's developer must change is not the sender's affair.
      if (!isRefusal(error) || error.status === 500)
        return new Response("The webhook could not be handled.\n", { status: 500 });
      return new Response(`${error.message}\n`, { status: error.status, headers: error.headers });
    }
  }

  async checkReady(): Promise<WebhookReadiness> {
    const { inbox } = this.#options;
    const { scope, waitMs } = this.#settings;
    const failure = await (inbox ? inbox.check({ waitMs }) : this.#once.check(scope)).then(
      () => [],
      (error: unknown) => [{ code: codeOf(error, "store_failed"), message: messageOf(error) }],
    );
    const secretless = await this.#readSecrets("ifNone").then(
      () => [],
      (error: unknown) => [{ code: codeOfStep("secrets", error), message: describeFailure("secrets", error) }],
    );
    const { problem } = this.#watch;
    const skew = problem === undefined ? [] : [{ code: "clock_skew" as const, message: problem }];
    const problems = [...failure, ...secretless, ...skew];
    return { isReady: problems.length === 0, problems };
  }
}

/**
 * Creates a webhook handler for servers that map a `Request` to a `Response` (§6). It verifies the signature of the raw
 * body, so mount it before any body parser. Each event is handled once, and every copy gets the same answer: its status,
 * content type, and body up to 16 kB. If handling throws or answers 5xx, the next copy is handled.
 *
 * `checkReady()` takes and gives back an event of its own in the store, or asks the database of the inbox. It calls the
 * function for `secret` if it has returned none yet: without secrets, every webhook is answered 500. It also says whether
 * the last genuine webhooks were refused because of this machine's clock. It never rejects.
 *
 * @throws {TypeError} An option is invalid. A secret is only checked with a webhook, or by `checkReady()`: a module may be loaded
 *   without it, as when an image is built.
 */
export function createWebhookHandler<Tx = undefined>(
  options: WebhookHandlerOptions<Tx>,
): WebhookHandler & { checkReady(): Promise<WebhookReadiness> } {
  const receiver = new Receiver(options);
  const receive: WebhookHandler = (request) => receiver.receive(request);
  return Object.assign(receive, { checkReady: () => receiver.checkReady() });
}
