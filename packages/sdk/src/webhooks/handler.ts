// Handles webhooks, for servers that map a Request to a Response.
import { messageOf } from "../utils/guards.ts";
import { readUpTo, toHex } from "./bytes.ts";
import { type Coordinate, createDeduplicator, handleAlone } from "./deduplicator.ts";
import {
  CodedError,
  codeOf,
  describeFailure,
  isRejection,
  printFailure,
  Rejection,
  type Step,
  type WebhookErrorCode,
} from "./errors.ts";
import { createStoreCoordinator } from "./event-store.ts";
import { checkOptions, secretsReader, type WebhookHandlerOptions } from "./options.ts";
import { bytesOf, parseHeader, verifyWebhook, type WebhookEvent, WebhookVerificationError } from "./signature.ts";

const maxBodyBytes = 1024 * 1024;

/** Verifies and handles a webhook. Never rejects. */
export type WebhookHandler = (request: Request) => Promise<Response>;

/** State of a handler. */
export interface WebhookReadiness {
  /** True if no problem is known. */
  readonly ready: boolean;
  /** Problems: a code of the store or `secret_lookup_failed`, and a message for the operator. */
  readonly problems: readonly { readonly code: WebhookErrorCode; readonly message: string }[];
}

const plainId = /^[\x21-\x7e]{1,200}$/;

/** Names an event in a store: by its id, or by its body if it has none. */
async function keyOf({ id }: WebhookEvent, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const hasId = typeof id === "string" && id !== "";
  if (hasId && plainId.test(id)) return `id:${id}`;
  // As JSON, where half of a surrogate pair stays what it is.
  const digest = await crypto.subtle.digest("SHA-256", hasId ? bytesOf(JSON.stringify(id)) : body);
  return `${hasId ? "id-sha256" : "body-sha256"}:${toHex(new Uint8Array(digest))}`;
}

const bodyUsed =
  "The body was read before verification. Verify first, or pass the bytes: new Request(request.url, { method: 'POST', " +
  "headers: request.headers, body: bytes })";

const invalidReturn = "onEvent must return nothing or a Response with a status from 200 to 599";

/** Turns what `onEvent` returned into the response. */
function toResponse(returned: unknown): Response {
  if (returned === undefined || returned === null) return new Response(null, { status: 204 });
  // By its members: a test runner may have a class of its own.
  const { status, clone } = returned as Response;
  if (typeof clone !== "function" || !(status >= 200)) throw new TypeError(`${invalidReturn}, not ${typeof returned}`);
  return returned as Response;
}

/** The codes of what a step throws without one of its own. */
const codesOfSteps: Readonly<Record<Step, WebhookErrorCode>> = {
  ...{ request: "invalid_request", signature: "timestamp_out_of_tolerance", event: "handler_failed" },
  ...{ secrets: "secret_lookup_failed", newSecrets: "secret_lookup_failed", response: "response_not_sent" },
  ...{ store: "store_failed", inbox: "store_failed", warning: "store_failed" },
};

function codeOfStep(step: Step, error: unknown): WebhookErrorCode {
  return error instanceof WebhookVerificationError ? error.code : codeOf(error, codesOfSteps[step]);
}

async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  if (request.method !== "POST")
    throw new Rejection(405, "invalid_request", "Webhooks are sent by POST.", { allow: "POST" });
  if (request.bodyUsed) throw new Rejection(500, "body_already_read", bodyUsed);
  const body = request.body ? await readUpTo(maxBodyBytes, request.body, "the Request") : new Uint8Array();
  if (!body) throw new Rejection(413, "body_too_large", `The body is larger than ${maxBodyBytes} bytes.`);
  return body;
}

/** Key in a request for the `onError` of its handler, for the adapters, which may be another copy's. */
const reportKey: unique symbol = Symbol.for("@call-transfer/sdk/1/webhook-report");

/** Tells the `onError` of a request's handler what an adapter failed at. */
export const reportTo = (request: Request | undefined, error: unknown): void =>
  (request as { readonly [reportKey]?: (error: unknown) => void } | undefined)?.[reportKey]?.(error);

/**
 * Creates a webhook handler for servers that map a `Request` to a `Response` (§6). It verifies the signature of the raw
 * body, so mount it before any body parser. Each event is handled once, and every duplicate gets the same response: its status,
 * content type, and body up to 16 kB. If handling throws or responds with 5xx, the next duplicate is handled.
 *
 * `checkReadiness()` takes and gives back an event of its own in the store, or asks the database of the inbox. It calls the
 * function for `secret` if it has returned none yet: without secrets, every webhook gets a 500. It never rejects.
 *
 * @throws {TypeError} An option is invalid. A secret is only checked with a webhook, or by `checkReadiness()`: a module may be
 * loaded without it, as when an image is built.
 */
