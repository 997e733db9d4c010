// The published vectors of the stored answer: what receivers in other languages must write and read.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readResponse, writeResponse } from "../src/webhooks/stored-response.ts";
import { createWebhookHandler, signWebhook } from "../src/webhooks.ts";
import { memoryStore } from "./memory-store.ts";

interface Vector {
  readonly name: string;
  readonly stored: string;
  /** Present if a writer of this version writes exactly this text. */
  readonly writes?: { readonly owner: string };
  readonly reads: "unknown version" | "no answer" | Readable;
}

interface Readable {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

const file = new URL("../../contract/vectors/stored-answers.json", import.meta.url);
const { version, cases }: { readonly version: number; readonly cases: readonly Vector[] } = JSON.parse(
  readFileSync(file, "utf8"),
);
const secret = "secret-of-vectors";

/** What a copy gets of a receiver whose store holds the text, and how often it is handled. */
async function copyOf(stored: string) {
  let handled = 0;
  const codes: string[] = [];
  const store = { ...memoryStore(), claim: async () => ({ state: "completed", response: stored }) as const };
  const receive = createWebhookHandler({
    ...{ secret, store },
    onEvent() {
      handled += 1;
    },
    onError: (_, code) => void codes.push(code),
  });
  const body = '{"type":"transfer.offer"}';
  const headers = { "Service-Signature": await signWebhook(body, { secret }) };
  const response = await receive(new Request("http://localhost/", { method: "POST", headers, body }));
  return { response, handled, codes };
}

const fromBase64 = (text: string) => Uint8Array.from(Buffer.from(text, "base64"));

describe("a stored answer is read as the vectors say", () => {
  it.each(cases)("$name", async ({ stored, reads }) => {
    const { response, handled, codes } = await copyOf(stored);
    if (reads === "unknown version") {
      expect([response.status, response.headers.get("retry-after"), handled]).toEqual([503, "1", 0]);
      expect(codes).toEqual(["stored_response_unreadable"]);
      return;
    }
    if (reads === "no answer") {
      expect(() => readResponse(stored)).toThrow(TypeError);
      expect([handled, codes[0]]).toEqual([1, "store_failed"]);
      return;
    }
    expect([response.status, handled, codes]).toEqual([reads.status, 0, []]);
    expect(response.headers.get("content-type") ?? undefined).toBe(reads.contentType);
    expect(Buffer.from(await response.arrayBuffer()).toString("base64")).toBe(reads.body ?? "");
  });
});

describe("an answer is written as the vectors say", () => {
  const written = cases.filter(({ writes }) => writes !== undefined);

  it.each(written)("$name", async ({ stored, writes, reads }) => {
    if (typeof reads === "string") throw new Error("A written answer is readable.");
    const { status, contentType, body } = reads;
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    const response = new Response(body === undefined ? null : fromBase64(body), { status, headers });
    expect(await writeResponse(response, writes?.owner ?? "")).toBe(stored);
    expect(JSON.parse(stored).version).toBe(version);
  });
});
