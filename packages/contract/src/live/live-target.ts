import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { operationOf } from "../suite/recorder.ts";
import type { Target } from "../suite/target.ts";
import { describeValue } from "../suite/trace.ts";
import { identity } from "./live-case.ts";
import type { ReceivedResponse } from "./observations.ts";
import type { LiveOptions } from "./options.ts";

/** Milliseconds that the command waits at most when the server asks it to. */
const longestWaitMs = 60_000;

/** Bytes of an answer that are read at most: a hundred calls have room in far less. */
const largestAnswer = 16 * 1024 * 1024;

/** What went to a server and what came back. */
export interface Traffic {
  sent: number;
  readonly answers: ReceivedResponse[];
}

const withoutBody = new Set([204, 205, 304]);

/** An answer whose body has been read to its end. Rejects with one that is too large, or that no answer of HTTP can be. */
async function whole(response: Response): Promise<Response> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > largestAnswer) throw new Error(`the answer is longer than ${largestAnswer} bytes`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(withoutBody.has(status) ? null : new Blob(parts), { status, statusText, headers });
}

/** Why a server cannot be asked at all; undefined when it answers and takes the credential. */
export async function connectionProblem(options: LiveOptions): Promise<string | undefined> {
  const { baseUrl, timeoutSecs } = options;
  try {
    const response = await fetch(baseUrl + operations.listAccounts.path, {
      headers: identity(options),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSecs * 1000),
    });
    if (response.status !== errorCodes.unauthorized.status) {
      await response.body?.cancel();
      return undefined;
    }
    const problem: unknown = await (await whole(response)).json().catch(() => undefined);
    const code = (problem as { code?: unknown } | undefined)?.code;
    return `${baseUrl} refuses the credential: ${response.status} ${describeValue(code ?? "without a code")}`;
  } catch (error) {
    const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
    return `${baseUrl} cannot be reached: ${String(cause?.code ?? cause?.message ?? (error as Error).message)}`;
  }
}

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
export function liveTarget(options: LiveOptions, traffic: Traffic, permitted?: OperationId): Target {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const operation = operationOf(request.method, new URL(request.url).pathname);
    const isRead = request.method === "GET";
    if (!isRead && (operation === undefined || operation !== permitted))
      throw new Error(`${request.method} ${new URL(request.url).pathname} is not allowed: it was kept back`);
    const send = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeoutSecs * 1000)]);
      traffic.sent += 1;
      const response = await whole(await globalThis.fetch(request.clone(), { signal, redirect: "manual" }));
      const body: unknown = await response
        .clone()
        .json()
        .catch(() => undefined);
      traffic.answers.push({ operation, status: response.status, headers: response.headers, body });
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
    unsupported: {},
    // Nobody is made up here: a user is who the given token is, a program who the given key is.
    credentialsFor: async (who) => {
      if ("userId" in who && accessToken !== undefined)
        return { accessToken, ...(accountId === undefined ? {} : { accountId }) };
      return apiKey === undefined ? {} : { apiKey };
    },
    seed: async () => {
      throw new Error("The state of a server that is asked over the network is its own");
    },
  };
}
