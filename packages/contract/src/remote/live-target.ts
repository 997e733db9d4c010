import type { OperationId } from "@call-transfer/spec";
import { statusOf } from "../document/expected.ts";
import { jsonOf, memberOf, omitUndefined, valueAt } from "../document/json.ts";
import { operationOf } from "../suite/recorder.ts";
import type { Target } from "../suite/target.ts";
import { describeValue, responseLine } from "../suite/trace.ts";
import type { ReceivedResponse } from "./assumptions.ts";
import { hasOperation, identity, probePath } from "./live-case.ts";
import { type LiveOptions, variables } from "./options.ts";

/** The longest `retryAfterSecs` that the command waits for, in milliseconds. */
const longestWaitMs = 60_000;

/** The maximum size of a response, in bytes. A hundred calls need far less. */
const maxResponseBytes = 16 * 1024 * 1024;

/** The number of requests sent, and the responses. */
export interface Traffic {
  sent: number;
  readonly answers: ReceivedResponse[];
  /** Each request as a curl command, and each response, without the given credentials. */
  readonly trace: string[];
}

/** A text as one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A request as a curl command. The given credentials are named by their environment variables. */
function curlOf({ method, url, headers }: Request, body: string, { apiKey, accessToken }: LiveOptions): string {
  const authorization = headers.get("Authorization");
  const known = [apiKey, accessToken].findIndex(
    (secret) => secret !== undefined && authorization === `Bearer ${secret}`,
  );
  const variable = [variables["api-key"], variables["access-token"]][known];
  const others = ["X-Account-Id", "Content-Type"].flatMap((name) =>
    headers.has(name) ? `${name}: ${headers.get(name)}` : [],
  );
  return [
    "curl",
    ...(method === "GET" ? [] : ["-X", method]),
    quoted(url),
    ...(variable === undefined ? [] : ["-H", `"Authorization: Bearer $${variable}"`]),
    ...(variable === undefined && authorization !== null ? ["-H", quoted(`Authorization: ${authorization}`)] : []),
    ...others.flatMap((header) => ["-H", quoted(header)]),
    ...(body === "" ? [] : ["-d", quoted(body)]),
  ].join(" ");
}

const withoutBody = new Set([204, 205, 304]);

/** Reads a response to its end. Rejects for one that is too large or not valid HTTP. */
async function readCompletely(response: Response): Promise<Response> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > maxResponseBytes) throw new Error(`the response is longer than ${maxResponseBytes} bytes`);
    parts.push(part);
  }
  const { status, statusText, headers } = response;
  return new Response(withoutBody.has(status) ? null : new Blob(parts), { status, statusText, headers });
}

/** Why the server cannot be checked; undefined when it responds and accepts the credential. */
export async function connectionProblem(
  options: LiveOptions,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<string | undefined> {
  const { baseUrl, timeoutSecs } = options;
  try {
    const response = await fetch(baseUrl + probePath(options), {
      headers: identity(options),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutSecs * 1000),
    });
    if (response.status !== statusOf("unauthorized")) {
      await response.body?.cancel();
      return undefined;
    }
    const code = memberOf(await jsonOf(await readCompletely(response)), "code");
    return `${baseUrl} rejects the credential: ${response.status} ${describeValue(code ?? "without a code")}`;
  } catch (error) {
    const { cause } = error as { cause?: { code?: unknown; message?: unknown } };
    return `${baseUrl} cannot be reached: ${String(cause?.code ?? cause?.message ?? (error as Error).message)}`;
  }
}

/** The seconds to wait before a retry; undefined for responses other than a rate limit. */
async function retryAfter(response: Response): Promise<number | undefined> {
  if (response.status !== 429) return undefined;
  const seconds = valueAt(await jsonOf(response), ["meta", "retryAfterSecs"]);
  return typeof seconds === "number" && seconds >= 0 ? seconds : undefined;
}

/**
 * Creates a target for a server on the network. Its fetch sends only GETs and the one operation that the case permits.
 * It has a timeout, follows no redirects, waits once for a rate limit, and records the responses.
 */
export function liveTarget(
  options: LiveOptions,
  traffic: Traffic,
  permitted?: OperationId,
  send: typeof globalThis.fetch = globalThis.fetch,
): Target {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const operation = operationOf(request.method, new URL(request.url).pathname);
    const isRead = request.method === "GET";
    if (operation !== undefined && !hasOperation(options, operation))
      throw new Error(`${operation} was not sent, because of --without ${operation}`);
    if (!isRead && (operation === undefined || operation !== permitted))
      throw new Error(`${request.method} ${new URL(request.url).pathname} is not allowed and was not sent`);
    const exchange = async () => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(options.timeoutSecs * 1000)]);
      traffic.sent += 1;
      traffic.trace.push(curlOf(request, await request.clone().text(), options));
      const response = await readCompletely(await send(request.clone(), { signal, redirect: "manual" }));
      traffic.trace.push(responseLine(request, response, await response.clone().text()));
      const body = await jsonOf(response.clone());
      traffic.answers.push({ operation, status: response.status, headers: response.headers, body });
      return response;
    };
    const response = await exchange();
    const seconds = isRead ? await retryAfter(response.clone()) : undefined;
    if (seconds === undefined || seconds * 1000 > longestWaitMs) return response;
    const until = performance.now() + seconds * 1000;
    // Timers may fire early.
    while (performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, Math.ceil(until - performance.now())));
    return exchange();
  };
  const { apiKey, accessToken, accountId } = options;
  return {
    name: options.baseUrl,
    baseUrl: options.baseUrl,
    fetch,
    specificationOnly: true,
    unsupported: {},
    // No credentials can be issued here: a user gets the given token, a program the given key.
    credentialsFor: async (who) => {
      if ("userId" in who && accessToken !== undefined) return omitUndefined({ accessToken, accountId });
      return omitUndefined({ apiKey });
    },
    seed: async () => {
      throw new Error("The state of a live server cannot be seeded");
    },
  };
}
