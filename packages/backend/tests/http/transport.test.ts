import { describe, expect, it } from "vitest";
import { asFetched, LazyResponse, untilAborted } from "../../src/http/transport.ts";

const reason = new Error("stopped");
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a response as fetch gives it", () => {
  it("has the status, headers and body of the plain one, and is made once", async () => {
    const lazy = new LazyResponse({ status: 201, headers: { "x-a": "1" }, text: "hello" });
    expect(lazy.response).toBe(lazy.response);
    expect([lazy.response.status, lazy.response.headers.get("x-a"), await lazy.response.text()]).toEqual([
      201,
      "1",
      "hello",
    ]);
    expect(new LazyResponse({ status: 204, headers: {}, text: undefined }).response.body).toBeNull();
  });

  it.each([
    ["reset", "read ECONNRESET", "ECONNRESET"],
    ["empty", "other side closed", "UND_ERR_SOCKET"],
  ] as const)("after the fault %s is the error of Node's fetch", async (kind, message, code) => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    const error = await thrownBy(asFetched({ response: new Response(body), transport: { kind } }, undefined));
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: "fetch failed", cause: { message, code } });
    expect(isCancelled).toBe(true);
  });

  it("after the fault hang never comes, and fails when the caller aborts", async () => {
    const stop = new AbortController();
    const hung = thrownBy(asFetched({ response: new Response(), transport: { kind: "hang" } }, stop.signal));
    stop.abort(reason);
    expect(await hung).toBe(reason);
    const aborted = asFetched({ response: new Response(), transport: { kind: "hang" } }, AbortSignal.abort(reason));
    expect(await thrownBy(aborted)).toBe(reason);
  });

  it.each([
    [0, ""],
    [3, "hel"],
    [9, "hello"],
  ])("after the fault truncate breaks off after %i bytes", async (bytes, text) => {
    const whole = new Response("hello", { status: 201, headers: { "x-a": "1" } });
    const response = await asFetched({ response: whole, transport: { kind: "truncate", bytes } }, undefined);
    expect([response.status, response.headers.get("x-a")]).toEqual([201, "1"]);
    const read: string[] = [];
    const error = await thrownBy(
      (async () => {
        for await (const chunk of response.body ?? []) read.push(new TextDecoder().decode(chunk));
      })(),
    );
    expect(read.join("")).toBe(text);
    expect(error).toMatchObject({ message: "terminated", cause: { message: "read ECONNRESET", code: "ECONNRESET" } });
  });

  it("stops streaming when the caller aborts, and keeps status and headers", async () => {
    const stop = new AbortController();
    const streamed = new Response(new ReadableStream({}), { status: 202, headers: { "x-a": "1" } });
    const response = await asFetched({ response: streamed }, stop.signal);
    expect([response.status, response.headers.get("x-a")]).toEqual([202, "1"]);
    const read = thrownBy(response.text());
    stop.abort(reason);
    expect(await read).toBe(reason);
  });

  it("is the response itself where nothing can be aborted", async () => {
    const { signal } = new AbortController();
    const streamed = new Response("a");
    const empty = new Response(null);
    const lazy = new LazyResponse({ status: 200, headers: {}, text: "a" });
    expect(await asFetched({ response: streamed }, undefined)).toBe(streamed);
    expect(await asFetched({ response: empty }, signal)).toBe(empty);
    expect(await asFetched(lazy, signal)).toBe(lazy.response);
  });
});

describe("waiting until aborted", () => {
  it("ends with the work", async () => {
    await expect(untilAborted(Promise.resolve(), new AbortController().signal)).resolves.toBeUndefined();
    await expect(untilAborted(Promise.resolve(), undefined)).resolves.toBeUndefined();
    expect(await thrownBy(untilAborted(Promise.reject(reason), undefined))).toBe(reason);
  });

  it("ends with the abort, before or during the work", async () => {
    const never = new Promise<void>(() => {});
    const stop = new AbortController();
    const waiting = thrownBy(untilAborted(never, stop.signal));
    stop.abort(reason);
    expect(await waiting).toBe(reason);
    expect(await thrownBy(untilAborted(never, AbortSignal.abort(reason)))).toBe(reason);
  });
});
