import { timeOf } from "../document/check-response.ts";
import { roles } from "../document/document.ts";
import { statusOf } from "../document/expected.ts";
import { memberOf } from "../document/json.ts";
import { describeValue } from "../suite/trace.ts";
import { callListCases } from "./call-list.ts";
import { credentialCases } from "./credentials.ts";
import {
  client,
  clockToleranceMs,
  describeReply,
  getOperation,
  type LiveCase,
  live,
  observeReply,
  type Session,
} from "./live-case.ts";

type Members = Readonly<Record<string, unknown>>;

const malformedId = "not-an-id";

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
    ["listRoles"],
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
  live("§4.6", "the account list has the credential's accounts", ["listAccounts"], async (session) => {
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
  live("§4.4", "a member's availability is the current status", ["member", "getMemberAvailability"], readsAvailability),
  live(
    "§4.4",
    "an unknown member is not found, and a malformed id gets another error",
    ["getMemberAvailability"],
    async (session) => {
      const { check } = session;
      const unknown = await getOperation(session, "getMemberAvailability", { path: { memberId: crypto.randomUUID() } });
      const notFound = statusOf("resource_not_found");
      if (unknown.status === statusOf("insufficient_permissions"))
        check.observe("A-15", "reading an availability with this credential", describeReply(unknown), false);
      else check.equal(unknown.status, notFound, "status for an unknown member");
      if (unknown.status === notFound)
        observeReply(session, "A-16", "an unknown member", unknown, "resource_not_found");
      const malformed = await getOperation(session, "getMemberAvailability", { path: { memberId: malformedId } });
      observeReply(session, "A-6", "an id that is not a UUID", malformed, "invalid_id_format");
    },
  ),
];

/** All cases that only read. */
export const readCases: readonly LiveCase[] = [...otherCases, ...callListCases, ...credentialCases];
