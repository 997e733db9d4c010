import type { CallTransfer } from "@call-transfer/sdk";
import { type Parameter, parametersOf, resolve, roles, type Schema } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { memberOf } from "../document/json.ts";
import { timeOf } from "../document/stated.ts";
import { describeValue } from "../suite/trace.ts";
import { credentialCases } from "./credentials.ts";
import {
  client,
  clockToleranceMs,
  describeReply,
  getOperation,
  type LiveCase,
  live,
  observeReply,
  type Reply,
  type Session,
  totalOf,
} from "./live-case.ts";

type Members = Readonly<Record<string, unknown>>;

const malformedId = "not-an-id";

const schemaOf = (name: string): Schema => {
  const parameter = parametersOf("listCalls").find((candidate: Parameter) => candidate.name === name);
  return parameter ? resolve<Schema>(parameter.schema) : {};
};
const limit = schemaOf("limit");
const { maximum: mostCalls = 0, minimum: leastCalls = 0 } = limit;
const usualCalls = Number(limit.default);

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
  live("§4.6", `${what} for the call list`, [], async (session) => {
    const reply = await getOperation(session, "listCalls", { query });
    observeReply(session, row, what, reply, invalidStatus);
    if (reply.status === invalidStatus)
      session.check.observe("A-20", `the field error for ${what}`, firstField(reply), firstField(reply) === names);
  }),
);

/** A page of the call list. Only `calls` is stated: `meta.total` is a name of ours. */
async function readPage(session: Session, query: Parameters<CallTransfer["calls"]["list"]>[0] = {}) {
  const page: unknown = await (await client(session)).calls.list(query);
  const calls = memberOf(page, "calls");
  return { calls: Array.isArray(calls) ? (calls as unknown[]) : [], total: totalOf(page) };
}

const listCases: readonly LiveCase[] = [
  live("§4.6", "a page of the call list has the requested size, and the total", [], async (session) => {
    const { check } = session;
    const usual = await readPage(session);
    const size = usual.calls.length;
    const isUsual = usual.total === undefined ? size <= usualCalls : size === Math.min(usualCalls, usual.total);
    check.observe("A-9", "calls on a page by default", String(size), isUsual);
    const one = await readPage(session, { limit: 1 });
    check.isTrue(one.calls.length <= 1, `limit 1 returns at most one call, got ${one.calls.length}`);
    const most = await getOperation(session, "listCalls", { query: { limit: String(mostCalls) } });
    observeReply(session, "A-9", `limit ${mostCalls}`, most, 200);
    const shown = new Set(["id", "direction", "duration"]);
    const further = new Set(
      usual.calls.flatMap((call) => Object.keys(Object(call))).filter((name) => !shown.has(name)),
    );
    check.observe("A-8", "additional fields of a listed call", [...further].toSorted().join(", ") || "none", true);
  }),
  live("§4.6", "offset skips calls, and a page beyond the end is empty", [], async (session) => {
    const { check } = session;
    const first = await readPage(session, { limit: 1 });
    const second = await readPage(session, { limit: 1, offset: 1 });
    const total = second.total ?? 0;
    // A call placed in between moves the pages.
    if (first.total === total && total > 1)
      check.isTrue(
        memberOf(first.calls[0], "id") !== memberOf(second.calls[0], "id"),
        "offset 1 starts at another call than offset 0",
      );
    const beyond = await readPage(session, { offset: total + 1000 });
    check.observe("A-9", "calls beyond the end", String(beyond.calls.length), beyond.calls.length === 0);
  }),
  live("§4.6", "the call list is sorted newest first", [], async (session) => {
    const { calls } = await readPage(session);
    const times = calls.map((call) => timeOf(memberOf(call, "createdAt")));
    if (times.length < 2 || times.includes(undefined)) return;
    const ordered = times.every((time, index) => index === 0 || Number(time) <= Number(times[index - 1]));
    session.check.observe("A-9", "the order by createdAt", ordered ? "newest first" : "another order", ordered);
  }),
  live("§4.6", "the call list is filtered by status and by start date", [], async (session) => {
    const { check } = session;
    const strange = await getOperation(session, "listCalls", { query: { status: "no-such-status" } });
    observeReply(session, "A-9", "an unknown status", strange, 200);
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    const { calls } = await readPage(session, { startDate: tomorrow });
    check.observe("A-9", "calls since tomorrow", String(calls.length), calls.length === 0);
    const offset = await getOperation(session, "listCalls", {
      query: { startDate: tomorrow.replace("Z", "+02:00") },
    });
    observeReply(session, "A-11", "a start date with a time zone offset", offset, 200);
  }),
  ...badQueryCases,
  live("§4.6", "an unknown query parameter is ignored", [], async (session) => {
    const reply = await getOperation(session, "listCalls", { query: { unknownToTheContract: "1" } });
    observeReply(session, "A-13", "an unknown query parameter", reply, 200);
  }),
];

