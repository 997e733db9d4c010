import { describe, expect, it, vi } from "vitest";
import { BodyBuffer, BodyTooLarge, readBody, readText, replay, textOf, toResponse } from "../src/send/body.ts";

const bytes = new TextEncoder().encode('{"name":"Zoë"}');

function buffer(...chunks: Uint8Array[]): BodyBuffer {
  const all = new BodyBuffer();
  for (const chunk of chunks) all.add(chunk);
  return all;
}

it.each([...bytes.keys()])("reads a body that arrives in two chunks, split at byte %i", (at) => {
  expect(buffer(bytes.subarray(0, at), bytes.subarray(at)).text(true)).toBe('{"name":"Zoë"}');
});

it("reads a body that ends within a character up to that character", () => {
  expect(buffer(bytes.subarray(0, 12)).text(false)).toBe('{"name":"Zo');
});

it("returns the bytes of chunks of every kind of view", () => {
  const view = new DataView(bytes.buffer, 6, 4);
  expect(buffer(bytes.subarray(0, 6), view as never, bytes.subarray(10)).bytes()).toEqual(bytes);
});

describe("a body with a limit", () => {
  const { signal } = new AbortController();
  const streamed = (...chunks: string[]) => {
    const cancel = vi.fn();
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      pull(controller) {
        const chunk = chunks.shift();
        if (chunk === undefined) controller.close();
        else controller.enqueue(encoder.encode(chunk));
      },
      cancel,
    });
    return { response: new Response(body), cancel };
  };
  /** A response of React Native, which has no stream. */
  const whole = (text: string) => ({ text: async () => text }) as Response;

  it.each(["throw", "cut"] as const)("may have as many bytes as the limit (%s)", async (onTooLarge) => {
    expect(await readText(streamed("ab", "cö").response, 5, onTooLarge, signal)).toBe("abcö");
    expect(await readText(whole("abcd"), 4, onTooLarge, signal)).toBe("abcd");
  });

  it("is cancelled when it has more, and throws or keeps the chunks before", async () => {
    const [thrown, cut] = [streamed("ab", "cö", "x"), streamed("ab", "cö", "x")];
    const error = await readText(thrown.response, 4, "throw", signal).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BodyTooLarge);
    expect(error).toMatchObject({ message: "larger than 4 bytes" });
    expect(await readText(cut.response, 4, "cut", signal)).toBe("ab");
    expect([thrown.cancel.mock.calls.length, cut.cancel.mock.calls.length]).toEqual([1, 1]);
  });

  it("without a stream is measured once it has arrived", async () => {
    await expect(readText(whole("abcde"), 4, "throw", signal)).rejects.toThrow(new BodyTooLarge("larger than 4 bytes"));
    expect(await readText(whole("abcde"), 4, "cut", signal)).toBe("abcd");
  });

  it("may be missing", async () => {
    expect(await readText(new Response(null), 4, "throw", signal)).toBeNull();
    expect(await readText(whole(""), 4, "throw", signal)).toBeNull();
    expect(await readText(streamed().response, 4, "throw", signal)).toBe("");
  });

  it.each(["before", "while"])(
    "is cancelled if the attempt ends %s it is read, with the reason of that",
    async (when) => {
      const stop = new AbortController();
      const cancel = vi.fn();
      const reason = new Error("enough");
      if (when === "before") stop.abort(reason);
      const buffer = new BodyBuffer();
      const read = readText(new Response(new ReadableStream({ cancel })), 4, "throw", stop.signal, buffer);
      stop.abort(reason);
      if (when === "while") buffer.cancel();
      await expect(read).rejects.toBe(reason);
      expect(cancel).toHaveBeenCalledOnce();
    },
  );

  it("may end within a character, which shows unless the rest was cut off", async () => {
    const half = new TextEncoder().encode("aö").subarray(0, 2);
    const chunked = (...chunks: Uint8Array[]) =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk);
            controller.close();
          },
        }),
      );
    expect(await readText(chunked(half), 9, "cut", signal)).toBe("a\ufffd");
    expect(await readText(chunked(half, half), 3, "cut", signal)).toBe("a");
  });

  it("must consist of bytes", () => {
    expect(() => new BodyBuffer().add("text" as never)).toThrow(
      new TypeError("the body contains something other than bytes"),
    );
  });
});

