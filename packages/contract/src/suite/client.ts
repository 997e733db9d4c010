import { CallTransfer, type ClientOptions, type SharedClientOptions } from "@call-transfer/sdk";
import { type OperationId, operations } from "@call-transfer/spec";
import { pathExample, requestExample } from "../document/document.ts";
import { isObject, jsonOf, memberOf } from "../document/json.ts";
import { headers, limits } from "../facts/limits.ts";
import { accounts, users, uuid } from "../fixtures/names.ts";
import type { Caller, Target, TimeRecord } from "./target.ts";

/** A user of the home account with a JWT and `X-Account-Id`. */
export const homeUser = (name: keyof typeof users): Caller => ({ userId: users[name], accountId: accounts.home });

/** Creates an SDK client of the target. Without retries by default, so that cases see each response. */
export async function connect(
  target: Target,
  who: Caller = homeUser("owner"),
  options: Partial<SharedClientOptions> = {},
  time?: TimeRecord,
): Promise<CallTransfer> {
  const { apiKey, accessToken, ...account } = await target.credentialsFor(who);
  const credential = apiKey === undefined ? { accessToken } : { apiKey };
  const all: ClientOptions = {
    baseUrl: target.baseUrl,
    fetch: target.fetch,
    maxRetries: 0,
    // The suite's report says what failed.
    logLevel: "off",
    // The suite also runs in browsers, with keys made for it.
    dangerouslyAllowBrowser: true,
    ...credential,
    ...account,
    ...options,
  };
  return target.createClient?.(all, time) ?? new CallTransfer(all);
}

/** The authentication headers of a caller, for requests without the SDK. */
export async function identityOf(target: Target, who: Caller): Promise<Record<string, string>> {
  const { apiKey, accessToken, accountId } = await target.credentialsFor(who);
  return {
    Authorization: `Bearer ${apiKey ?? accessToken}`,
    ...(accountId === undefined ? {} : { [headers.account]: accountId }),
  };
}

export interface Input {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The input of a valid request, from the contract's examples. */
export function validInput(operation: OperationId): Input {
  const path = operations[operation].pathParameters.map((name) => [name, pathExample(operation, name) ?? uuid(1)]);
  return { path: Object.fromEntries(path), query: {}, body: requestExample(operation) };
}

export interface PendingResult extends PromiseLike<unknown> {
  withResponse(): Promise<{ data: unknown; response: Response; requestId: string | undefined }>;
}

/** Calls the SDK's method of an operation with input that its types may not allow. */
export function invoke(client: CallTransfer, operation: OperationId, input: Input): PendingResult {
  const { resource, sdkMethod, pathParameters, queryParameters, hasBody } = operations[operation];
  const methods: unknown = Reflect.get(client, resource);
  if (!isObject(methods)) throw new TypeError(`The SDK has no client.${resource}`);
  const method = methods[sdkMethod];
  if (typeof method !== "function") throw new TypeError(`The SDK has no client.${resource}.${sdkMethod}`);
  const parameters: unknown[] = pathParameters.map((name) => input.path[name]);
  if (hasBody) parameters.push(input.body);
  if (Object.keys(queryParameters).length > 0) parameters.push(input.query);
  return Reflect.apply(method, methods, parameters) as PendingResult;
}

/** The path and query of a request. */
export function addressOf(
  operation: OperationId,
  path: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const filled = operations[operation].path.replaceAll(/\{(\w+)\}/g, (_whole, name) => path[name] ?? "");
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Sends a request without the SDK, for requests that the SDK refuses to send. */
export function sendRaw(
  target: Target,
  operation: OperationId,
  init: RequestInit,
  { path, query, body }: Input = validInput(operation),
): Promise<Response> {
  const json = operations[operation].hasBody ? { body: JSON.stringify(body) } : {};
  const sent = new Headers(init.headers);
  if (operations[operation].hasBody && !sent.has("Content-Type")) sent.set("Content-Type", "application/json");
  return target.fetch(target.baseUrl + addressOf(operation, path, query), {
    ...json,
    ...init,
    method: operations[operation].method,
    headers: sent,
  });
}

/** The code in the error body of a response; undefined without one. */
export const codeOf = async (response: Response): Promise<unknown> => memberOf(await jsonOf(response), "code");

/**
 * The deadline of the first attempt: `turns` timers of `turnMs` milliseconds. On a busy machine timers are late too, so
 * the request always has time to arrive.
 */
const patience = { turns: 25, turnMs: 10 };

/** A timer that can be cleared. */
interface Wait {
  timer?: ReturnType<typeof setTimeout>;
}

function startDeadline(callback: () => void): Wait {
  const wait: Wait = {};
  const turn = (left: number): void => {
    wait.timer = setTimeout(() => (left === 0 ? callback() : turn(left - 1)), patience.turnMs);
  };
  turn(patience.turns);
  return wait;
}

/** Timers from this length on are deadlines of attempts, shorter ones waits between them. */
const shortestDeadlineMs = limits.clientTimeoutSecs * 1000 * (3 / 4);

/** A client clock on which waits end at once. Deadlines of attempts only fire with `givesUpOnce`, and only once. */
function impatientClock({ waits, attemptTimeoutsMs, firstDeadlineMs }: TimeRecord) {
  let now = 0;
  let deadlines = firstDeadlineMs === undefined ? 0 : 1;
  const clock: ClientOptions["clock"] = {
    now: () => now,
    setTimeout(callback, delayMs) {
      if (delayMs >= shortestDeadlineMs) {
        attemptTimeoutsMs.push(delayMs);
        deadlines -= 1;
        return deadlines === 0 ? startDeadline(callback) : undefined;
      }
      waits.push(delayMs);
      now += delayMs;
      queueMicrotask(callback);
      return undefined;
    },
    clearTimeout: (wait) => clearTimeout((wait as Wait | undefined)?.timer),
  };
  return clock;
}

/** A client with the SDK's own number of retries and timeout, and a record of its requests and waits. */
export interface ImpatientClient {
  readonly client: CallTransfer;
  readonly waits: readonly number[];
  /** The time that each attempt may take, in milliseconds. */
  readonly attemptTimeoutsMs: readonly number[];
  readonly sent: { readonly count: number };
}

/** Creates a client whose retries do not wait. With `givesUpOnce` the deadline of its first attempt fires. */
export async function connectImpatient(
  target: Target,
  givesUpOnce = false,
  retry?: ClientOptions["retry"],
): Promise<ImpatientClient> {
  const deadline = givesUpOnce && { firstDeadlineMs: patience.turns * patience.turnMs };
  const time: TimeRecord = { waits: [], attemptTimeoutsMs: [], ...deadline };
  const sent = { count: 0 };
  const fetch: typeof globalThis.fetch = (input, init) => {
    sent.count += 1;
    return target.fetch(input, init);
  };
  // With the default number of retries.
  const options = { clock: impatientClock(time), fetch, maxRetries: undefined, retry, random: () => 0 };
  const client = await connect(target, undefined, options, time);
  return { client, waits: time.waits, attemptTimeoutsMs: time.attemptTimeoutsMs, sent };
}
