// Builds a call from the input of a request, its options and the client's settings.
import { ConfigurationError } from "../errors/base.ts";
import { InvalidArgumentError, readArguments } from "../errors/invalid-argument-error.ts";
import { check, checkOptions, type Given, requestRetryRules, requestRules } from "../options/checks.ts";
import { momentOf } from "../options/clock.ts";
import type { FindCandidates, RequestOptions } from "../options/options.ts";
import { type Settings, withHeaders } from "../options/settings.ts";
import type { Call } from "../send/call.ts";
import { isObject } from "../utils/guards.ts";
import { maskNumbers } from "../utils/mask-numbers.ts";
import { redact } from "../utils/redact.ts";
import type { Operation } from "./operation.ts";
import { serializeQuery } from "./path.ts";

/** Parameters and body of a request. */
export interface RequestInput {
  /** Path parameters by name. */
  readonly path?: Readonly<Record<string, unknown>>;
  /** Query parameters by name. */
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** A call with what its options add to its request. */
export type PreparedCall = Call & Pick<RequestOptions, "extraBody" | "extraQuery">;

/** Combines the options of a request with the client's settings, and checks them. */
export function prepareCall(
  settings: Settings,
  operation: Operation,
  options: RequestOptions | undefined,
  findCandidates: FindCandidates | undefined,
  anyBody?: boolean,
): PreparedCall {
  const given: Given<RequestOptions> = options === undefined ? {} : checkOptions(options, requestRules);
  const { signal, extraBody, extraQuery, ...findOptions } = given;
  const { headers, middleware, fetchOptions, accountId = settings.accountId } = findOptions;
  const { totalTimeoutMs = settings.totalTimeoutMs } = findOptions;
  if (operation.accountScoped && accountId === undefined && settings.auth.kind === "accessToken")
    throw new ConfigurationError("accountId", `is required for ${operation.operationId} with an access token`);
  const begun = momentOf(settings);
  const tokens = new Set<string>();
  // Names each field: copying all settings would take longer than the rest of this function.
  return {
    ...operation,
    settings,
    headers: withHeaders(settings.headers, headers),
    signal,
    timeoutMs: given.timeoutMs ?? settings.timeoutMs,
    retryPolicy: given.retry
      ? { ...settings.retryPolicy, ...checkOptions(given.retry, requestRetryRules, "retry.") }
      : settings.retryPolicy,
    accountId,
    baseUrl: settings.baseUrl,
    context: given.context,
    middleware: middleware ? [...settings.middleware, ...middleware] : settings.middleware,
    fetchOptions: fetchOptions ? merge(settings.fetchOptions ?? {}, fetchOptions) : settings.fetchOptions,
    extraBody,
    extraQuery,
    begun,
    answerBefore: settings.serverTime.newest,
    deadline: totalTimeoutMs && begun.elapsed + totalTimeoutMs,
    findCandidates,
    findOptions,
    anyBody,
    budget: settings.budgets?.of(accountId),
    url: "",
    tokens,
    clean: (text) => (settings.showPhoneNumbers ? redact(text, tokens) : maskNumbers(redact(text, tokens))),
    attempts: [],
    outcome: "not_sent",
    retryCost: 0,
  };
}

/** Writes the URL and the body of a call, as openapi-fetch does for a JSON body. */
export function toOutgoing(call: PreparedCall, path: string, input: RequestInput): void {
  const { settings, headers, extraBody, extraQuery } = call;
  const query = merge(extraQuery, input.query, isPresent);
  const search = query && serializeQuery(query);
  call.url = settings.baseUrl + path + (search ? `${path.includes("?") ? "&" : "?"}${search}` : "");
  let json = input.body === undefined ? undefined : toJson(input.body);
  if (extraBody) {
    // Read again, so that the fields are those that would be sent.
    const own: unknown = JSON.parse(json ?? "null");
    const isExtendable = isObject(own) && !Array.isArray(own);
    check(isExtendable, "extraBody", `requires a body that is an object, in ${call.operationId}`);
    json = JSON.stringify(merge(extraBody, own));
  }
  if (json === undefined) return;
  if (!headers.has("content-type")) headers.set("content-type", "application/json");
  call.body = json;
}

/** @throws {InvalidArgumentError} The body has no form in JSON, or another one than JSON. */
function toJson(body: unknown): string {
  const kind = Object.prototype.toString.call(body).slice("[object ".length, -1);
  const isForm = typeof body === "object" && !["Object", "Array", "Null"].includes(kind);
  const json: string | undefined = isForm ? undefined : readArguments("body", () => JSON.stringify(body));
  if (json !== undefined) return json;
  throw new InvalidArgumentError(
    "body",
    `must be JSON, not ${kind}. To send something else, use raw() with a bodySerializer.`,
  );
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** Adds extra fields to named ones, which win unless they are absent. */
function merge(
  extra: object | undefined,
  named: object | null | undefined,
  isGiven: (value: unknown) => boolean = (value) => value !== undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (!extra) return named ? { ...named } : undefined;
  return { ...extra, ...Object.fromEntries(Object.entries(named ?? {}).filter(([, value]) => isGiven(value))) };
}