export function createWebhookHandler<Tx = undefined>(
  options: WebhookHandlerOptions<Tx>,
): WebhookHandler & { checkReadiness(): Promise<WebhookReadiness> } {
  const settings = checkOptions(options);
  const { onEvent, onError, inbox, store, toleranceMs, clock, duplicateWaitMs } = settings;
  const printed = new Map();
  /** Where events are kept, as a step. */
  const keeping: Step = inbox ? "inbox" : "store";

  const count = (result: "handled" | "deduplicated" | WebhookErrorCode): void => {
    try {
      settings.instrumentation?.recordWebhook(result);
    } catch {
      // The sender gets its response all the same.
    }
  };
  const report = async (step: Step, error: unknown, code = codeOfStep(step, error)): Promise<void> => {
    count(code);
    try {
      await (onError ? onError(error, code) : printFailure(printed, step, error));
    } catch {
      // The same.
    }
  };
  const reportEviction = (): void => {
    const message =
      "Responses were evicted while duplicates may still arrive, which would be handled again. Raise maxAnswers, or use a store.";
    void report("warning", new CodedError(message, "store_evicted_early"));
  };

  const readSecrets = secretsReader(settings.secret, (error) => void report("newSecrets", error));
  const coordinator = store && createStoreCoordinator({ ...settings, store });
  const handleOnce = createDeduplicator<Tx>({
    ...settings,
    // Without an inbox, Tx is undefined.
    coordinate: inbox
      ? (handling) => inbox.coordinate(handling)
      : ((coordinator?.coordinate ?? handleAlone) as Coordinate<Tx>),
    report: (error, code) => void report(code === "handled_twice" ? "warning" : keeping, error, code),
    validMs: 2 * toleranceMs,
    onEvictedEarly: inbox || store ? undefined : reportEviction,
  });

  const handle = async (request: Request, enter: (step: Step) => void): Promise<Response> => {
    // Without an inbox, onEvent has one parameter.
    const onEventAlone = onEvent as (event: WebhookEvent) => ReturnType<typeof onEvent>;
    const { headers } = request;
    const body = await readBody(request);
    // Forgeries without a signature must not call a function for the secrets.
    enter("signature");
    parseHeader(headers);
    enter("secrets");
    const secret = await readSecrets();
    enter("signature");
    const event = await verifyWebhook({ body, headers }, { secret, toleranceMs, clock });
    enter(keeping);
    const { response, deduplicated } = await handleOnce(await keyOf(event, body), async (tx) => {
      enter("event");
      return toResponse(await (inbox ? onEvent(event, tx) : onEventAlone(event)));
    });
    count(deduplicated ? "deduplicated" : "handled");
    return response;
  };

  const respond: WebhookHandler = async (request) => {
    let step: Step = "request";
    const enter = (next: Step): void => {
      step = next;
    };
    try {
      const value = (error: unknown) => void report("response", error);
      // Fails silently where a request cannot have it, such as a frozen one of a test.
      Reflect.defineProperty(request, reportKey, { value, configurable: true });
      return await handle(request, enter);
    } catch (error) {
      void report(isRejection(error) && error.status === 503 ? keeping : step, error);
      if (error instanceof WebhookVerificationError)
        return new Response("The webhook could not be verified.\n", { status: 400 });
      // What the handler's developer must change does not concern the sender.
      if (!isRejection(error) || error.status === 500)
        return new Response("The webhook could not be handled.\n", { status: 500 });
      return new Response(`${error.message}\n`, { status: error.status, headers: error.headers });
    }
  };

  const checkReadiness = async (): Promise<WebhookReadiness> => {
    const problems: { code: WebhookErrorCode; message: string }[] = [];
    const checked = inbox ? inbox.check({ waitMs: duplicateWaitMs }) : coordinator?.check();
    await checked?.catch((error: unknown) =>
      problems.push({ code: codeOf(error, "store_failed"), message: messageOf(error) }),
    );
    await readSecrets("ifNone").catch((error: unknown) =>
      problems.push({ code: codeOfStep("secrets", error), message: describeFailure("secrets", error) }),
    );
    return { ready: problems.length === 0, problems };
  };

  return Object.assign(respond, { checkReadiness });
}