describe("a replayed response", () => {
  const text = '{"name":"Zoë"}';
  const replayed = () => replay(new Response("other", { status: 201, headers: { "content-type": "a/b" } }), text);

  it("can be read in every way, and as often as needed", async () => {
    const response = replayed();
    for (let times = 0; times < 2; times += 1) {
      expect(await response.text()).toBe(text);
      expect(await response.json()).toEqual({ name: "Zoë" });
      expect(await (await response.blob()).text()).toBe(text);
      expect((await response.blob()).type).toBe("a/b");
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
      expect(await response.bytes()).toEqual(bytes);
      expect(await new Response(response.body).text()).toBe(text);
      expect(response.bodyUsed).toBe(false);
    }
    expect(textOf(response)).toBe(text);
    expect(response).toBeInstanceOf(Response);
  });

  it("that arrived in chunks is read in the same turn of the event loop: a test may hold the clock", async () => {
    const chunks = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 11));
        controller.enqueue(bytes.subarray(11));
        controller.close();
      },
    });
    const { response, text: read } = await readBody(new Response(chunks), AbortSignal.any([]), { buffers: [] }, String);
    let isNextTurn = false;
    setImmediate(() => {
      isNextTurn = true;
    });
    expect(new Uint8Array(await replay(response, read).arrayBuffer())).toEqual(bytes);
    expect(isNextTurn).toBe(false);
  });

  it("has a clone with its status, headers and body", async () => {
    const clone = replayed().clone();
    expect([clone.status, clone.headers.get("content-type"), await clone.text(), textOf(clone)]).toEqual([
      201,
      "a/b",
      text,
      text,
    ]);
  });

  it("may have no body", async () => {
    const response = replay(new Response("other"), null);
    expect([response.body, await response.text(), textOf(response)]).toEqual([null, "", null]);
    await expect(response.json()).rejects.toThrow(SyntaxError);
  });
});

describe("a test double", () => {
  const headers = new Headers();
  const text = async () => "";

  it.each([
    ["a response", new Response(""), true],
    ["one without a body", { ok: true, headers, body: null }, true],
    ["one with a stream", { ok: true, headers, body: { getReader() {} } }, true],
    ["one of React Native", { ok: true, headers, text }, true],
    ["one without ok", { headers, body: null }, false],
    ["one without headers", { ok: true, body: null }, false],
    ["one with plain headers", { ok: true, headers: {}, body: null }, false],
    ["one without a body or text", { ok: true, headers }, false],
    ["one whose body is no stream", { ok: true, headers, body: {} }, false],
  ])("is used as it is if it is complete: %s", (_, members, complete) => {
    const given = members instanceof Response ? members : { ...members, status: 200 };
    expect(toResponse(given as Response) === given).toBe(complete);
  });

  it.each<[string, object, string]>([
    ["text", { status: 200, text: async () => "hello" }, "hello"],
    ["JSON", { status: 200, json: async () => ({ a: 1 }) }, '{"a":1}'],
    ["both, of which text counts", { status: 200, text: async () => "hello", json: async () => 1 }, "hello"],
    ["nothing", { status: 200 }, ""],
    ["JSON of undefined", { status: 200, json: async () => undefined }, ""],
  ])("with %s becomes a response", async (_, given, read) => {
    expect(await toResponse(given as never).text()).toBe(read);
  });

  it("keeps its status and headers", () => {
    const response = toResponse({ status: 404, headers: { "x-a": "1" } } as never);
    expect([response.status, response.headers.get("x-a")]).toEqual([404, "1"]);
  });

  it.each([
    [204, 204],
    [205, 205],
    [304, 304],
    [199, 0],
    [0, 0],
    [600, 0],
  ])("with status %i has no body, and the status %i", (status, shown) => {
    const response = toResponse({ status, text } as never);
    expect([response.status, response.body]).toEqual([shown, null]);
  });

  it.each([200, 599])("with status %i has a body", (status) => {
    expect(toResponse({ status, text } as never).body).not.toBeNull();
  });

  it.each([undefined, null, "text", {}, { status: "200" }])("such as %j is no response", (given) => {
    expect(() => toResponse(given as never)).toThrow(new TypeError("fetch returned no Response"));
  });
});
