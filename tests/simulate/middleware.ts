// Middleware of every kind that hands the server's answer on. A Blob is left to the SDK's own tests: reading one waits for
// the machine's event loop, which virtual time does not move.
import type { Middleware } from "@call-transfer/sdk";
import type { AttemptRecord } from "./records.ts";

const after =
  (change: (response: Response) => Promise<Response> | Response): Middleware =>
  async (_request, next) =>
    change(await next());

const encoder = new TextEncoder();

function pieces(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < text.length; at += 7) controller.enqueue(encoder.encode(text.slice(at, at + 7)));
      controller.close();
    },
  });
}

/** What middleware may make of an answer without changing what it says. */
export const middlewareKinds = {
  passing: after((response) => response),
  reading: after(async (response) => {
    await response.text();
    return response;
  }),
  "new Response(text)": after(async (response) => new Response((await response.text()) || null, response)),
  "new Response(body)": after((response) => new Response(response.body, response)),
  "new Response(pieces)": after(async (response) => {
    const text = await response.text();
    return new Response(text === "" ? null : pieces(text), response);
  }),
  tee: after((response) => (response.body ? new Response(response.body.tee()[0], response) : response)),
  clone: after(async (response) => {
    const clone = response.clone();
    await response.text();
    return clone;
  }),
  // Only what a body needs: the server's request id, time and Retry-After are gone.
  invented: after(async (response) => {
    const type = response.headers.get("content-type");
    const headers = type === null ? {} : { "content-type": type };
    return new Response((await response.text()) || null, { status: response.status, headers });
  }),
} satisfies Record<string, Middleware>;

export type MiddlewareKind = keyof typeof middlewareKinds;

/** Every kind, in order. */
export const kindNames = Object.keys(middlewareKinds) as MiddlewareKind[];

/** The classes of answers that are read in different ways. */
export const answerClasses = ["success", "no body", "broken", "401", "429", "503", "refusal", "page"] as const;

/** The class of the answer that an attempt got; undefined where none came whole. */
export function answerClassOf({ end, status, code, unreadable }: AttemptRecord): string | undefined {
  if (end !== "answered" || status === undefined) return undefined;
  if (unreadable) return "broken";
  if (status === 204) return "no body";
  if (status < 300) return "success";
  if (code === undefined) return "page";
  return ["401", "429", "503"].includes(String(status)) ? String(status) : "refusal";
}
