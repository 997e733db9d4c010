import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  isTransferOffer,
  signWebhook,
  verifyWebhook,
  type WebhookInput,
  WebhookVerificationError,
} from "../src/webhooks/signature.ts";

fc.configureGlobal({ seed: 1 });

// Signatures made with openssl: printf '%s' "1772452800.$body" | openssl dgst -sha256 -hmac "$secret"
const body = '{"type":"transfer.offer","id":"evt_1","note":"Grüße"}';
const at = 1_772_452_800_000;
const now = () => at;
const [newSecret, oldSecret] = ["whsec-new-secret", "whsec-old-secret"];
const signedNew = "97b7a498a49d37a7813c278ff621bf09e79e7da400a92d17db07a3a3afd9c388";
const signedOld = "f75c1665c388b9abc51dc9ce72bea8fc335f930222cc05da0e98bb97d144c4fa";
const overlapping = `t=1772452800,v1=${signedNew},v1=${signedOld}`;

const input = (header: string | string[] | undefined, raw: unknown = body) =>
  ({ body: raw, headers: { "service-signature": header } }) as WebhookInput;
const verify = (header: string | string[] | undefined, secret: string | string[] = newSecret, raw: unknown = body) =>
  verifyWebhook(input(header, raw), { secret, clock: { now } });

/** As in runtimes that have Web Crypto alone. */
const withoutNodeCrypto = () => vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);