/** The resource that a permission names (§2.5). */
const resourceOf = (permission: unknown): string => describeValue(permission).split(":")[0] ?? "";

/** Fails for a status that has ended by the clock of the response (§3). */
function expectInForce(session: Session, { status, until }: Members, date: string | null): void {
  const end = timeOf(until);
  const now = Date.parse(date ?? "") || Date.now();
  session.check.isTrue(
    status === "available" || end === undefined || end > now - clockToleranceMs,
    `§3 says that ${describeValue(status)} reads as available after ${describeValue(until)}; ` +
      `by the response's clock it is ${new Date(now).toISOString()}`,
  );
}

async function readsAvailability(session: Session): Promise<void> {
  const { check, options } = session;
  const memberId = options.memberId ?? "";
  const { data, response } = await (await client(session)).members.getAvailability(memberId).withResponse();
  const availability: Members = { ...data };
  check.equal(availability.memberId, memberId, "memberId");
  expectInForce(session, availability, response.headers.get("Date"));
  const { status, source, reason, until, updatedAt } = availability;
  if (status === "available") {
    const left = Object.entries({ source, reason, until, updatedAt })
      .filter(([, value]) => typeof value === "string")
      .map(([name]) => name);
    check.observe("A-24", "other fields of an available member", left.join(", ") || "nothing", left.length === 0);
  }
  if (source === "auto") check.observe("A-35", "the reason of an automatic status", describeValue(reason), true);
  check.observe("A-15", "reading the availability with this credential", "allowed", true);
}

const otherCases: readonly LiveCase[] = [
  live(
    "§4.5",
    "the role list has every built-in role once, with permissions of the documented form",
    [],
    async (session) => {
      const { check } = session;
      const listed = memberOf(await (await client(session)).roles.list(), "roles");
      const list = Array.isArray(listed) ? (listed as unknown[]) : [];
      const names = list.map((entry) => describeValue(memberOf(entry, "role")));
      check.equal(names.toSorted(), roles.toSorted(), "roles");
      const permissions = list.flatMap((entry) => memberOf(entry, "permissions"));
      const resources = new Set(permissions.map(resourceOf));
      const ours = ["transfers", "calls"].every((name) => resources.has(name));
      check.observe("A-14", "resources of the permissions", [...resources].toSorted().join(", "), ours);
    },
  ),
  live("§4.6", "the account list has the credential's accounts", [], async (session) => {
    const { check, options } = session;
    const { status, body } = await getOperation(session, "listAccounts");
    check.equal(status, 200, "status");
    const accounts = memberOf(body, "accounts");
    // Its shape is not shown, so nothing more can be said of another one.
    if (!Array.isArray(accounts)) return;
    check.observe("A-10", "accounts listed", String(accounts.length), accounts.length > 0);
    if (options.accountId === undefined) return;
    const isThere = accounts.some((account) => memberOf(account, "id") === options.accountId);
    check.observe("A-10", "the given account", isThere ? "listed" : "not listed", isThere);
  }),
  live("§4.4", "a member's availability is the current status", ["member"], readsAvailability),
  live("§4.4", "an unknown member is not found, and a malformed id gets another error", [], async (session) => {
    const { check } = session;
    const unknown = await getOperation(session, "getMemberAvailability", { path: { memberId: crypto.randomUUID() } });
    const notFound = statusOf("resource_not_found");
    if (unknown.status === statusOf("insufficient_permissions"))
      check.observe("A-15", "reading an availability with this credential", describeReply(unknown), false);
    else check.equal(unknown.status, notFound, "status for an unknown member");
    if (unknown.status === notFound) observeReply(session, "A-16", "an unknown member", unknown, "resource_not_found");
    const malformed = await getOperation(session, "getMemberAvailability", { path: { memberId: malformedId } });
    observeReply(session, "A-6", "an id that is not a UUID", malformed, "invalid_id_format");
  }),
];

/** All cases that only read. */
export const readCases: readonly LiveCase[] = [...otherCases, ...listCases, ...credentialCases];
