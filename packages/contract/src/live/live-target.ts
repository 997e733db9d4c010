import type { OperationId } from "@call-transfer/spec";
import { operationOf } from "../recorder.ts";
import type { Target } from "../target.ts";
import type { Answer } from "./observations.ts";
import type { LiveOptions } from "./options.ts";

/** Milliseconds that the command waits at most when the server asks it to. */
const longestWaitMs = 60_000;

/** Seconds that an answer asks to wait before the request is sent again; undefined when it asks nothing. */
async function askedWait(response: Response): Promise<number | undefined> {
  if (response.status !== 429) return undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const seconds = (body as { meta?: { retryAfterSecs?: unknown } } | undefined)?.meta?.retryAfterSecs;
  return typeof seconds === "number" && seconds >= 0 ? seconds : undefined;
}

/**
 * A server that is asked over the network. Its fetch sends nothing but GETs and one further operation where a case
 * names it, gives up in time, follows no redirect, waits once where a rate limit asks for it, and keeps the answers for the observations.
 */
export function liveTarget(options: LiveOptions, answers: Answer[], permitted?: OperationId): Target {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const operation = operationOf(request.method, new URL(request.url).pathname);
    const isRead = request.method === "GET";
    if (!isRead && (operation === undefined || operation !== permitted))
      throw new Error(`${request.method} ${new URL(request.url).pathname} is not allowed: it was kept back`);
    const send = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeoutSecs * 1000)]);
      const response = await globalThis.fetch(request.clone(), { signal, redirect: "manual" });
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      answers.push({ operation, status: response.status, headers: response.headers, body });
      return response;
    };
    const response = await send();
    const seconds = isRead ? await askedWait(response.clone()) : undefined;
    if (seconds === undefined || seconds * 1000 > longestWaitMs) return response;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return send();
  };
  const { apiKey, accessToken, accountId } = options;
  return {
    name: options.baseUrl,
    baseUrl: options.baseUrl,
    fetch,
    allowsNewValues: true,
    cannot: {},
    // Nobody is made up here: a user is who the given token is, a program who the given key is.
    as: async (who) => {
      if ("userId" in who && accessToken !== undefined)
        return { accessToken, ...(accountId === undefined ? {} : { accountId }) };
      return apiKey === undefined ? {} : { apiKey };
    },
    given: async () => {
      throw new Error("The state of a server that is asked over the network is its own");
    },
  };
}
