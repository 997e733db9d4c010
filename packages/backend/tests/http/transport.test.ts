import { describe, expect, it } from "vitest";
import { asFetched } from "../../src/http/transport.ts";

const reason = new Error("stopped");
const thrownBy = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a response as fetch gives it", () => {
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
});
