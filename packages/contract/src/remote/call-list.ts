import { timeOf } from "../document/check-response.ts";
import { type Parameter, parametersOf, resolve, type Schema } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { isObject, memberOf } from "../document/json.ts";
import { Violation } from "../suite/check.ts";
import { describeValue } from "../suite/trace.ts";
import {
  describeReply,
  getOperation,
  type LiveCase,
  live,
  observeReply,
  type Reply,
  type Session,
} from "./live-case.ts";

// The call list (§4.6): paging, the total and the filters. Only names and bounds are assumptions.

const dayMs = 24 * 3_600_000;
const longAgo = "2000-01-01T00:00:00Z";
const unknownStatus = "no-such-status";

const schemaOf = (name: string): Schema => {
  const parameter = parametersOf("listCalls").find((candidate: Parameter) => candidate.name === name);
  return parameter ? resolve<Schema>(parameter.schema) : {};
};
const limit = schemaOf("limit");
const { maximum: mostCalls = 0, minimum: leastCalls = 0 } = limit;
const usualCalls = Number(limit.default);
const { maximum: mostSkipped = 0 } = schemaOf("offset");

/** The first field error, e.g. `limit below_minimum`. */
function firstField({ body }: Reply): string {
  const errors = memberOf(body, "errors");
  const [first] = Array.isArray(errors) ? (errors as { field?: unknown; code?: unknown }[]) : [];
  return first ? `${describeValue(first.field)} ${describeValue(first.code)}` : "no field";
}

const invalidStatus = statusOf("validation_failed");

/** Invalid queries, the expected field error, and the assumption that defines the limit. */
const badQueries: Readonly<Record<string, readonly [query: Record<string, string>, names: string, row: string]>> = {
  "a limit below the minimum": [{ limit: String(leastCalls - 1) }, "limit below_minimum", "A-9"],
  "a limit above the maximum": [{ limit: String(mostCalls + 1) }, "limit above_maximum", "A-9"],
  "a negative offset": [{ offset: "-1" }, "offset below_minimum", "A-9"],
  "a limit that is not a number": [{ limit: "many" }, "limit invalid_format", "A-20"],
  "a malformed start date": [{ startDate: "yesterday" }, "startDate invalid_format", "A-20"],
};

const badQueryCases = Object.entries(badQueries).map(([what, [query, names, row]]) =>
  live("§4.6", `${what} for the call list`, ["listCalls"], async (session) => {
    const reply = await getOperation(session, "listCalls", { query });
    observeReply(session, row, what, reply, invalidStatus);
    if (reply.status === invalidStatus)
      session.check.observe("A-20", `the field error for ${what}`, firstField(reply), firstField(reply) === names);
  }),
);

type Query = Readonly<Record<string, string | number>>;

/** A page of the call list. */
interface Page {
  /** The query as text, for messages. */
  readonly query: string;
  readonly offset: number;
  readonly calls: readonly unknown[];
  readonly ids: readonly unknown[];
  /** The whole numbers of `meta`. One of them is the total, whose name is not shown. */
  readonly totals: ReadonlyMap<string, number>;
}

function pageOf(query: Query, { body }: Reply): Page {
  const calls = memberOf(body, "calls");
  const list = Array.isArray(calls) ? (calls as unknown[]) : [];
  const meta = memberOf(body, "meta");
  const numbers = Object.entries(isObject(meta) ? meta : {}).filter(([, value]) => Number.isInteger(value));
  return {
    query: new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString(),
    offset: Number(query.offset ?? 0),
    calls: list,
    ids: list.map((call) => memberOf(call, "id")),
    totals: new Map(numbers as [string, number][]),
  };
}

const ask = (session: Session, query: Query): Promise<Reply> =>
  getOperation(session, "listCalls", {
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  });

/** Reads a page with a query that the specification allows. */
async function readPage(session: Session, query: Query = {}): Promise<Page> {
  const reply = await ask(session, query);
  const page = pageOf(query, reply);
  session.check.equal(reply.status, 200, `status for the call list with ?${page.query}`);
  return page;
}

/** What is wrong with a page by its own total; undefined when nothing is. */
function pageProblem({ query, offset, ids, totals }: Page, name: string): string | undefined {
  const total = totals.get(name);
  const where = `?${query} returned ${ids.length} calls and the ${name} ${total}`;
  if (total === undefined) return undefined;
  if (ids.length > 0 && total < offset + ids.length)
    return `${where}: the total counts all calls of the list, so at least ${offset + ids.length}`;
  return ids.length === 0 && total > offset ? `${where}: a page before the end has calls` : undefined;
}

/** The names that the total may have: `total`, or else each whole number that all pages have. */
function totalNames(pages: readonly Page[]): string[] {
  const all = [...(pages[0]?.totals.keys() ?? [])].filter((name) => pages.every(({ totals }) => totals.has(name)));
  return all.includes("total") ? ["total"] : all;
}

