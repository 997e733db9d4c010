import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { PagePromise } from "../src/core/pagination.ts";
import { InvalidArgumentError } from "../src/errors/base.ts";
import { type Call, type CallList, InvalidResponseError } from "../src/index.ts";
import { networkError } from "./network-error.ts";
import { clientOf, json, problem } from "./test-server.ts";

fc.configureGlobal({ seed: 1 });

const call = (id: number) => ({ id: `call-${id}`, direction: "outbound", duration: 1 });
const page = (ids: number[], total: number) => json(200, { calls: ids.map(call), meta: { total } });
const ids = (calls: { id: string }[]) => calls.map(({ id }) => Number(id.slice(5)));

/** A client of a server that answers each page by its offset, limit and how many requests came before. */
function listing(answer: (offset: number, limit: number, before: number) => { calls: object[]; meta: object }) {
  const offsets: number[] = [];
  const fetch = async (url: string | URL | Request) => {
    const { searchParams } = new URL(String(url));
    const offset = Number(searchParams.get("offset") ?? 0);
    offsets.push(offset);
    return json(200, answer(offset, Number(searchParams.get("limit") ?? 20), offsets.length - 1));
  };
  return { calls: clientOf([], { fetch }).client.calls, offsets };
}

/** A list, newest first, to which something happens before each request. */
function changing(first: number[], changes: ((list: number[]) => number[])[]) {
  let list = first;
  const server = listing((offset, limit, before) => {
    list = changes[before]?.(list) ?? list;
    return { calls: list.slice(offset, offset + limit).map(call), meta: { total: list.length } };
  });
  return { ...server, now: () => list };
}

/** The numbers from one down to another. */
const down = (from: number, to = 1) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
const all = { maxItems: 100_000 };

describe("a list created by a customer's tests", () => {
  it("gives the items of its pages", async () => {
    const pageOf = (id: number): CallList => ({ calls: [call(id)], meta: { total: 2 } });
    const first = Promise.resolve({ data: pageOf(1), response: new Response(), requestId: undefined });
    const list = new PagePromise<CallList, Call>(first, {
      operationId: "listCalls",
      start: 0,
      itemsOf: ({ calls }) => calls,
      next: async (offset) => pageOf(offset + 1),
    });
    expect(ids(await list.toArray({ maxItems: 10 }))).toEqual([1, 2]);
  });
});

describe("a list of calls", () => {
  it("resolves to its first page", async () => {
    const { client, sent } = clientOf([page([1, 2], 5)]);
    expect((await client.calls.list({ limit: 2, status: "completed" })).meta.total).toBe(5);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?limit=2&status=completed"]);
  });

  it("yields every item, and requests pages only as needed", async () => {
    const { client, sent } = clientOf([page([1, 2], 5), page([3, 4], 5), page([5], 5)]);
    const seen: string[] = [];
    for await (const { id } of client.calls.list({ limit: 2 })) {
      seen.push(id);
      expect(sent).toHaveLength(Math.ceil(seen.length / 2));
    }
    expect(seen).toEqual(["call-1", "call-2", "call-3", "call-4", "call-5"]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get("offset"))).toEqual([null, "2", "4"]);
  });

  it("yields page by page with pages()", async () => {
    const { client } = clientOf([page([1, 2], 3), page([3], 3)]);
    const pages: number[][] = [];
    for await (const { calls } of client.calls.list({ limit: 2 }).pages()) pages.push(ids(calls));
    expect(pages).toEqual([[1, 2], [3]]);
  });

  it("stops at maxItems without another request", async () => {
    const { client, sent } = clientOf([page([1, 2], 9), page([3, 4], 9)]);
    expect(ids(await client.calls.list({ limit: 2 }).toArray({ maxItems: 3 }))).toEqual([1, 2, 3]);
    expect(sent).toHaveLength(2);
    await expect(client.calls.list().toArray({ maxItems: -1 })).rejects.toThrow("maxItems");
  });

  it("requests no page that the items asked for do not need, whatever the lengths", async () => {
    const lengths = fc.record({ total: fc.nat(12), limit: fc.integer({ min: 1, max: 6 }), wanted: fc.nat(14) });
    await fc.assert(
      fc.asyncProperty(lengths, async ({ total, limit, wanted }) => {
        const all = Array.from({ length: total }, (_, id) => call(id));
        const serve = () => listing((offset, count) => ({ calls: all.slice(offset, offset + count), meta: { total } }));
        // The first page is requested before anything is known.
        const needed = Math.max(1, Math.ceil(Math.min(total, wanted) / limit));
        const array = serve();
        expect(await array.calls.list({ limit }).toArray({ maxItems: wanted })).toHaveLength(Math.min(total, wanted));
        expect(array.offsets).toHaveLength(needed);
        const loop = serve();
        let taken = 0;
        for await (const _ of loop.calls.list({ limit })) {
          taken += 1;
          if (taken >= wanted) break;
        }
        expect(loop.offsets).toHaveLength(needed);
      }),
    );
  });

  it.each([
    ["-1", { maxItems: -1 }],
    ["text", { maxItems: "5" }],
    ["no maxItems", {}],
    ["null", null],
    ["no argument", undefined],
  ])("rejects %s in toArray without an unhandled rejection", async (_, limits) => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { client } = clientOf([problem(403, "forbidden")]);
    const refused = client.calls.list().toArray(limits as never);
    await expect(refused).rejects.toThrow("maxItems must be an integer from 0");
    await expect(refused).rejects.toBeInstanceOf(InvalidArgumentError);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("throws when a page fails, after the items before it", async () => {
    const { client } = clientOf([page([1], 2), problem(403, "forbidden")]);
    const seen: string[] = [];
    const read = async () => {
      for await (const { id } of client.calls.list()) seen.push(id);
    };
    await expect(read()).rejects.toMatchObject({ code: "forbidden" });
    expect(seen).toEqual(["call-1"]);
  });

  it.each([
    ["a refusal", () => problem(403, "forbidden")],
    ["a page that is not JSON", () => new Response("<html>")],
    ["a lost connection", () => networkError("ECONNRESET")],
  ])("names the offset of a later page that fails, by %s", async (_, failed) => {
    const { client } = clientOf([page([1, 2], 9), failed()], { maxRetries: 0 });
    const list = client.calls.list({ offset: 4 });
    const error = await list.toArray({ maxItems: 9 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringMatching(/ \(the page at offset=6\)$/) });
    expect((error as Error).stack).toContain("(the page at offset=6)");
  });
});

