// The open questions, and what any response shows about them. Cases observe the rest.
import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { judge } from "../document/check-response.ts";
import { codesOutsideOperations } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import type { Finding } from "../suite/check.ts";
import { describeValue } from "../suite/trace.ts";

/** An open question, word for word as in docs/assumptions.md, and why a run may observe nothing of it. */
export type Assumption = readonly [about: string, unmet: string];

const wouldCall = "a server with another rule would call the number instead of rejecting it";
const offersElsewhere = "offers go to the receiver of a destination, not to this command";
const nothingQueued = "no call was queued: that needs as many calls as the account may have at once";
const onlyRotations = (what: string) =>
  `only a rotation shows ${what}: --allow-changes --rotate-destination-id --secret-file`;

/** Every row of docs/assumptions.md. */
export const assumptions: Readonly<Record<string, Assumption>> = {
  "A-1": ["The fields of a destination's `config`", onlyRotations("a config")],
  "A-2": ["Other fields of an error's `meta`", "no error carried a meta"],
  "A-3": ["Titles and details of errors, and most meanings of error codes", "no error was returned"],
  "A-4": ["Which codes carry `errors`", "no error was returned"],
  "A-52": ["Which responses have `X-Request-Id`, and which errors a `requestId`", "no request got a response"],
  "A-5": ["Errors of an operation beyond those listed for it", "no code outside the operations' lists was returned"],
  "A-6": ["The format of ids", "no malformed id was sent"],
  "A-7": ["Whether lists of response values are complete", "no request succeeded"],
  "A-8": [
    "Other fields of a call placement, of its response and of a listed call",
    "no call was listed, and placing one needs --allow-calls",
  ],
  "A-9": ["Bounds and order of the call list", "the call list could not be read"],
  "A-10": ["The account list", "the account list could not be read"],
  "A-11": ["Which forms of ISO 8601 are used", "no response held a time"],
  "A-12": ["The length of a secret's hint and the format of the secret", onlyRotations("a hint")],
  "A-13": ["Unknown fields in a request", "the call list could not be read"],
  "A-53": ["Retries of the official clients after 408, 429 and 5xx", "it is about the client, not the server"],
  "A-54": ["The official client for Python", "it is about the client, not the server"],
  "A-14": ["Names of scopes and permissions", "the role list could not be read"],
  "A-15": [
    "Who may read availability, place calls and list calls",
    "one credential shows only its own permissions, and --member-id is missing",
  ],
  "A-16": ["The code of each per-endpoint case", "no request led to such a case"],
  "A-17": ["The identity of an API key", "no API key was given"],
  "A-18": ["The order of checks", "no invalid request got a response"],
  "A-45": ["The response to unknown paths and to other methods", "no unknown path got a response"],
  "A-19": ["The lifetime of an access token", "no access token was given, or it is not a JWT with iat and exp"],
  "A-33": ["The source of a caller's IP address", "needs a key that is bound to another address"],
  "A-42": ["The meaning of the two general refusals", "no other authorization scheme was sent"],
  "A-50": ["The headers of a response with status 401", "no request got status 401"],
  "A-51": ["Whether a cache may keep a response that shows a secret", onlyRotations("a secret")],
  "A-20": ["How a failing field is named, and which field code means what", "no invalid field was sent"],
  "A-21": ["The exact format of a phone number", wouldCall],
  "A-22": [
    "Unknown, foreign and repeated destinations in a group; how names compare",
    "needs permission to create groups: --allow-changes --group-destination-id",
  ],
  "A-23": [
    "A member's ring time when it is omitted or longer than the group's",
    "needs permission to create a group: --allow-changes --group-destination-id",
  ],
  "A-46": [
    "Requests that cannot be read",
    "a server with another rule would carry the request out instead of rejecting it",
  ],
  "A-55": ["Parameters and headers that are sent twice", "no request sent a parameter twice"],
  "A-56": [
    "Compressed bodies, and other encodings than UTF-8",
    "a server with another rule would carry the request out instead of rejecting it",
  ],
  "A-57": ["A body in a request to an operation that has none", "no request had such a body"],
  "A-47": ["The response to a call that names what the account does not have", wouldCall],
  "A-48": ["The order of the rules for a call", wouldCall],
  "A-24": ["The state at the exact instant of a time limit", "the server's time cannot be moved to such an instant"],
  "A-25": ["How long calls last and how the queue moves", nothingQueued],
  "A-49": ["Whether the rules for a call apply again when it leaves the queue", nothingQueued],
  "A-26": [
    "Removing hours that are not set",
    "needs permission to remove hours: --allow-changes --clear-hours-member-id",
  ],
  "A-34": [
    "A second rotation within the overlap",
    "a second rotation would void the secret that the receiver may still hold",
  ],
  "A-35": [
    "How many missed calls change a status, and for how long",
    "no member was called: calls would have to be missed",
  ],
  "A-36": ["Whether a disabled destination rings", "no member was called: a call would have to be transferred"],
  "A-43": ["The format of a member's hours and their time zone", "no documented operation shows hours"],
  "A-44": [
    "Which of several answers comes first, and the response to each late answer",
    "no member was called: several members would have to answer",
  ],
  "A-37": ["The time zone of the callable hours", "needs a call to a person at night"],
  "A-38": [
    "The numbers of the rate, concurrency, daily and queue limits",
    "no limit was reached, and the run does not try to reach one",
  ],
  "A-39": ["Whether the call list is up to date", "needs permission to place a call: --allow-calls"],
  "A-40": ["Where a response states the wait", "no rate limit was reached, and the run does not try to reach one"],
  "A-41": ["How deprecation is announced", "no operation was announced as deprecated"],
  "A-30": ["The payload of `transfer.offer`, and other kinds of event", offersElsewhere],
  "A-31": ["The signature's algorithm and the signed string", offersElsewhere],
  "A-32": ["Attempts, timeout and acceptance of a delivery", offersElsewhere],
  "A-27": ["The statuses of the six transfer-offer codes", "no documented operation answers these codes"],
  "A-28": ["Which 503 codes guarantee that the request had no effect", "the run cannot make a server unavailable"],
  "A-29": ["How the remaining codes occur", "the run cannot make a server fail"],
};