/** The total's name, with what is wrong with it if nothing else fits either. */
function judgeTotal(pages: readonly Page[], further: (name: string) => string[] = () => []) {
  const found = totalNames(pages).map((name) => ({
    name,
    problems: [...pages.flatMap((page) => pageProblem(page, name) ?? []), ...further(name)],
  }));
  return found.find(({ problems }) => problems.length === 0) ?? found[0];
}

const isSame = (one: Page, other: Page): boolean =>
  JSON.stringify([one.ids, one.totals.get("total")]) === JSON.stringify([other.ids, other.totals.get("total")]);

/** What a round of reads found. Calls that are placed meanwhile move the pages: then `isStill` is false. */
interface Round {
  readonly problems: readonly string[];
  readonly isStill: boolean;
}

const attempts = 3;

/** Repeats a round until the list stands still. Fails if each round found something. */
async function judgeRounds(round: () => Promise<Round>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { problems, isStill } = await round();
    if (problems.length === 0 && (isStill || attempt === attempts)) return;
    if (attempt === attempts) throw new Violation(problems.join("; "));
    // Without a problem the next round decides; one of a server between two changes does not come again.
  }
}

async function pagingRound(session: Session): Promise<Round> {
  const first = await readPage(session, { limit: 2 });
  const second = await readPage(session, { limit: 2, offset: 1 });
  const name = judgeTotal([first, second])?.name ?? "";
  const total = second.totals.get(name) ?? 0;
  const pages = [first, second];
  // The last call, if the total is right, and the end.
  for (const offset of total > 0 ? [total - 1, total] : [])
    pages.push(await readPage(session, { limit: 1, offset: Math.min(offset, mostSkipped) }));
  const beyond = await readPage(session, { offset: Math.min(total + 1000, mostSkipped) });
  const again = await readPage(session, { limit: 2 });
  const isStill = isSame(first, again);
  const all = [...pages, beyond, again];
  const problems = [...(judgeTotal(all, (one) => (isStill ? changes(all, one) : []))?.problems ?? [])];
  if (beyond.ids.length > 0) problems.push(`a page beyond the end is empty, ?${beyond.query} returned calls`);
  const [skipped, start] = first.ids;
  const expected = first.ids.length > 1 ? second.ids[0] === start : second.ids[0] !== skipped;
  if (isStill && second.ids.length > 0 && !expected)
    problems.push("offset 1 starts at the second call of the list, it started at another one");
  return { problems, isStill };
}

/** The totals of pages that differ while no call was placed. */
function changes(pages: readonly Page[], name: string): string[] {
  const [first, ...others] = pages.map(({ query, totals }) => ({ query, total: totals.get(name) }));
  const other = others.find(({ total }) => total !== first?.total);
  if (!first || !other) return [];
  return [`the ${name} is the same on all pages, got ${first.total} and with ?${other.query} ${other.total}`];
}

const statusIn = (call: unknown): string | undefined => {
  const status = memberOf(call, "status");
  return typeof status === "string" ? status : undefined;
};

/** What is wrong with a page of one status, where the calls themselves show their status. */
function statusProblems(all: Page, page: Page, status: string, name: string, isStill: boolean): string[] {
  const others = new Set(page.calls.map(statusIn).filter((shown) => shown !== undefined && shown !== status));
  if (others.size > 0) return [`?${page.query} returned calls with the status ${[...others].join(", ")}`];
  const seen = all.calls.filter((call) => statusIn(call) === status).length;
  const isWhole = all.calls.length === all.totals.get(name) && all.calls.every((call) => statusIn(call) !== undefined);
  const total = page.totals.get(name) ?? seen;
  if (!isStill || (isWhole ? total === seen : total >= seen)) return [];
  return [`?${page.query} has the ${name} ${total}, but ${seen} of the listed calls have this status`];
}

