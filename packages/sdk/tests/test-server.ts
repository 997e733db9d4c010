// What the unit tests answer requests with: a fetch that plays a script and keeps what it was sent.
import { CallTransfer } from "../src/client.ts";
import type { ClientOptions } from "../src/options/options.ts";

export { networkError } from "./network-error.ts";

export const apiKey = "svc_live_unit-test-secret";

/** One step of a script: an answer, or what fetch does instead of answering. */
export type Step = Response | Error | ((init: RequestInit) => Promise<Response> | Response);

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });

/** Adds the time of the test to a success that shows no other. */
function dated(response: Response): Response {
  if (response.ok && !response.headers?.has("date")) response.headers?.set("date", new Date().toUTCString());
  return response;
}

/** An error body as the API writes it. */
export const problem = (status: number, code: string, more: object = {}): Response =>
  json(
    status,
    { code, status, title: "Title", detail: "Detail.", requestId: "req-1", ...more },
    { "x-request-id": "req-1" },
  );

/** A body that sends `start` and then nothing more. */
export const stalled = (status: number, start = '{"calls"'): Response =>
  new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(start)) }), {
    status,
  });

/** A client whose requests are answered by the script, in order. Successes show the time of the test as the server's. */
export function clientOf(script: Step[], options: Partial<ClientOptions> = {}) {
  const sent: { url: string; init: RequestInit; headers: Headers }[] = [];
  const fetch = async (url: string | URL | Request, init: RequestInit = {}) => {
    sent.push({ url: String(url), init, headers: new Headers(init.headers) });
    const step = script[sent.length - 1];
    if (!step) throw new Error(`the script has no step ${sent.length}`);
    if (step instanceof Error) throw step;
    const response = await (typeof step === "function" ? step(init) : step);
    return response instanceof Response ? dated(response) : response;
  };
  const credentials = options.accessToken === undefined ? { apiKey } : {};
  const client = new CallTransfer({
    baseUrl: "https://api.example.com",
    ...credentials,
    fetch,
    ...options,
  } as ClientOptions);
  return { client, sent };
}
