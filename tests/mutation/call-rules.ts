// Calls: their placement, their transfer and their list (§1, §4.6, §8).
import { inFile, type RuleMutant } from "./mutant.ts";

const indexes = inFile("model/indexes.ts", /^(destination-groups|calls):/);
const members = inFile("routes/members.ts", /^(members|permissions):/);
const placement = inFile("rules/calls.ts", /^calls:/);
const calls = inFile("routes/calls.ts", /^calls:/);
const progress = inFile("platform/calls.ts", /^calls:/);
const policies = inFile("model/policies.ts", /^calls:/);
const ringing = inFile("rules/transfers.ts", /^transfers:/);
const hours = inFile("rules/hours.ts", /^transfers:/);
const connections = inFile("platform/transfer-steps.ts", /^transfers:/);
const offers = inFile("platform/transfer-offers.ts", /^transfers:/);
const missing = inFile("model/policies.ts", /^transfers:/);

const unpublished = 'problem("flow_not_published")';

/** Which calls are placed, which wait, which are refused, and how they end (§4.6, §8.2). */
export const placements: readonly RuleMutant[] = [
  placement(
    "§7.2",
    "flows that are not published run",
    "flow?.accountId === account.id && flow.published",
    "flow?.accountId === account.id",
  ),
  placement(
    "§4.6",
    "flows of other accounts run",
    "flow?.accountId === account.id && flow.published",
    "flow?.published",
  ),
  placement(
    "§7.2",
    "an unknown flow runs",
    "flow?.accountId === account.id && flow.published",
    "flow === undefined || (flow.accountId === account.id && flow.published)",
  ),
  placement("§7.2", "an unpublished flow is a broken rule", unpublished, 'problem("business_rule_violation")'),
  placement(
    "§4.6",
    "numbers of other accounts are used",
    "number?.accountId === account.id && number.active",
    "number?.active",
  ),
  placement(
    "§7.2",
    "numbers that are not active are used",
    "number?.accountId === account.id && number.active",
    "number?.accountId === account.id",
  ),
  placement("§7.2", "numbers that are not verified are used", "?.verified ?", "?.accountId ?"),
  placement("§7.2", "numbers that only receive are used", "?.canInitiateCalls ?", "?.accountId ?"),
  placement("§4.6", "any provider may be named", "providerId !== undefined && providerId !== owner", "false"),
  placement(
    "§4.6",
    "no provider may be named",
    "providerId !== undefined && providerId !== owner",
    "providerId !== undefined",
  ),
  placement("§7.2", "a provider's rejection is ignored", "(provider.rejects || ", "("),
  placement("§7.2", "the do-not-call list is ignored", "contact?.doNotCall ?", "false ?"),
  placement("§7.2", "every contact is on the do-not-call list", "contact?.doNotCall ?", "contact ?"),
  placement("§8", "callable hours begin late", "hour >= limits.callableFromHour", "hour > limits.callableFromHour"),
  placement("§8", "callable hours end late", "hour < limits.callableUntilHour", "hour <= limits.callableUntilHour"),
  placement(
    "§8",
    "callable hours never begin",
    "hour >= limits.callableFromHour && hour < limits.callableUntilHour",
    "false",
  ),
  placement(
    "§8",
    "callable hours are those of the account",
    "contact?.timeZone ?? account.timeZone ?? recipientTimeZone",
    "account.timeZone ?? recipientTimeZone",
  ),
  placement(
    "A-37",
    "callable hours of an unknown recipient are not those of the account",
    "contact?.timeZone ?? account.timeZone ?? recipientTimeZone",
    "contact?.timeZone ?? recipientTimeZone",
  ),
  placement(
    "A-37",
    "callable hours bind where no time zone is known",
    "if (timeZone === unknownTimeZone) return undefined;",
    'if (timeZone === unknownTimeZone) return problem("outside_callable_hours");',
  ),
  placement(
    "A-37",
    "the policy of a time zone has no effect",
    "account.timeZone ?? recipientTimeZone",
    "account.timeZone ?? unknownTimeZone",
  ),
  policies(
    "A-37",
    "recipients of an unknown time zone are in UTC",
    "recipientTimeZone: unknownTimeZone",
    'recipientTimeZone: "UTC"',
  ),
  placement(
    "§7.2",
    "one call too many is placed in a day",
    "today >= policies.dailyCallLimit",
    "today > policies.dailyCallLimit",
  ),
  placement(
    "§7.2",
    "one call too few is placed in a day",
    "today >= policies.dailyCallLimit",
    "today + 1 >= policies.dailyCallLimit",
  ),
  placement("§7.2", "a full day is a full queue", 'problem("daily_call_limit_exceeded")', 'problem("queue_full")'),
  indexes("§8", "the day ends an hour late", "Math.floor(at / dayMs)", "Math.floor((at - 3_600_000) / dayMs)"),
  indexes("§8", "the day ends an hour early", "Math.floor(at / dayMs)", "Math.floor((at + 3_600_000) / dayMs)"),
  indexes("§8", "inbound calls count against the day's limit", 'if (direction !== "outbound") return;', ""),
  placement(
    "§8.2",
    "one call too many runs at once",
    "active.size < policies.concurrentCallLimit",
    "active.size <= policies.concurrentCallLimit",
  ),
  placement(
    "§8.2",
    "any number of calls runs at once",
    "active.size < policies.concurrentCallLimit && waiting.size === 0",
    "true",
  ),
  placement(
    "§8.2",
    "a full account refuses instead of queueing",
    "if (waiting.size < policies.callQueueLimit)",
    'if (active.size >= policies.concurrentCallLimit) return problem("concurrent_call_limit_exceeded");\n  if (waiting.size < policies.callQueueLimit)',
  ),
  placement(
    "§8.2",
    "one call too many waits",
    "waiting.size < policies.callQueueLimit",
    "waiting.size <= policies.callQueueLimit",
  ),
  placement(
    "§8.2",
    "one call too few waits",
    "waiting.size < policies.callQueueLimit",
    "waiting.size + 1 < policies.callQueueLimit",
  ),
  placement("A-25", "positions count from 0", "position: waiting.size + 1", "position: waiting.size"),
  placement("A-25", "everybody waits in the first position", "position: waiting.size + 1", "position: 1"),
  placement(
    "§7.2",
    "a full queue is a full account",
    'problem("queue_full"',
    'problem("concurrent_call_limit_exceeded"',
  ),
  placement(
    "A-40",
    "a full queue does not say how long to wait",
    '"queue_full", { meta',
    '"queue_full", false && { meta',
  ),
  policies("A-25", "calls last a second too long", "callDurationSecs: 60", "callDurationSecs: 61"),
  policies("A-25", "calls end a second early", "callDurationSecs: 60", "callDurationSecs: 59"),
  calls("§4.6", "a placed call is not accepted yet", "status: 201, body: { type", "status: 202, body: { type"),
  calls("§4.6", "a queued call is placed", "status: 202, body: placement", "status: 201, body: placement"),
  calls("§4.6", "the answer names another call", "callId: call.id", "callId: random.uuid()"),
  calls("§4.6", "calls are not kept", "state.calls.set(call.id, call);", ""),
  calls(
    "§4.6",
    "refused calls are kept",
    "if (isProblem(placement)) return placement;",
    'if (isProblem(placement)) {\n      const id = random.uuid();\n      state.calls.set(id, { id, accountId: account.id, direction: "outbound", status: "failed", duration: 0, createdAt: now, startedAt: undefined, request: body });\n      return placement;\n    }',
  ),
  calls("§4.6", "placed calls are inbound", 'direction: "outbound"', 'direction: "inbound"'),
  progress("A-25", "the queue does not move", "drainQueue(world, call.accountId, now);", ""),
  progress(
    "A-25",
    "the last one in the queue is the first",
    "of waiting.values())",
    "of [...waiting.values()].toReversed())",
  ),
  progress(
    "A-25",
    "the whole queue moves at once",
    "active.size >= world.policies.concurrentCallLimit",
    "active.size >= 1000",
  ),
  placement(
    "§4.6",
    "durations are in milliseconds",
    "(call.startedAt ?? call.createdAt)) / 1000)",
    "(call.startedAt ?? call.createdAt)) / 1)",
  ),
  placement(
    "§4.6",
    "durations count from the placement",
    "now - (call.startedAt ?? call.createdAt)",
    "now - call.createdAt",
  ),
  progress("§4.6", "a call that ended had no duration", "duration: elapsedSecs(call, now)", "duration: 0"),
];