async function filterRound(session: Session): Promise<Round> {
  const { check } = session;
  const all = await readPage(session, { limit: mostCalls });
  const shown = [...new Set(all.calls.flatMap((call) => statusIn(call) ?? []))].slice(0, 3);
  const byStatus: [status: string, page: Page][] = [];
  for (const status of new Set(["completed", ...shown])) {
    const query = { status, limit: mostCalls };
    const reply = await ask(session, query);
    if (reply.status === 200) byStatus.push([status, pageOf(query, reply)]);
    else check.observe("A-9", `the status ${status}`, describeReply(reply), false);
  }
  const unknown = await ask(session, { status: unknownStatus });
  const times = all.calls.flatMap((call) => timeOf(memberOf(call, "createdAt")) ?? []);
  const tomorrow = new Date(Math.max(Date.now(), ...times) + dayMs).toISOString();
  const later = await readPage(session, { startDate: tomorrow });
  const whole = await readPage(session, { startDate: longAgo, limit: mostCalls });
  const again = await readPage(session, { limit: mostCalls });
  const isStill = isSame(all, again);

  const strange = unknown.status === 200 ? [pageOf({ status: unknownStatus }, unknown)] : [];
  const pages = [all, ...byStatus.map(([, page]) => page), ...strange, later, whole, again];
  const judged = judgeTotal(pages);
  const name = judged?.name ?? "";
  const problems = [...(judged?.problems ?? [])];
  for (const [status, page] of byStatus)
    problems.push(...statusProblems(all, page, status, name, isStill && shown.includes(status)));
  if (later.ids.length > 0) problems.push(`?${later.query} returned calls, although none was placed after that time`);
  if (isStill && !isSame(all, whole))
    problems.push(`?${whole.query} leaves out calls that were placed after that time`);
  const isIgnored = strange.some(({ ids }) => ids.length > 0);
  const selects = byStatus.some(
    ([, page]) => page.totals.get(name) !== all.totals.get(name) || page.ids.length !== all.ids.length,
  );
  // A status that all calls have selects all of them.
  const canSelect = byStatus.some(([status]) => all.calls.some((call) => statusIn(call) !== status));
  if (isIgnored && canSelect && !selects)
    problems.push(`?status=${unknownStatus} returned calls, so the status is ignored`);
  else
    check.observe(
      "A-9",
      "an unknown status",
      isIgnored ? "ignored" : describeReply(unknown),
      unknown.status === 200 && !isIgnored,
    );
  return { problems, isStill };
}

async function observesStartDates(session: Session): Promise<void> {
  const { calls } = await readPage(session);
  const created = memberOf(calls[Math.floor(calls.length / 2)], "createdAt");
  const from = timeOf(created);
  if (from === undefined) return;
  const startDate = new Date(from).toISOString();
  const since = await readPage(session, { startDate });
  const before = since.calls.filter((call) => (timeOf(memberOf(call, "createdAt")) ?? from) < from).length;
  session.check.observe("A-9", "calls created before the start date", String(before), before === 0);
  const isListed = since.calls.some((call) => memberOf(call, "createdAt") === created);
  session.check.observe("A-9", "a call created at the start date", isListed ? "listed" : "not listed", isListed);
  const offset = await ask(session, { startDate: startDate.replace("Z", "+02:00") });
  observeReply(session, "A-11", "a start date with a time zone offset", offset, 200);
}

async function readsPage(session: Session): Promise<void> {
  const { check } = session;
  const usual = await readPage(session);
  const total = usual.totals.get("total");
  const size = usual.calls.length;
  const isUsual = total === undefined ? size <= usualCalls : size === Math.min(usualCalls, total);
  check.observe("A-9", "calls on a page by default", String(size), isUsual);
  const one = await readPage(session, { limit: 1 });
  check.isTrue(one.calls.length <= 1, `limit 1 returns at most one call, got ${one.calls.length}`);
  const most = await ask(session, { limit: mostCalls });
  observeReply(session, "A-9", `limit ${mostCalls}`, most, 200);
  const documented = new Set(["id", "direction", "duration"]);
  const further = new Set(
    usual.calls.flatMap((call) => Object.keys(Object(call))).filter((field) => !documented.has(field)),
  );
  check.observe("A-8", "additional fields of a listed call", [...further].toSorted().join(", ") || "none", true);
}

/** Cases for the call list. */
export const callListCases: readonly LiveCase[] = [
  live("§4.6", "a page of the call list has the requested size, and the total", ["listCalls"], readsPage),
  live(
    "§4.6",
    "offset skips calls, a page beyond the end is empty, and each page has the total",
    ["listCalls"],
    (session) => judgeRounds(() => pagingRound(session)),
  ),
  live("§4.6", "the call list is sorted newest first", ["listCalls"], async (session) => {
    const { calls } = await readPage(session);
    const times = calls.map((call) => timeOf(memberOf(call, "createdAt")));
    if (times.length < 2 || times.includes(undefined)) return;
    const ordered = times.every((time, index) => index === 0 || Number(time) <= Number(times[index - 1]));
    session.check.observe("A-9", "the order by createdAt", ordered ? "newest first" : "another order", ordered);
  }),
  live("§4.6", "the call list is filtered by status and by start date", ["listCalls"], async (session) => {
    await judgeRounds(() => filterRound(session));
    await observesStartDates(session);
  }),
  ...badQueryCases,
  live("§4.6", "an unknown query parameter is ignored", ["listCalls"], async (session) => {
    const reply = await ask(session, { unknownToTheContract: "1" });
    observeReply(session, "A-13", "an unknown query parameter", reply, 200);
  }),
];
