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

describe("what fetch returns", () => {
  const [headers, text] = [new Headers(), async () => ""];
  it("is read if it has the members that are read, also without a stream, as in React Native", () => {
    for (const body of [{ text }, { body: null }, { body: { getReader() {} } }]) {
      const given = { ok: true, status: 200, headers, ...body } as unknown as Response;
      expect(toResponse(given)).toBe(given);
    }
  });

  it.each([
    ...[undefined, null, "text", {}, { status: 200, text }, { ok: true, status: 200, headers: {}, text }],
    ...[
      { ok: true, headers, text },
      { ok: true, status: 200, headers },
      { ok: true, status: 200, headers, body: {} },
    ],
  ])("is no response: %j", (given) => {
    expect(() => toResponse(given as never)).toThrow(new TypeError("fetch returned no Response"));
  });
});
