import { describe, expect, it, vi } from "vitest";
import { clientOf, json, problem } from "./test-server.ts";

const call = (id: number) => ({ id: `call-${id}`, direction: "outbound", duration: 1 });
const page = (ids: number[], total: number) => json(200, { calls: ids.map(call), meta: { total } });
const ids = (calls: { id: string }[]) => calls.map(({ id }) => Number(id.slice(5)));

describe("a list of calls", () => {
  it("gives its first page when awaited", async () => {
    const { client, sent } = clientOf([page([1, 2], 5)]);
    expect((await client.calls.list({ limit: 2, status: "completed" })).meta.total).toBe(5);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?limit=2&status=completed"]);
  });

  it("takes null for no filters", async () => {
    const { client } = clientOf([page([1], 1)]);
    expect((await client.calls.list(null as never)).meta.total).toBe(1);
  });

  it("gives every item of every page, asking only as far as it is read", async () => {
    const { client, sent } = clientOf([page([1, 2], 5), page([3, 4], 5), page([5], 5)]);
    const seen: string[] = [];
    for await (const { id } of client.calls.list({ limit: 2 })) {
      seen.push(id);
      expect(sent).toHaveLength(Math.ceil(seen.length / 2));
    }
    expect(seen).toEqual(["call-1", "call-2", "call-3", "call-4", "call-5"]);
    expect(sent.map(({ url }) => new URL(url).searchParams.get("offset"))).toEqual([null, "2", "4"]);
  });

  it("counts on from the offset it was asked for", async () => {
    const { client, sent } = clientOf([page([4], 5), page([5], 5)]);
    expect(ids(await client.calls.list({ limit: 1, offset: 3 }).toArray({ maxItems: 10 }))).toEqual([4, 5]);
    expect(new URL(sent[1]?.url ?? "").search).toBe("?limit=1&offset=4");
  });

  it("goes page by page when asked to", async () => {
    const { client } = clientOf([page([1, 2], 3), page([3], 3)]);
    const pages: number[][] = [];
    for await (const { calls } of client.calls.list({ limit: 2 }).pages()) pages.push(ids(calls));
    expect(pages).toEqual([[1, 2], [3]]);
  });

  it("stops at maxItems without asking for more", async () => {
    const { client, sent } = clientOf([page([1, 2], 9), page([3, 4], 9)]);
    expect(ids(await client.calls.list({ limit: 2 }).toArray({ maxItems: 3 }))).toEqual([1, 2, 3]);
    expect(sent).toHaveLength(2);
    await expect(client.calls.list().toArray({ maxItems: -1 })).rejects.toThrow("maxItems");
  });

  it("collects a page of any length", async () => {
    const many = Array.from({ length: 400_000 }, () => ({ id: "c" }));
    const { client } = clientOf([json(200, { calls: many, meta: { total: many.length } })]);
    expect((await client.calls.list().toArray({ maxItems: many.length })).length).toBe(many.length);
  });

  it("ends where a list without a total gives the same page again, or no list at all", async () => {
    const same = () => json(200, { calls: [call(1)] });
    const repeating = clientOf([same(), same(), same()]);
    expect(ids(await repeating.client.calls.list().toArray({ maxItems: 9 }))).toEqual([1]);
    const odd = clientOf([json(200, { calls: {}, meta: { total: 3 } })]);
    expect(await odd.client.calls.list().toArray({ maxItems: 9 })).toEqual([]);
  });

  it("refuses a bad maxItems without leaving the request's own failure unhandled", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    const { client } = clientOf([problem(403, "forbidden")]);
    await expect(client.calls.list().toArray({ maxItems: -1 })).rejects.toThrow(TypeError);
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off("unhandledRejection", unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("ends at an empty page even if the total promises more", async () => {
    const { client, sent } = clientOf([page([1], 9), page([], 9)]);
    expect(ids(await client.calls.list().toArray({ maxItems: 9 }))).toEqual([1]);
    expect(sent).toHaveLength(2);
  });

  it("throws where a page fails, after the items before it", async () => {
    const { client } = clientOf([page([1], 2), problem(403, "forbidden")]);
    const seen: string[] = [];
    const read = async () => {
      for await (const { id } of client.calls.list()) seen.push(id);
    };
    await expect(read()).rejects.toMatchObject({ code: "forbidden" });
    expect(seen).toEqual(["call-1"]);
  });
});
