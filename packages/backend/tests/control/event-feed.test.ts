import { describe, expect, it } from "vitest";
import { type Backend, createBackend } from "../../src/backend.ts";
import { streamAfter } from "../../src/control/event-feed.ts";
import { send } from "../test-client.ts";

const newBackend = () => createBackend({ controlPlane: true });

async function open(backend: Backend, query = "") {
  return textsOf(await backend.fetch(`http://mock.test/_control/v1/events/stream${query}`));
}

function textsOf({ body }: Response) {
  if (body === null) throw new Error("no stream");
  return body.pipeThrough(new TextDecoderStream()).getReader();
}
type Reader = ReturnType<typeof textsOf>;

/** Reads on until the event of this number has come. Returns the numbers of all events read. */
async function readTo(reader: Reader, last: number): Promise<readonly number[]> {
  const numbers: number[] = [];
  while (numbers.at(-1) !== last) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the stream ended after ${numbers.at(-1)}`);
    numbers.push(...[...value.matchAll(/^id: \w+-(\d+)$/gm)].map(([, number]) => Number(number)));
  }
  return numbers;
}
const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe("the readers of the event stream", () => {
  it("each get all events in order, once", async () => {
    const backend = newBackend();
    const readers = await Promise.all(upTo(50).map(() => open(backend)));
    for (const _ of upTo(20)) await send(backend, "GET /roles");
    const read = await Promise.all(readers.map((reader) => readTo(reader, 20)));
    expect(read).toEqual(readers.map(() => upTo(20)));
  });

  it("get what happens within some milliseconds together", async () => {
    const backend = newBackend();
    const { body } = await backend.fetch("http://mock.test/_control/v1/events/stream");
    const reader = body?.getReader();
    await reader?.read();
    for (const _ of upTo(20)) backend.updatePolicies({});
    const { value } = (await reader?.read()) ?? {};
    expect(new TextDecoder().decode(value).match(/^id: /gm)).toHaveLength(20);
  });

  it("get every event once, whenever they come", async () => {
    const backend = newBackend();
    const early = await open(backend);
    const readers: Reader[] = [];
    for (const _ of upTo(30)) {
      readers.push(await open(backend));
      backend.updatePolicies({});
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await readTo(early, 30)).toEqual(upTo(30));
    const read = await Promise.all(readers.map((reader) => readTo(reader, 30)));
    expect(read).toEqual(readers.map((_, index) => upTo(30).slice(index)));
  });

  it("get what they have missed, in pages, and go on with what happens", async () => {
    const backend = newBackend();
    for (const _ of upTo(1900)) backend.updatePolicies({});
    const [stream] = backend.events.lastId.split("-");
    const reader = await open(backend, `?after=${stream}-100`);
    expect(await readTo(reader, 1900)).toEqual(upTo(1900).slice(100));
    backend.updatePolicies({});
    expect(await readTo(reader, 1901)).toEqual([1901]);
  });

  it("get the last events when the backend closes, and then the end", async () => {
    const backend = newBackend();
    const reader = await open(backend);
    backend.updatePolicies({});
    await readTo(reader, 1);
    backend.updatePolicies({});
    backend.close();
    expect(await readTo(reader, 2)).toEqual([2]);
    expect((await reader.read()).done).toBe(true);
  });
});

describe("a silent stream", () => {
  const textOf = (stream: ReadableStream<Uint8Array>) => textsOf(new Response(stream));

  it("sends a comment after each silence, also after an event, and none after its end", async () => {
    const backend = newBackend();
    const reader = textOf(streamAfter({ ...backend, flush: async () => {} }, backend.events.lastId, 5));
    const read = async () => (await reader.read()).value;
    expect([await read(), await read(), await read()]).toEqual([": connected\n\n", ": idle\n\n", ": idle\n\n"]);
    await send(backend, "GET /roles");
    expect(await readTo(reader, 1)).toEqual([1]);
    expect(await read()).toBe(": idle\n\n");
    backend.close();
    let last = await reader.read();
    while (!last.done) last = await reader.read();
    expect(last.done).toBe(true);
  });

  it("piles up no comments for a reader that does not read", async () => {
    const backend = newBackend();
    const stream = streamAfter({ ...backend, flush: async () => {} }, backend.events.lastId, 1);
    const other = textOf(streamAfter({ ...backend, flush: async () => {} }, backend.events.lastId, 2));
    for (const _ of upTo(10)) await other.read();
    const reader = textOf(stream);
    const first = await reader.read();
    await send(backend, "GET /roles");
    expect(first.value).toBe(": connected\n\n");
    expect(await readTo(reader, 1)).toEqual([1]);
    await Promise.all([reader.cancel(), other.cancel()]);
  });
});