describe("a list that changes while it is read", () => {
  const add = (id: number) => (list: number[]) => [id, ...list];
  const same = (list: number[]) => list;

  it("yields pages as they arrive, with repeated items", async () => {
    const { calls } = changing(down(4), [same, add(5)]);
    const pages: number[][] = [];
    for await (const { calls: items } of calls.list({ limit: 2 }).pages()) pages.push(ids(items));
    expect(pages).toEqual([[4, 3], [3, 2], [1]]);
  });

  it("overlaps pages after the list shrinks, without more requests", async () => {
    const shrink = (list: number[]) => list.slice(1);
    const { calls, offsets } = changing(down(100), [same, ...Array.from({ length: 20 }, () => shrink)]);
    expect(ids(await calls.list({ limit: 20 }).toArray(all))).toEqual(down(100));
    expect(offsets.length).toBeLessThan(9);
  });

  it("yields items without an ID", async () => {
    const nameless = Array.from({ length: 20 }, () => ({ direction: "outbound", duration: 1 }));
    const { calls } = listing(() => ({ calls: nameless, meta: { total: 60 } }));
    expect(await calls.list().toArray(all)).toHaveLength(60);
  });

  const change = fc.record({
    add: fc.nat({ max: 3 }),
    remove: fc.array(fc.nat({ max: 30 }), { maxLength: 3 }),
  });
  const changes = fc.array(change, { maxLength: 12 });
  const limit = fc.integer({ min: 1, max: 7 });
  const apply = (steps: { add: number; remove: number[] }[]) => {
    let newest = 30;
    return steps.map((step) => (list: number[]) => {
      const left = list.filter((_, index) => !step.remove.includes(index));
      newest += step.add;
      return [...down(newest, newest - step.add + 1), ...left];
    });
  };

  it("never repeats an ID, nor misses a remaining item while new ones only come in front", async () => {
    await fc.assert(
      fc.asyncProperty(changes, limit, async (steps, size) => {
        const { calls, now, offsets } = changing(down(30), [same, ...apply(steps)]);
        const seen: number[] = [];
        let failed = false;
        try {
          for await (const { id } of calls.list({ limit: size })) seen.push(Number(id.slice(5)));
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidResponseError);
          failed = true;
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(offsets.length).toBeLessThan(200);
        // A page of what three new items can fill grows as fast as it is read.
        expect(failed && size > 3).toBe(false);
        if (!failed) expect(seen).toEqual(expect.arrayContaining(now().filter((id) => id <= 30)));
      }),
      { numRuns: 150 },
    );
  });

  it("never fails or misses an item when items are only removed, also before the start offset", async () => {
    await fc.assert(
      fc.asyncProperty(changes, limit, fc.nat({ max: 10 }), async (steps, size, offset) => {
        const removals = steps.map((step) => ({ ...step, add: 0 }));
        const { calls, now } = changing(down(30), [same, ...apply(removals)]);
        const seen = ids(await calls.list({ limit: size, offset }).toArray(all));
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(now().filter((id) => id <= 30 - offset)));
      }),
      { numRuns: 150 },
    );
  });
});