/** Which calls a page of the list holds (§4.6). */
export const pages: readonly RuleMutant[] = [
  calls("§4.6", "the total is the page's", "meta: { total: calls.length }", "meta: { total: page.length }"),
  calls(
    "§4.6",
    "`offset` is ignored",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(0, query.limit)",
  ),
  calls(
    "§4.6",
    "`limit` is ignored",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset)",
  ),
  calls(
    "§4.6",
    "`limit` counts from the start of the list",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset, query.limit)",
  ),
  calls("§4.6", "pages overlap", "query.offset + query.limit)", "query.offset + query.limit + 1)"),
  calls(
    "§4.6",
    "`offset` counts pages",
    "calls.slice(query.offset, query.offset + query.limit)",
    "calls.slice(query.offset * query.limit, (query.offset + 1) * query.limit)",
  ),
  placement("§4.6", "calls of other accounts are listed", "call.accountId === accountId &&", ""),
  placement("A-9", "a call at the start date is left out", "call.createdAt >= from", "call.createdAt > from"),
  placement("§4.6", "`startDate` is ignored", "call.createdAt >= from", "true"),
  placement("§4.6", "`status` is ignored", "(filter.status === undefined || call.status === filter.status)", "true"),
  placement("A-9", "the oldest call comes first", "b.createdAt - a.createdAt", "a.createdAt - b.createdAt"),
  placement(
    "A-39",
    "queued calls are not listed",
    '(call.status !== "queued" || policies.queuedCallsListed)',
    'call.status !== "queued"',
  ),
];