describe("verifyWebhook", () => {
  it("ignores a byte order mark before a text, as before bytes, and keeps one inside", async () => {
    const text = '\uFEFF{"type":"a\uFEFFb"}';
    for (const raw of [text, new TextEncoder().encode(text)]) {
      const header = await signWebhook(raw, { secret: newSecret, timestampMs: at });
      await expect(verify(header, newSecret, raw)).resolves.toEqual({ type: "a\uFEFFb" });
    }
    const inside = '{"type":"a\uFEFFb"}';
    const header = await signWebhook(inside, { secret: newSecret, timestampMs: at });
    await expect(verify(header, newSecret, inside)).resolves.toEqual({ type: "a\uFEFFb" });
  });

  it("accepts a Request, a Headers, raw bytes and Node's headers alike", async () => {
    const headers = new Headers({ "Service-Signature": overlapping });
    const bytes = new TextEncoder().encode(body);
    const options = { secret: newSecret, clock: { now } };
    await expect(
      verifyWebhook(new Request("https://example.com", { method: "POST", body, headers }), options),
    ).resolves.toBeTruthy();
    await expect(verifyWebhook({ body: bytes, headers }, options)).resolves.toBeTruthy();
    await expect(
      verifyWebhook({ body: bytes.buffer, headers: { "Service-Signature": overlapping } }, options),
    ).resolves.toBeTruthy();
  });

  it("accepts headers of another implementation, and a header in a list of one", async () => {
    for (const known of ["service-signature", "Service-Signature"]) {
      const headers = { get: (name: string) => (name === known ? overlapping : null) } as Headers;
      await expect(verifyWebhook({ body, headers }, { secret: newSecret, clock: { now } })).resolves.toBeTruthy();
    }
    await expect(verify([overlapping])).resolves.toBeTruthy();
  });

  it("accepts bytes of another realm, such as those a test runner hands over", async () => {
    const bytes = Buffer.from(body).toJSON().data;
    for (const code of ["Uint8Array.from(bytes)", "Uint8Array.from(bytes).buffer"]) {
      await expect(verify(overlapping, newSecret, runInNewContext(code, { bytes }))).resolves.toMatchObject({
        id: "evt_1",
      });
    }
  });

  it("accepts a Request of another copy, and needs no Request at all for a body with its headers", async () => {
    const headers = { "service-signature": overlapping };
    const request = new Request("https://receiver.example.com", { method: "POST", body, headers });
    vi.stubGlobal("Request", undefined);
    try {
      await expect(verifyWebhook(request, { secret: newSecret, clock: { now } })).resolves.toMatchObject({
        id: "evt_1",
      });
      await expect(verify(overlapping)).resolves.toMatchObject({ id: "evt_1" });
      await expect(verifyWebhook(request, { secret: newSecret, clock: { now } })).rejects.toThrow("already read");
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it("throws for a clock without a valid time", async () => {
    await expect(
      verifyWebhook(input(overlapping), { secret: newSecret, clock: { now: () => Number.NaN } }),
    ).rejects.toThrow("clock.now() must");
    await expect(signWebhook(body, { secret: newSecret, timestampMs: Number.NaN })).rejects.toThrow("timestampMs must");
  });

  it("accepts an event of an unknown type", async () => {
    const raw = '{"type":"transfer.newer","x":1}';
    const header = await signWebhook(raw, { secret: newSecret, timestampMs: at });
    const event = await verify(header, newSecret, raw);
    expect(event).toEqual({ type: "transfer.newer", x: 1 });
    expect(isTransferOffer(event)).toBe(false);
  });

  it.each([
    ["a parsed body", () => verify(overlapping, newSecret, JSON.parse(body)), "not a parsed object"],
    ["an empty list of headers", () => verify([]), "The header Service-Signature appears 0 times."],
    [
      "null for headers",
      () => verifyWebhook({ body, headers: null } as never, { secret: newSecret, clock: { now } }),
      "are missing",
    ],
    [
      "missing headers",
      () => verifyWebhook({ body } as never, { secret: newSecret, clock: { now } }),
      "Pass the request's headers with the body",
    ],
    ["a repeated header", () => verify([overlapping, overlapping]), "appears 2 times"],
  ])("refuses %s and says why", async (_, attempt, words) => {
    await expect(attempt()).rejects.toThrow(WebhookVerificationError);
    await expect(attempt()).rejects.toMatchObject({ name: "WebhookVerificationError" });
    await expect(attempt()).rejects.toThrow(words);
  });

  it("accepts a header of 4 KiB, and eight signatures", async () => {
    await expect(verify(`${overlapping},`.padEnd(4096, "x"))).resolves.toBeTruthy();
    await expect(verify(`t=1772452800${`,v1=${signedNew}`.repeat(8)}`)).resolves.toBeTruthy();
  });

  describe("in a process with two copies of the SDK", () => {
    let copy: typeof import("../src/webhooks/signature.ts");
    beforeAll(async () => {
      vi.resetModules();
      copy = await import("../src/webhooks/signature.ts");
    });

    it("refuses with an error that the class of either recognizes", async () => {
      const refusal = await verify(undefined).catch((error: unknown) => error);
      expect(copy.WebhookVerificationError).not.toBe(WebhookVerificationError);
      expect(refusal).toBeInstanceOf(copy.WebhookVerificationError);
      class Own extends WebhookVerificationError {}
      expect(new Own()).toBeInstanceOf(copy.WebhookVerificationError);
      expect(refusal).not.toBeInstanceOf(Own);
      for (const other of [new Error(), undefined, null, "text", Object.create(null)]) {
        expect(other).not.toBeInstanceOf(WebhookVerificationError);
      }
    });
  });

  it.each([
    [[], "secret must be a signing secret or a list of them"],
    [undefined, "secret must be a signing secret or a list of them"],
    [7, "secret must be a signing secret or a list of them"],
    ["", "secret must be non-empty text without spaces or line breaks around it"],
    [" secret", "secret must be non-empty text without spaces or line breaks around it"],
    [["good", 7], "secret must be non-empty text without spaces or line breaks around it"],
  ])("says what is wrong with the secret %j", async (secret, message) => {
    const options = { secret: secret as string, clock: { now } };
    await expect(verifyWebhook(input(overlapping), options)).rejects.toThrow(new TypeError(message));
    await expect(signWebhook(body, options)).rejects.toThrow(new TypeError(message));
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("throws at once for the tolerance %d", async (toleranceMs) => {
    await expect(verifyWebhook(input(overlapping), { secret: newSecret, clock: { now }, toleranceMs })).rejects.toThrow(
      "toleranceMs",
    );
  });

  it("refuses a parsed body with a code", async () => {
    await expect(verify(overlapping, newSecret, JSON.parse(body))).rejects.toMatchObject({ code: "body_already_read" });
  });

  it("refuses a Request whose body was read", async () => {
    const request = new Request("https://example.com", {
      method: "POST",
      body,
      headers: { "service-signature": overlapping },
    });
    await request.text();
    await expect(verifyWebhook(request, { secret: newSecret, clock: { now } })).rejects.toThrow("already read");
  });
});

describe("signWebhook", () => {
  it("signs with Web Crypto as with node:crypto, and each verifies what the other signed", async () => {
    const secret = fc.string({ unit: "grapheme", minLength: 1 }).filter((text) => text === text.trim());
    await fc.assert(
      fc.asyncProperty(secret, fc.uint8Array(), async (one, bytes) => {
        const byNode = await signWebhook(bytes, { secret: one, timestampMs: at });
        await verify(overlapping);
        withoutNodeCrypto();
        expect(await signWebhook(bytes, { secret: one, timestampMs: at })).toBe(byNode);
        await verify(overlapping);
        vi.restoreAllMocks();
      }),
    );
  });

  const unsupported = () => {
    throw new Error("A Node.js API is used which is not supported in the Edge Runtime.");
  };
  it.each<[string, () => unknown]>([
    ["no process", () => vi.stubGlobal("process", undefined)],
    ["a process without modules", () => vi.stubGlobal("process", {})],
    ["a function for modules that throws", () => vi.spyOn(process, "getBuiltinModule").mockImplementation(unsupported)],
    [
      "a function for modules that cannot be read",
      () => vi.stubGlobal("process", Object.defineProperty({}, "getBuiltinModule", { get: unsupported })),
    ],
    ["no process that can be read", () => vi.stubGlobal("process", new Proxy({}, { get: unsupported }))],
    ["a module without its function", () => vi.spyOn(process, "getBuiltinModule").mockReturnValue({} as never)],
    [
      "a module whose function throws",
      () => vi.spyOn(process, "getBuiltinModule").mockReturnValue({ createHmac: unsupported } as never),
    ],
    [
      "a module whose function returns nothing",
      () => vi.spyOn(process, "getBuiltinModule").mockReturnValue({ createHmac: () => undefined } as never),
    ],
  ])("signs and verifies with Web Crypto in a runtime with %s", async (_name, define) => {
    const expected = await signWebhook("{}", { secret: "whsec_edge", timestampMs: 0 });
    define();
    try {
      expect(await signWebhook("{}", { secret: "whsec_edge", timestampMs: 0 })).toBe(expected);
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
    }
  });

  it("signs the second in which its time lies", async () => {
    await expect(signWebhook(body, { secret: [newSecret, oldSecret], timestampMs: at + 999 })).resolves.toBe(
      overlapping,
    );
  });

  it("signs the present time by default, which verifyWebhook accepts", async () => {
    const header = await signWebhook(body, { secret: newSecret });
    await expect(verifyWebhook(input(header), { secret: newSecret })).resolves.toMatchObject({ id: "evt_1" });
  });
});
