import { type Parameter, parametersOf, resolve, roles, type Schema } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { memberOf } from "../document/json.ts";
import { describeValue } from "../suite/trace.ts";
import { credentialCases } from "./credentials.ts";
import { client, describeReply, getOperation, type LiveCase, live, observeReply, type Reply } from "./live-case.ts";

const malformedId = "not-an-id";

const schemaOf = (name: string): Schema => {
  const parameter = parametersOf("listCalls").find((candidate: Parameter) => candidate.name === name);
  return parameter ? resolve<Schema>(parameter.schema) : {};
};
const limit = schemaOf("limit");
const { maximum: mostCalls = 0, minimum: leastCalls = 0, default: usualCalls } = limit;

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
  live(`${what} for the call list`, [], async (session) => {
    const reply = await getOperation(session, "listCalls", { query });
    observeReply(session, row, what, reply, invalidStatus);
    if (reply.status === invalidStatus)
      session.check.observe("A-20", `the field error for ${what}`, firstField(reply), firstField(reply) === names);
  }),
);

const listCases: readonly LiveCase[] = [
  live("a page of the call list has the requested size, and the total", [], async (session) => {
    const { check } = session;
    const calls = (await client(session)).calls;
    const usual = await calls.list();
    const expected = Math.min(Number(usualCalls), usual.meta.total);
    check.observe("A-9", "calls on a page by default", String(usual.calls.length), usual.calls.length === expected);
    const one = await calls.list({ limit: 1 });
    check.isTrue(one.calls.length <= 1, `limit 1 returns at most one call, got ${one.calls.length}`);
    const most = await getOperation(session, "listCalls", { query: { limit: String(mostCalls) } });
    observeReply(session, "A-9", `limit ${mostCalls}`, most, 200);
    const shown = new Set(["id", "direction", "duration"]);
    const further = new Set(usual.calls.flatMap((call) => Object.keys(call)).filter((name) => !shown.has(name)));
    check.observe("A-8", "additional fields of a listed call", [...further].toSorted().join(", ") || "none", true);
  }),
  live("offset skips calls, and a page beyond the end is empty", [], async (session) => {
    const { check } = session;
    const { calls } = await client(session);
    const first = await calls.list({ limit: 1 });
    const second = await calls.list({ limit: 1, offset: 1 });
    const isStill = first.meta.total === second.meta.total;
    // A call placed in between moves the pages.
    if (isStill && first.meta.total > 1)
      check.isTrue(first.calls[0]?.id !== second.calls[0]?.id, "offset 1 starts at another call than offset 0");
    const beyond = await calls.list({ offset: second.meta.total + 1000 });
    check.observe("A-9", "calls beyond the end", String(beyond.calls.length), beyond.calls.length === 0);
  }),
  live("the call list is sorted newest first", [], async (session) => {
    const { calls } = await (await client(session)).calls.list();
    const times = calls.map((call) => Date.parse(String(Reflect.get(call, "createdAt"))));
    if (times.length < 2 || times.some(Number.isNaN)) return;
    const ordered = times.every((time, index) => index === 0 || time <= Number(times[index - 1]));
    session.check.observe("A-9", "the order by createdAt", ordered ? "newest first" : "another order", ordered);
  }),
  live("the call list is filtered by status and by start date", [], async (session) => {
    const { check } = session;
    const strange = await getOperation(session, "listCalls", { query: { status: "no-such-status" } });
    observeReply(session, "A-9", "an unknown status", strange, 200);
    const tomorrow = new Date(Date.now() + 24 * 3_600_000).toISOString();
    const future = await (await client(session)).calls.list({ startDate: tomorrow });
    check.observe("A-9", "calls since tomorrow", String(future.meta.total), future.meta.total === 0);
    const offset = await getOperation(session, "listCalls", {
      query: { startDate: tomorrow.replace("Z", "+02:00") },
    });
    observeReply(session, "A-11", "a start date with a time zone offset", offset, 200);
  }),
  ...badQueryCases,
  live("an unknown query parameter is ignored", [], async (session) => {
    const reply = await getOperation(session, "listCalls", { query: { unknownToTheContract: "1" } });
    observeReply(session, "A-13", "an unknown query parameter", reply, 200);
  }),
];

const resourceForm = /^([^:]+):(?:read|write)$/;

const otherCases: readonly LiveCase[] = [
  live("the role list has every built-in role once, with permissions of the documented form", [], async (session) => {
    const { check } = session;
    const list = await (await client(session)).roles.list();
    check.equal(list.roles.map(({ role }) => role).toSorted(), roles.toSorted(), "roles");
    const permissions = list.roles.flatMap((role) => role.permissions);
    const strange = permissions.filter((permission) => !resourceForm.test(permission));
    check.equal(strange, [], "permissions of another form than <resource>:read or <resource>:write");
    const resources = new Set(permissions.map((permission) => resourceForm.exec(permission)?.[1] ?? ""));
    const ours = ["transfers", "calls"].every((name) => resources.has(name));
    check.observe("A-14", "resources of the permissions", [...resources].toSorted().join(", "), ours);
  }),
  live("the account list has the credential's accounts", [], async (session) => {
    const { check, options } = session;
    const { accounts } = await (await client(session)).accounts.list();
    check.observe("A-10", "accounts listed", String(accounts.length), accounts.length > 0);
    if (options.accountId === undefined) return;
    const isThere = accounts.some(({ id }) => id === options.accountId);
    check.observe("A-10", "the given account", isThere ? "listed" : "not listed", isThere);
  }),
  live("a member's availability is the current status", ["member"], async (session) => {
    const { check, options } = session;
    const memberId = options.memberId ?? "";
    const availability = await (await client(session)).members.getAvailability(memberId);
    check.equal(availability.memberId, memberId, "memberId");
    if (availability.status === "available") {
      const { source, reason, until, updatedAt } = availability;
      const left = Object.entries({ source, reason, until, updatedAt })
        .filter(([, value]) => typeof value === "string")
        .map(([name]) => name);
      check.observe("A-24", "other fields of an available member", left.join(", ") || "nothing", left.length === 0);
    }
    if (availability.source === "auto")
      check.observe("A-35", "the reason of an automatic status", String(availability.reason), true);
    check.observe("A-15", "reading the availability with this credential", "allowed", true);
  }),
  live("an unknown member is not found, and a malformed id gets another error", [], async (session) => {
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