/** Who rings, for how long, who wins, and what missed calls do (§1, §3). */
export const transferRules: readonly RuleMutant[] = [
  ringing("§2.4", "busy members ring", 'if (member.busy) return "the member is busy";', ""),
  ringing(
    "§2.4",
    "members who are away ring",
    'if (status !== "available") return `the',
    'if (status === "offline") return `the',
  ),
  ringing(
    "§2.4",
    "members who are offline ring",
    'if (status !== "available") return `the',
    'if (status === "away") return `the',
  ),
  ringing(
    "§3.1",
    "`until` is ignored while ringing",
    "const { status } = availabilityAt(member, now);",
    "const { status } = member.availability;",
  ),
  ringing(
    "§1",
    "members who are available do not ring",
    'if (status !== "available") return `the',
    "if (status) return `the",
  ),
  ringing("§3.3", "hours are ignored", "isWithinHours(member.hours, now, timeZone) ? undefined", "true ? undefined"),
  ringing(
    "A-43",
    "the account's time zone is ignored",
    'state.accounts.get(member.accountId)?.timeZone ?? "UTC"',
    '"UTC"',
  ),
  hours(
    "§3.3",
    "without hours nobody is within them",
    "if (hours === undefined) return true;",
    "if (hours === undefined) return false;",
  ),
  hours("A-43", "hours begin late", "from <= time", "from < time"),
  hours("A-43", "hours end late", "time < to", "time <= to"),
  hours("A-43", "hours are those of every day", "name === weekday &&", ""),
  hours("A-43", "the hours' own time zone is ignored", "hours.timeZone ?? accountTimeZone", "accountTimeZone"),
  hours("A-43", "only the first interval of a day counts", "intervals.some(", "intervals.slice(0, 1).some("),
  hours("A-43", "all intervals of a day must fit", "intervals.some(", "intervals.every("),
  inFile("model/time-zone.ts", /^transfers:/)(
    "A-43",
    "the day is always Monday",
    'weekday: /^[a-z]+/.exec(text)?.[0] ?? ""',
    'weekday: "monday"',
  ),
  members("§4.3", "hours are not removed", "member.hours = undefined;", ""),
  members("§4.3", "removing hours leaves none on any day", "member.hours = undefined;", "member.hours = {};"),
  ringing("§1", "members of other accounts ring", "accountId === target.accountId && ", ""),
  ringing("A-36", "disabled destinations ring", "!destination.enabled && !policies.disabledDestinationsRing", "false"),
  ringing(
    "A-23",
    "a member without a ring time rings for the shortest",
    "ringTimeoutSecs = target.totalTimeoutSecs }",
    "ringTimeoutSecs = 5 }",
  ),
  ringing(
    "A-23",
    "a member may ring longer than the group",
    "Math.min(ringTimeoutSecs, target.totalTimeoutSecs)",
    "ringTimeoutSecs",
  ),
  ringing(
    "§2.3",
    "ring times are ignored",
    "Math.min(ringTimeoutSecs, target.totalTimeoutSecs)",
    "target.totalTimeoutSecs",
  ),
  ringing(
    "§2.3",
    "rings end a second early",
    "Math.min(ringTimeoutSecs, target.totalTimeoutSecs)",
    "(Math.min(ringTimeoutSecs, target.totalTimeoutSecs) - 1)",
  ),
  ringing(
    "§2.3",
    "rings end a second late",
    "Math.min(ringTimeoutSecs, target.totalTimeoutSecs)",
    "(Math.min(ringTimeoutSecs, target.totalTimeoutSecs) + 1)",
  ),
  ringing("§1", "only the first of a group rings", "target.members.flatMap(", "target.members.slice(0, 1).flatMap("),
  ringing("A-44", "the last in ring order wins", "Math.min(...inTime)", "Math.max(...inTime)"),
  ringing(
    "A-44",
    "who has the call takes it from somebody else",
    '"offer_taken_self" : "offer_taken"',
    '"offer_taken" : "offer_taken"',
  ),
  ringing(
    "A-44",
    "whoever is late has the call already",
    '"offer_taken_self" : "offer_taken"',
    '"offer_taken_self" : "offer_taken_self"',
  ),
  ringing("A-44", "an expired offer is a taken one", ': "offer_expired";', ': "offer_taken";'),
  connections(
    "§1",
    "the others ring on",
    'if (other.outcome === "ringing") endRing(world, transfer, other, "taken", now);',
    "",
  ),
  connections("§2.4", "whoever is connected is not busy", "member.busy = true;", ""),
  connections("§2.4", "whoever was connected stays busy", "member.busy = false;", ""),
  connections(
    "A-44",
    "whoever is connected rings for others",
    'stopRinging(world, transfer, ringIndex, "busy", now)',
    "undefined",
  ),
  connections("A-35", "an answered call does not end a row of missed ones", "member.missedCalls = 0;", ""),
  connections("A-35", "missed calls are not counted", "countMissed(member, policies, now);", ""),
  offers("A-32", "an app cannot accept", "if (accepted) accept(ringIndex);", "if (!accepted) accept(ringIndex);"),
  offers("A-32", "an app's answer does not count", "clock.track(done.then(answered));", ""),
  missing("A-35", "two missed calls are enough", "missedCallLimit: 3", "missedCallLimit: 2"),
  missing("A-35", "three missed calls are not enough", "missedCallLimit: 3", "missedCallLimit: 4"),
  missing("A-35", "missed calls set away for too long", "missedCallsAwaySecs: 900", "missedCallsAwaySecs: 901"),
  missing("A-35", "missed calls set away for too short", "missedCallsAwaySecs: 900", "missedCallsAwaySecs: 899"),
  ringing("§3.2", "missed calls set offline", 'status: "away",', 'status: "offline",'),
  ringing("§3.2", "an admin sets away after missed calls", 'source: "auto"', 'source: "admin"'),
  ringing("§3.2", "missed calls are no reason", 'reason: "missed_calls",', "reason: null,"),
  ringing("§2.4", "missed calls set away at no time", "updatedAt: new Date(now).toISOString()", "updatedAt: null"),
];
