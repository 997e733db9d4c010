import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createWaitingFetch, NoAnswerError } from "../../src/cli/connection.ts";

const url = "http://127.0.0.1:4010";
const request = () => new Request(`${url}/_control/v1/clock`);

/** Settles only when its signal aborts, as a request to a server that never answers. */
const never = (signal: AbortSignal | null | undefined): Promise<Response> =>
  new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));

describe("a command's fetch", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("says after 2 seconds what it waits for, and ends after 10", async () => {
    const said: string[] = [];
    const fetch = createWaitingFetch({ url, say: (text) => said.push(text), fetch: (_, init) => never(init?.signal) });
    const answer = fetch(request());
    const failure = expect(answer).rejects.toThrow(NoAnswerError);
    await vi.advanceTimersByTimeAsync(1999);
    expect(said).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(said).toEqual([`Waiting for ${url}, which has not answered for 2 s.`]);
    await vi.advanceTimersByTimeAsync(8000);
    await failure;
    await expect(answer).rejects.toThrow(`No answer from ${url} within 10 s. Check --url, or restart the server.`);
  });

  it("waits as long as a request takes of a server that answers otherwise", async () => {
    let answer = (_: Response): void => {};
    const slow = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const fetch = createWaitingFetch({
      url,
      say: () => {},
      fetch: (input) => (typeof input === "string" ? Promise.resolve(new Response("ok")) : slow),
    });
    const pending = fetch(request());
    await vi.advanceTimersByTimeAsync(60_000);
    answer(new Response("late"));
    expect(await (await pending).text()).toBe("late");
  });

  it("says nothing of a server that answers at once, and leaves no timer", async () => {
    const said: string[] = [];
    const fetch = createWaitingFetch({ url, say: (text) => said.push(text), fetch: async () => new Response("ok") });
    expect((await fetch(request())).status).toBe(200);
    expect(vi.getTimerCount()).toBe(0);
    expect(said).toEqual([]);
  });

  it.each(["the server answers late", "the command is interrupted"])(
    "leaves no question for the server's health behind when %s",
    async (reason) => {
      let answer = (_: Response): void => {};
      let health: AbortSignal | null | undefined;
      const fetch = createWaitingFetch({
        url,
        say: () => {},
        fetch: (input, init) => {
          if (typeof input === "string") health = init?.signal;
          return Promise.race([never(init?.signal), new Promise<Response>((resolve) => (answer = resolve))]);
        },
      });
      const interrupted = new AbortController();
      const pending = fetch(new Request(request(), { signal: interrupted.signal })).catch(() => undefined);
      const answerRequest = answer;
      await vi.advanceTimersByTimeAsync(3000);
      expect(health?.aborted).toBe(false);
      if (reason === "the server answers late") answerRequest(new Response("late"));
      else interrupted.abort();
      const response = await pending;
      expect(health?.aborted).toBe(true);
      expect(await response?.text()).toBe(reason === "the server answers late" ? "late" : undefined);
    },
  );

  it("says it once for a command with several requests", async () => {
    const said: string[] = [];
    const fetch = createWaitingFetch({ url, say: (text) => said.push(text), fetch: (_, init) => never(init?.signal) });
    const failures = [expect(fetch(request())).rejects.toThrow(), expect(fetch(request())).rejects.toThrow()];
    await vi.advanceTimersByTimeAsync(10_000);
    await Promise.all(failures);
    expect(said).toHaveLength(1);
  });
});

describe("the body of an answer", () => {
  /** A server that sends the headers of an answer and the first half of its body. */
  async function beginning(path: string): Promise<string> {
    const server = createHttpServer((request, response) => {
      if (request.url !== path) return void response.end("ok");
      response.writeHead(200, { "content-type": "application/json" }).write("{");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("may not stop half-way, also of a server that answers otherwise", async () => {
    const address = await beginning("/_control/v1/clock");
    const fetch = createWaitingFetch({ url: address, say: () => {}, sayAfterMs: 10, endAfterMs: 50 });
    await expect(fetch(new Request(`${address}/_control/v1/clock`))).rejects.toThrow(NoAnswerError);
  });

  it("is reported as begun when it stops: after 2 seconds as awaited, and after 10 as an error", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const begun = (signal: AbortSignal | null | undefined): ReadableStream =>
      new ReadableStream({
        start(body) {
          body.enqueue(new TextEncoder().encode("{"));
          signal?.addEventListener("abort", () => body.error(signal.reason));
        },
      });
    const said: string[] = [];
    const fetch = createWaitingFetch({
      url,
      say: (text) => said.push(text),
      fetch: async (_, init) => new Response(begun(init?.signal)),
    });
    const failure = expect(fetch(request())).rejects.toThrow(
      `${url} stopped in the middle of its answer and has sent nothing for 10 s. Restart the server, or try again.`,
    );
    await vi.advanceTimersByTimeAsync(2000);
    expect(said).toEqual([`Waiting for the rest of the answer from ${url}, which has sent nothing for 2 s.`]);
    await vi.advanceTimersByTimeAsync(8000);
    await failure;
  });

  it("may take as long as it takes while bytes arrive", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const body = writable.getWriter();
    const slow = new Response(readable, { status: 201 });
    const fetch = createWaitingFetch({ url, say: () => {}, fetch: async () => slow });
    const answer = fetch(request());
    for (const letter of "slow") {
      await vi.advanceTimersByTimeAsync(9000);
      void body.write(new TextEncoder().encode(letter));
    }
    void body.close();
    const response = await answer;
    expect([response.status, await response.text()]).toEqual([201, "slow"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it("ends a request to a port that accepts connections and never answers", async () => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const silent = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fetch = createWaitingFetch({ url: silent, say: () => {}, sayAfterMs: 1, endAfterMs: 20 });
  await expect(fetch(new Request(`${silent}/_control/v1/clock`))).rejects.toThrow("within 20 ms");
});