/** A response, for observations across all cases. */
export interface ReceivedResponse {
  readonly operation: OperationId | undefined;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined for other bodies. */
  readonly body: unknown;
}

const finding = (assumption: string, subject: string, observed: string, holds = true): Finding => ({
  assumption,
  subject,
  observed,
  holds,
});

const rowOf = (code: unknown) =>
  typeof code === "string" && Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : undefined;

/** The request id of any response (§2.6). */
function* ofRequestId({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  const place = operation ?? "a path without an operation";
  const header = headers.has("X-Request-Id");
  yield finding("A-52", `X-Request-Id of ${place} (${status})`, header ? "present" : "missing", header);
  if (status < 400 || !isObject(body)) return;
  const repeated = typeof body.requestId === "string";
  yield finding("A-52", `requestId of ${place} (${status})`, repeated ? "present" : "missing or null", repeated);
}

function* ofError({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (status < 400 || !isObject(body)) return;
  const { code, title, errors, meta } = body;
  const row = rowOf(code);
  const what = `${describeValue(code)} (${status})`;
  if (isObject(meta)) {
    const { retryAfterSecs } = meta;
    const fits = retryAfterSecs === undefined || (typeof retryAfterSecs === "number" && retryAfterSecs >= 0);
    yield finding("A-2", `meta of ${what}`, Object.keys(meta).join(", ") || "no field", fits);
  }
  if (row) {
    yield finding("A-3", `title of ${what}`, describeValue(title), title === row.title);
    const names = Array.isArray(errors) && errors.length > 0;
    yield finding("A-4", `errors of ${what}`, names ? "named" : "none", names === row.hasFieldErrors);
  }
  const listed = operation ? (operations[operation].errorCodes as readonly unknown[]) : codesOutsideOperations;
  // Any code is allowed, so an unlisted one is only reported.
  const place = operation ?? "a path without an operation";
  if (!listed.includes(code)) yield finding("A-5", `unlisted code of ${place}`, what);
  if (status === 401) {
    const challenge = headers.get("WWW-Authenticate");
    yield finding("A-50", `WWW-Authenticate of ${what}`, challenge ?? "missing", /^bearer\b/i.test(challenge ?? ""));
  }
  if (status === 429) {
    const places = [
      ...(isObject(meta) && typeof meta.retryAfterSecs === "number" ? ["meta.retryAfterSecs"] : []),
      ...(headers.has("Retry-After") ? ["Retry-After"] : []),
    ];
    yield finding("A-40", `the wait of ${what}`, places.join(", ") || "missing", places.length > 0);
    yield finding("A-38", "a limit", what);
  }
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** All strings in a body. Without recursion, because deep nesting would overflow the stack. */
function* textsIn(body: unknown): Generator<string> {
  const left = [body];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node === "string") yield node;
    else if (isObject(node)) for (const child of Object.values(node)) left.push(child);
  }
}

function* ofSuccess({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (operation && (headers.has("Deprecation") || headers.has("Sunset")))
    yield finding("A-41", operation, "deprecated by its headers");
  if (!operation || status >= 400 || body === undefined) return;
  if (isObject(body) && typeof body.signingSecret === "string") {
    const caching = headers.get("Cache-Control");
    yield finding("A-51", operation, caching ?? "no Cache-Control", /\bno-store\b/i.test(caching ?? ""));
  }
  const { violations, differences } = judge(operation, status, body);
  for (const { assumption, text } of differences) yield finding(assumption, `the body of ${operation}`, text, false);
  if (violations.length + differences.length === 0)
    yield finding("A-7", operation, "only values that the contract lists");
  for (const form of new Set([...textsIn(body)].flatMap((text) => dateTime.exec(text)?.[2] ?? [])))
    yield finding("A-11", `times of ${operation}`, form, form === "Z");
}

/** What all responses show about the assumptions. */
export const findingsOf = (answers: readonly ReceivedResponse[]): Finding[] =>
  answers.flatMap((answer) => [...ofRequestId(answer), ...ofError(answer), ...ofSuccess(answer)]);
