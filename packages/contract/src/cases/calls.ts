import type { CallTransfer } from "@call-transfer/sdk";
import type { ContractCase } from "../suite/case.ts";
import { connect } from "../suite/client.ts";
import { hourMs, iso, start } from "../world/names.ts";
import { pastCalls } from "../world/world.ts";
import { callableHourCases } from "./calls/callable-hours.ts";
import { dailyLimitCases } from "./calls/daily-limit.ts";
import { test } from "./calls/placing.ts";
import { placementCases } from "./calls/queue.ts";
import { refusalCases } from "./calls/refusals.ts";

type Query = Parameters<CallTransfer["calls"]["list"]>[0];
const failed = pastCalls.filter(({ status }) => status === "failed");
const completed = pastCalls.slice(0, 10).filter(({ status }) => status === "completed");
const startLocal = new Date(start - 4 * hourMs).toISOString().replace("Z", "+02:00");
const idsOf = (calls: readonly { id: string }[]) => calls.map(({ id }) => id);
const ids = idsOf(pastCalls);

/** Queries of the list, the calls that each selects, and their total: that of the page unless it is given. */
const pages: Readonly<Record<string, readonly [query: Query, calls: readonly { id: string }[], total?: number]>> = {
  "limit and offset select a page, and the total stays": [
    { limit: 7, offset: 20 },
    pastCalls.slice(20, 27),
    ids.length,
  ],
  "a page beyond the end is empty and still has the total": [{ offset: 1000 }, [], ids.length],
  "the status filter selects calls, and the total counts them": [{ status: "failed" }, failed],
  "a status that no call has gives an empty list": [{ status: "no-such-status" }, []],
  "a call placed at exactly the start date is listed": [{ startDate: iso(-6 * hourMs) }, pastCalls.slice(0, 6)],
  "a call placed a millisecond before the start date is left out": [
    { startDate: iso(-6 * hourMs + 1) },
    pastCalls.slice(0, 5),
  ],
  "a start date with a time zone offset is converted to UTC": [{ startDate: startLocal }, pastCalls.slice(0, 6)],
  "filters and paging work together": [
    { status: "completed", startDate: iso(-10 * hourMs), limit: 3, offset: 1 },
    completed.slice(1, 4),
    completed.length,
  ],
};

const pageCases = Object.entries(pages).map(([name, [query, calls, total = calls.length]]) =>
  test(name, async (target, check) => {
    const list = await (await connect(target)).calls.list(query);
    check.equal(idsOf(list.calls), idsOf(calls), "ids");
    check.equal(list.meta.total, total, "meta.total");
  }),
);

export const callCases: readonly ContractCase[] = [
  ...placementCases,
  ...dailyLimitCases,
  ...refusalCases,
  ...callableHourCases,
  test("the list contains the account's calls, newest first, and their total", async (target, check) => {
    const list = await (await connect(target)).calls.list({ limit: pastCalls.length });
    check.equal(idsOf(list.calls), ids, "ids");
    check.equal(list.meta.total, ids.length, "meta.total");
    check.equal(list.calls[1]?.duration, pastCalls[1]?.duration, "duration");
  }),
  ...pageCases,
  test("for await visits every call once", async (target, check) => {
    const seen: string[] = [];
    for await (const call of (await connect(target)).calls.list({ limit: 10 })) seen.push(call.id);
    check.equal(seen, ids, "ids");
  }),
  test("pages() yields pages of the limit's size", async (target, check) => {
    const sizes: number[] = [];
    for await (const page of (await connect(target)).calls.list({ limit: 10 }).pages()) sizes.push(page.calls.length);
    check.equal(sizes, [10, 10, 5], "sizes of the pages");
  }),
  test("toArray stops at maxItems", async (target, check) => {
    const calls = await (await connect(target)).calls.list({ limit: 10 }).toArray({ maxItems: 12 });
    check.equal(idsOf(calls), ids.slice(0, 12), "ids");
  }),
];