describe("a list that contradicts its total", () => {
  it("reads again after an empty page, and continues", async () => {
    const { client } = clientOf([page([1], 3), page([], 3), page([], 3), page([2], 3), page([], 3), page([3], 3)]);
    expect(ids(await client.calls.list().toArray(all))).toEqual([1, 2, 3]);
  });

  it("starts again when a page comes twice instead of the next one", async () => {
    const { calls, offsets } = listing((offset, limit, before) => ({
      calls: down(6)
        .slice(before === 1 ? 0 : offset)
        .slice(0, limit)
        .map(call),
      meta: { total: 6 },
    }));
    expect(ids(await calls.list({ limit: 2 }).toArray(all)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(offsets).toEqual([0, 2, 4, 0, 2, 4]);
  });

  it("fails at repeated empty pages, and says what was read and where to continue", async () => {
    const { calls, offsets } = listing((offset) => ({
      calls: offset < 100 ? down(100 - offset, 81 - offset).map(call) : [],
      meta: { total: 250 },
    }));
    const seen: string[] = [];
    const read = async () => {
      for await (const { id } of calls.list()) seen.push(id);
    };
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidResponseError);
    expect(error).toMatchObject({ operationId: "listCalls", outcome: "applied" });
    expect((error as Error).message).toBe(
      "listCalls could not be read to its end: pages bring nothing new at offset 100, after 100 items of 250. Read it again, or continue with offset: 100",
    );
    expect(seen).toHaveLength(100);
    expect(offsets.slice(5)).toEqual([100, 100, 100, 100]);
  });

  it.each([
    ["no list at all", { calls: {}, meta: { total: 3 } }],
    ["an empty first page", { calls: [], meta: { total: 3 } }],
    ["the same page for every offset", { calls: down(3).map(call), meta: { total: 9 } }],
  ])("fails at %s", async (_, body) => {
    const { calls, offsets } = listing(() => body as never);
    await expect(calls.list().toArray(all)).rejects.toThrow(InvalidResponseError);
    expect(offsets.length).toBeLessThan(7);
  });

  it("ends when the start offset is beyond the end", async () => {
    const { client, sent } = clientOf([page([], 5)]);
    expect(await client.calls.list({ offset: 50 }).toArray(all)).toEqual([]);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ["pages in turns", (_: number, before: number) => (before % 2 ? down(20) : down(40, 21))],
    [
      "the first page after the last, as where an offset has a maximum",
      (offset: number) => down(99 - (offset % 40), 80 - (offset % 40)),
    ],
  ])("fails at %s", async (_, items) => {
    const { calls } = listing((offset, _limit, before) => ({
      calls: items(offset, before).map(call),
      meta: { total: 10_000 },
    }));
    await expect(calls.list().toArray(all)).rejects.toThrow(InvalidResponseError);
  });

  it("fails at a list that grows as fast as it is read, whether with new items or with the same", async () => {
    for (const items of [(offset: number) => down(offset + 100, offset + 1), () => down(100)]) {
      const { calls } = listing((offset) => ({ calls: items(offset).map(call), meta: { total: offset + 200 } }));
      const list = calls.list({ limit: 100 });
      await expect(list.toArray({ maxItems: 1e9 })).rejects.toThrow("it keeps growing");
    }
  });

  it.each([
    ["no number", "250"],
    ["negative", -1],
    ["none", undefined],
    ["a fraction", 0.5],
    ["no integer", 1e300],
    ["too small", 1],
  ])("uses the last valid total: %s", async (_, total) => {
    const { calls } = listing((offset, limit) => ({
      calls: down(50)
        .slice(offset, offset + limit)
        .map(call),
      meta: { total: offset === 0 ? 50 : total },
    }));
    expect(ids(await calls.list().toArray(all))).toEqual(down(50));
  });

  it("fails at a list without a total and without an end", async () => {
    const { calls } = listing((offset) => ({
      calls: down(offset + 10_000, offset + 1).map(call),
      meta: { total: "∞" },
    }));
    await expect(calls.list().toArray({ maxItems: 1e9 })).rejects.toThrow("it keeps growing");
  });

  it("always ends and never repeats an ID, whatever the server returns", async () => {
    const total = fc.oneof(fc.nat({ max: 60 }), fc.constantFrom(-1, 0.5, "9", null, undefined));
    const answer = fc.record({ calls: fc.array(fc.nat({ max: 40 }).map(call), { maxLength: 6 }), total });
    await fc.assert(
      fc.asyncProperty(
        fc.array(answer, { minLength: 1, maxLength: 8 }),
        fc.nat({ max: 9 }),
        async (answers, offset) => {
          const { calls, offsets } = listing((_offset, _limit, before) => {
            const { calls, total } = answers[before % answers.length] as (typeof answers)[number];
            return { calls, meta: { total } };
          });
          const seen: number[] = [];
          try {
            for await (const { id } of calls.list({ offset })) seen.push(Number(id.slice(5)));
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidResponseError);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(offsets.length).toBeLessThan(5_000);
          expect(offsets.every((one) => Number.isSafeInteger(one) && one >= 0)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });
});
