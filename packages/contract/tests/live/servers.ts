// Servers that differ from the reference in one answer: half of them lawful, half of them not.
import { demo } from "@call-transfer/backend";

/** The parts of an answer that an edit may replace. */
export interface Edit {
  readonly status?: number;
  /** Headers to set, or to remove with null. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Values by their JSON pointer in the body; undefined removes one. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The body as text, in place of JSON. */
  readonly text?: string;
  /** How many matching answers stay as they are before the first one that is edited; 0 by default. */
  readonly from?: number;
  /** How many answers are edited; all by default. */
  readonly times?: number;
}

/** A server whose list answers another query than the one that was sent. */
export interface QueryEdit {
  readonly query: (query: URLSearchParams) => void;
}

/** An answer of the reference. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The query of the request. */
  readonly query: URLSearchParams;
}

/** A server: what it does, the section, the result, the cases that see it, the edited answers, and the edit. */
export type Server = readonly [
  what: string,
  section: string,
  /** An assumption that differs, `same` where nothing differs, or `fails`. */
  result: `A-${number}` | "same" | "fails",
  /** A part of the cases' names. */
  cases: string,
  /** An operationId, an error code, both, `errors`, `successes` or `all`. */
  answers: string,
  edit: Edit | QueryEdit | ((answer: Answer, seen: number) => Edit),
];

const placed = "a call is placed";
const listed = "a page of the call list";
const offset = "offset skips";
const filtered = "is filtered by";
const roles = "the role list";
const accounts = "the account list";
const member = "a member's availability";
const rotated = "a rotation returns";
const grouped = "a group gets";
const refused = "groups beyond";
const removed = "hours are removed";
const unauthorized = "a request without a credential";
const badQuery = "a limit below the minimum";
const otherAccount = "a JWT is rejected for";

const group = {
  id: demo.groups.existing,
  name: "Any",
  strategy: "simultaneous",
  totalTimeoutSecs: 30,
  members: [{ destinationId: demo.destinations.phone }],
  createdAt: "2026-03-02T12:00:00Z",
  updatedAt: "2026-03-02T12:00:00Z",
};
const queued = (position: unknown): Edit => ({ status: 202, body: { "": { type: "queued", position } } });
const callsOf = ({ body }: Answer) => body.calls as readonly { id: string; status: string }[];
const numberOf = ({ query }: Answer, name: string, usual: number) => Number(query.get(name) ?? usual);
/** A list without the fields of a call that the specification does not show, so that only ids tell calls apart. */
const bare = (answer: Answer) => callsOf(answer).map(({ id }) => ({ id, direction: "outbound", duration: 1 }));
const totalIs = (total: number): Edit => ({ body: { "/meta/total": total } });
const ignores = (...names: readonly string[]): QueryEdit => ({
  query: (query) => {
    for (const name of names) query.delete(name);
  },
});

const problem = { title: "Validation", detail: "It is not accepted.", requestId: "r-1" };
const refusal: Edit = {
  status: 400,
  body: { "": { ...problem, code: "bad_request", status: 400 } },
  headers: { "X-Request-Id": "r-1" },
};
const everyCall = [3, 2, 1].map((last) => ({
  id: `ca000000-0000-4000-8000-00000000000${last}`,
  direction: "outbound",
  duration: 1,
}));
/** The page of a list that is longer than that of the reference by so many newer calls. */
const withNewer = (answer: Answer, newer: number): Edit => {
  const all = [
    ...Array.from({ length: newer }, (_, index) => ({ ...everyCall[0], id: `new-${newer - index}` })),
    ...everyCall,
  ];
  const from = numberOf(answer, "offset", 0);
  return { body: { "/calls": all.slice(from, from + numberOf(answer, "limit", 20)), "/meta/total": all.length } };
};
/** One call is placed after the first page was read. */
const placedMeanwhile = (answer: Answer, seen: number): Edit => withNewer(answer, seen > 1 ? 1 : 0);
const placedAllTheTime = (answer: Answer, seen: number): Edit => withNewer(answer, seen);
/** Calls before the start date in place of those after it. */
const endDate = ({ query }: Answer): Edit => {
  const from = query.get("startDate");
  if (from === null) return {};
  const isLate = Date.parse(from) > Date.parse("2026-03-02T12:00:00Z");
  return { body: { "/calls": isLate ? everyCall : [], "/meta/total": isLate ? 3 : 0 } };
};
const secretOf = ({ body }: Answer): string => String(body.signingSecret);
const fieldError = { field: "Authorization", code: "required", message: "The header is missing." };

/** What the specification allows. */
/** Two completed calls, whatever the status that is asked for. */
function allCompleted({ query }: Answer): Edit {
  const isLater = Date.parse(query.get("startDate") ?? "") > Date.now();
  const calls = ["1", "2"].map((id) => ({
    ...{ id, direction: "outbound", duration: 7, status: "completed", createdAt: "2026-03-02T12:00:00.000Z" },
  }));
  return { body: { "/calls": isLater ? [] : calls, "/meta/total": isLater ? 0 : calls.length } };
}

export const lawful: readonly Server[] = [
  ["nothing differs", "§1", "same", "", "all", {}],
  ["position starts at 0", "§4.6", "A-25", placed, "createCall", queued(0)],
  ["position is a text", "§4.6", "A-25", placed, "createCall", queued("first")],
  ["a placed call has more fields", "§4.6", "same", placed, "createCall", { body: { "/status": "ringing" } }],
  ["the total has another name", "§4.6", "A-9", listed, "listCalls", { body: { "/meta": { totalCount: 3 } } }],
  ["the total has company", "§4.6", "same", listed, "listCalls", { body: { "/meta/limit": 20 } }],
  [
    "the oldest call comes first",
    "§4.6",
    "A-9",
    "sorted newest first",
    "listCalls",
    (answer) => ({
      body: { "/calls": (answer.body.calls as unknown[]).toReversed() },
    }),
  ],
  [
    "the total has another name and company",
    "§4.6",
    "A-9",
    offset,
    "listCalls",
    (answer) => ({
      body: { "/meta": { size: 1, offset: numberOf(answer, "offset", 0), totalCount: 3 } },
    }),
  ],
  [
    "calls show only the specified fields",
    "§4.6",
    "same",
    filtered,
    "listCalls",
    (answer) => ({ body: { "/calls": bare(answer) } }),
  ],
  [
    "a meta without the name total says how long it took",
    "§4.6",
    "A-9",
    offset,
    "listCalls",
    (_answer, seen) => ({
      body: { "/meta": { count: 3, durationMs: seen } },
    }),
  ],
  ["an account has no calls", "§4.6", "same", offset, "listCalls", { body: { "/calls": [], "/meta/total": 0 } }],
  [
    "an account without calls is filtered",
    "§4.6",
    "same",
    filtered,
    "listCalls",
    { body: { "/calls": [], "/meta/total": 0 } },
  ],
  ["a call is placed between two pages", "§4.6", "same", offset, "listCalls", placedMeanwhile],
  ["calls are placed all the time", "§4.6", "same", offset, "listCalls", placedAllTheTime],
  ["pages hold one call at most", "§4.6", "same", offset, "listCalls", { query: (query) => query.set("limit", "1") }],
  [
    "an unknown status is refused",
    "§4.6",
    "A-9",
    filtered,
    "listCalls",
    ({ query }) => (query.get("status") === "no-such-status" ? refusal : {}),
  ],
  ["all calls are completed, and an unknown status is ignored", "§4.6", "A-9", filtered, "listCalls", allCompleted],
  [
    "an unknown status is ignored, and others select",
    "§4.6",
    "A-9",
    filtered,
    "listCalls",
    {
      query: (query) => {
        if (query.get("status") === "no-such-status") query.delete("status");
      },
    },
  ],
  [
    "the statuses of calls have other names than those of the filter",
    "§4.6",
    "same",
    filtered,
    "listCalls",
    (answer) => ({
      body: { "/calls": callsOf(answer).map((call) => ({ ...call, status: { name: call.status } })) },
    }),
  ],
  [
    "a start date selects whole days",
    "§4.6",
    "A-9",
    filtered,
    "listCalls",
    {
      query: (query) => {
        const from = query.get("startDate");
        if (from !== null) query.set("startDate", `${from.slice(0, 10)}T00:00:00Z`);
      },
    },
  ],
  ["a duration is null", "§4.6", "A-8", listed, "listCalls", { body: { "/calls/0/duration": null } }],
  ["a duration is a text", "§4.6", "A-8", listed, "listCalls", { body: { "/calls/0/duration": "0:42" } }],
  ["a direction is null", "§4.6", "A-8", listed, "listCalls", { body: { "/calls/0/direction": null } }],
  ["a direction is a new one", "§4.6", "same", listed, "listCalls", { body: { "/calls/0/direction": "sideways" } }],
  [
    "a call has a number of the test data",
    "§4.6",
    "same",
    listed,
    "listCalls",
    { body: { "/calls/0/to": "+15550100901" } },
  ],
  [
    "an invalid limit is ignored",
    "§4.6",
    "A-9",
    badQuery,
    "listCalls validation_failed",
    {
      status: 200,
      body: { "": { calls: [], meta: { total: 0 } } },
    },
  ],
  [
    "a field has another name",
    "§2.6",
    "A-20",
    badQuery,
    "validation_failed",
    { body: { "/errors/0/field": "query.limit" } },
  ],
  [
    "accounts are below data",
    "§4.6",
    "A-10",
    accounts,
    "listAccounts",
    { body: { "": { data: [{ accountId: "1" }] } } },
  ],
  ["accounts are a list", "§4.6", "A-10", accounts, "listAccounts", { body: { "": ["1"] } }],
  ["accounts are null", "§4.6", "A-10", accounts, "listAccounts", { body: { "": null } }],
  [
    "a permission has a hyphen",
    "§2.5",
    "A-14",
    roles,
    "listRoles",
    { body: { "/roles/0/permissions/0": "flow-versions:write" } },
  ],
  ["a role has no permission", "§2.5", "same", roles, "listRoles", { body: { "/roles/0/permissions": [] } }],
  ["a request id stands in no error", "§2.6", "A-52", unauthorized, "errors", { body: { "/requestId": undefined } }],
  ["a request id is null in errors", "§2.6", "A-52", unauthorized, "errors", { body: { "/requestId": null } }],
  ["only errors have X-Request-Id", "§2.6", "A-52", roles, "successes", { headers: { "X-Request-Id": null } }],
  [
    "nothing has a request id",
    "§2.6",
    "A-52",
    "each request has",
    "all",
    {
      headers: { "X-Request-Id": null },
      body: { "/requestId": undefined },
    },
  ],
  ["a title is another", "§2.6", "A-3", unauthorized, "token_missing", { body: { "/title": "Who are you?" } }],
  ["another code has errors", "§2.6", "A-4", unauthorized, "token_missing", { body: { "/errors": [fieldError] } }],
  ["a meta has other fields", "§2.6", "same", unauthorized, "token_missing", { body: { "/meta": { trace: "1" } } }],
  ["a meta is null", "§2.6", "same", unauthorized, "token_missing", { body: { "/meta": null } }],
  [
    "an error is a problem+json",
    "§1",
    "same",
    unauthorized,
    "errors",
    { headers: { "Content-Type": "application/problem+json" } },
  ],
  [
    "a content type has a charset",
    "§1",
    "same",
    roles,
    "all",
    { headers: { "Content-Type": "application/json; charset=utf-8" } },
  ],
  ["a 401 has no challenge", "§5.4", "A-50", unauthorized, "token_missing", { headers: { "WWW-Authenticate": null } }],
  [
    "another scheme is a missing token",
    "§5.4",
    "A-42",
    "a scheme other",
    "unauthorized",
    { body: { "/code": "token_missing" } },
  ],
  [
    "another account has another code",
    "§7.1",
    "A-16",
    otherAccount,
    "account_access_denied",
    { body: { "/code": "forbidden" } },
  ],
  [
    "a malformed id is unknown",
    "§7.1",
    "A-6",
    "an unknown member",
    "invalid_id_format",
    {
      status: 404,
      body: { "/code": "resource_not_found", "/status": 404 },
    },
  ],
  [
    "an unknown path needs a credential",
    "§4",
    "A-45",
    "credentials are checked",
    "not_found",
    {
      status: 401,
      body: { "/code": "token_missing", "/status": 401 },
    },
  ],
  [
    "a time has an offset",
    "§1",
    "A-11",
    member,
    "getMemberAvailability",
    { body: { "/updatedAt": "2026-03-02T14:00:00+02:00" } },
  ],
  [
    "a time has no offset",
    "§1",
    "A-11",
    member,
    "getMemberAvailability",
    { body: { "/updatedAt": "2026-03-02T12:00:00" } },
  ],
  [
    "a time is in the basic format",
    "§1",
    "A-11",
    member,
    "getMemberAvailability",
    { body: { "/updatedAt": "20260302T120000Z" } },
  ],
  [
    "optional fields of an availability are missing",
    "§2.4",
    "same",
    member,
    "getMemberAvailability",
    {
      body: { "/source": undefined, "/reason": undefined, "/until": undefined, "/updatedAt": undefined },
    },
  ],
  [
    "a member gives a reason",
    "§2.4",
    "same",
    member,
    "getMemberAvailability",
    { body: { "/source": "member", "/reason": "lunch" } },
  ],
  [
    "a hint has six characters",
    "§2.1",
    "A-12",
    rotated,
    "rotateDestinationSecret",
    (answer) => ({
      body: { "/signingSecretHint": secretOf(answer).slice(-6) },
    }),
  ],
  ["a hint is null", "§2.1", "A-12", rotated, "rotateDestinationSecret", { body: { "/signingSecretHint": null } }],
  [
    "a rotation leaves updatedAt",
    "§2.1",
    "same",
    rotated,
    "rotateDestinationSecret",
    { body: { "/updatedAt": "2026-01-05T09:00:00Z" } },
  ],
  ["a config is empty", "§2.1", "same", rotated, "rotateDestinationSecret", { body: { "/config": {} } }],
  [
    "a secret may be cached",
    "§6.3",
    "A-51",
    rotated,
    "rotateDestinationSecret",
    { headers: { "Cache-Control": null } },
  ],
  [
    "a ring time is filled in",
    "§2.3",
    "A-23",
    grouped,
    "createDestinationGroup",
    { body: { "/members/0/ringTimeoutSecs": 30 } },
  ],
  [
    "a taken name has another code",
    "§7.1",
    "A-16",
    grouped,
    "resource_already_exists",
    { body: { "/code": "conflict" } },
  ],
  [
    "hours that are not set are not found",
    "§4.3",
    "A-26",
    removed,
    "deleteMemberHours",
    {
      from: 1,
      status: 404,
      headers: { "Content-Type": "application/json" },
      text: JSON.stringify({ code: "resource_not_found", status: 404, title: "Not found", detail: "No hours." }),
    },
  ],
  [
    "a rate limit is reached once",
    "§8.1",
    "same",
    roles,
    "listRoles",
    {
      times: 1,
      status: 429,
      body: {
        "": {
          code: "rate_limit_exceeded",
          status: 429,
          title: "Rate limiting",
          detail: "Wait.",
          meta: { retryAfterSecs: 0 },
        },
        "/requestId": "r-1",
      },
      headers: { "X-Request-Id": "r-1" },
    },
  ],
];

/** What the specification forbids. */
export const unlawful: readonly Server[] = [
  [
    "a hint is not the end of the secret",
    "§2.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    (answer) => ({
      body: { "/signingSecretHint": secretOf(answer).slice(0, 4) },
    }),
  ],
  [
    "a hint is the whole secret",
    "§2.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    (answer) => ({
      body: { "/signingSecretHint": secretOf(answer) },
    }),
  ],
  ["a phone shows a secret", "§2.1", "fails", rotated, "rotateDestinationSecret", { body: { "/kind": "phone" } }],
  [
    "people have a secret that ends",
    "§2.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    { body: { "/kind": "available_humans" } },
  ],
  ["a kind is a new one", "§2.1", "fails", rotated, "rotateDestinationSecret", { body: { "/kind": "sip" } }],
  ["enabled is a text", "§2.1", "fails", rotated, "rotateDestinationSecret", { body: { "/enabled": "yes" } }],
  ["a config is null", "§2.1", "fails", rotated, "rotateDestinationSecret", { body: { "/config": null } }],
  [
    "a creation has no time",
    "§2.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    { body: { "/createdAt": "2026-02-30T12:00:00Z" } },
  ],
  [
    "a rotation shows no secret",
    "§4.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    { body: { "/signingSecret": null } },
  ],
  [
    "the overlap is 23 hours",
    "§4.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    { body: { "/previousSecretExpiresAt": "2026-03-03T11:00:00Z" } },
  ],
  [
    "the overlap has no end",
    "§4.1",
    "fails",
    rotated,
    "rotateDestinationSecret",
    { body: { "/previousSecretExpiresAt": null } },
  ],
  [
    "a list shows a secret",
    "§2.1",
    "fails",
    accounts,
    "listAccounts",
    { body: { "/accounts/0/signingSecret": "s-1" } },
  ],
  [
    "away lasts beyond its end",
    "§3",
    "fails",
    member,
    "getMemberAvailability",
    { body: { "/until": "2026-03-02T11:00:00Z" } },
  ],
  ["an end is a number", "§2.4", "fails", member, "getMemberAvailability", { body: { "/until": 1772452800 } }],
  ["a status is a new one", "§2.4", "fails", member, "getMemberAvailability", { body: { "/status": "sleeping" } }],
  [
    "a source is a new one",
    "§2.4",
    "fails",
    member,
    "getMemberAvailability",
    { body: { "/source": "system", "/reason": null } },
  ],
  ["a member sets missed calls", "§2.4", "fails", member, "getMemberAvailability", { body: { "/source": "member" } }],
  ["busy is missing", "§2.4", "fails", member, "getMemberAvailability", { body: { "/busy": undefined } }],
  ["another member is returned", "§4.4", "fails", member, "getMemberAvailability", { body: { "/memberId": "other" } }],
  [
    "an unknown member is a bad request",
    "§4.4",
    "fails",
    "an unknown member",
    "resource_not_found",
    {
      status: 400,
      body: { "/code": "bad_request", "/status": 400 },
    },
  ],
  [
    "a role is missing",
    "§4.5",
    "fails",
    roles,
    "listRoles",
    (answer) => ({
      body: { "/roles": (answer.body.roles as unknown[]).slice(1) },
    }),
  ],
  [
    "a role is there twice",
    "§4.5",
    "fails",
    roles,
    "listRoles",
    (answer) => ({
      body: { "/roles": [...(answer.body.roles as unknown[]), (answer.body.roles as unknown[])[0]] },
    }),
  ],
  [
    "a role is a new one",
    "§2.5",
    "fails",
    roles,
    "listRoles",
    { body: { "/roles/4": { role: "viewer", permissions: [] } } },
  ],
  ["roles have another name", "§4.5", "fails", roles, "listRoles", { body: { "": { data: [] } } }],
  [
    "a permission has no access",
    "§2.5",
    "fails",
    roles,
    "listRoles",
    { body: { "/roles/0/permissions/0": "everything" } },
  ],
  ["a permission deletes", "§2.5", "fails", roles, "listRoles", { body: { "/roles/0/permissions/0": "calls:delete" } }],
  ["permissions are null", "§2.5", "fails", roles, "listRoles", { body: { "/roles/0/permissions": null } }],
  ["roles have another status", "§4.5", "fails", roles, "listRoles", { status: 206 }],
  ["a body is no JSON", "§1", "fails", roles, "listRoles", { text: "{" }],
  [
    "a body is a page",
    "§1",
    "fails",
    roles,
    "listRoles",
    { headers: { "Content-Type": "text/html" }, text: "<p>Roles</p>" },
  ],
  ["a list has no meta", "§4.6", "fails", listed, "listCalls", { body: { "/meta": undefined } }],
  ["a meta has no total", "§4.6", "fails", listed, "listCalls", { body: { "/meta": {} } }],
  ["a total is a text", "§4.6", "fails", listed, "listCalls", { body: { "/meta": { total: "3" } } }],
  ["calls are an object", "§4.6", "fails", listed, "listCalls", { body: { "/calls": {} } }],
  ["a call has no id", "§4.6", "fails", listed, "listCalls", { body: { "/calls/0/id": undefined } }],
  ["an id is a number", "§4.6", "fails", listed, "listCalls", { body: { "/calls/0/id": 7 } }],
  ["a call has no duration", "§4.6", "fails", listed, "listCalls", { body: { "/calls/0/duration": undefined } }],
  [
    "a limit is ignored",
    "§4.6",
    "fails",
    listed,
    "listCalls",
    ({ body }) => ({
      body: { "/calls": [...(body.calls as unknown[]), ...(body.calls as unknown[])] },
    }),
  ],
  ["an offset is ignored", "§4.6", "fails", offset, "listCalls", { body: { "/calls/0/id": "same" } }],
  ["an offset is dropped", "§4.6", "fails", offset, "listCalls", ignores("offset")],
  [
    "an offset counts pages",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    {
      query: (query) =>
        query.set("offset", String(Number(query.get("offset") ?? 0) * Number(query.get("limit") ?? 20))),
    },
  ],
  [
    "an offset counts from 1",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    {
      query: (query) => query.set("offset", String(Math.max(0, Number(query.get("offset") ?? 0) - 1))),
    },
  ],
  [
    "a page beyond the end is the last one",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    {
      query: (query) => query.set("offset", String(Math.min(2, Number(query.get("offset") ?? 0)))),
    },
  ],
  [
    "a page beyond the end is not found",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    ({ query }) =>
      Number(query.get("offset")) > 3
        ? { status: 404, body: { "": { ...problem, code: "not_found", status: 404 } } }
        : {},
  ],
  ["a total counts the page", "§4.6", "fails", offset, "listCalls", (answer) => totalIs(callsOf(answer).length)],
  [
    "a total of another name counts the page",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    (answer) => ({
      body: { "/meta": { count: callsOf(answer).length, limit: numberOf(answer, "limit", 20) } },
    }),
  ],
  [
    "a total counts the calls so far",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    (answer) => totalIs(numberOf(answer, "offset", 0) + callsOf(answer).length),
  ],
  ["a total is too large", "§4.6", "fails", offset, "listCalls", totalIs(33)],
  ["a total is too small", "§4.6", "fails", offset, "listCalls", totalIs(2)],
  [
    "a total is 0 beyond the end",
    "§4.6",
    "fails",
    offset,
    "listCalls",
    (answer) => (callsOf(answer).length === 0 ? totalIs(0) : {}),
  ],
  ["a total of thousands is a guess", "§4.6", "fails", offset, "listCalls", totalIs(Number.MAX_SAFE_INTEGER)],
  ["a status is ignored", "§4.6", "fails", filtered, "listCalls", ignores("status")],
  ["a start date is ignored", "§4.6", "fails", filtered, "listCalls", ignores("startDate")],
  ["both filters are ignored", "§4.6", "fails", filtered, "listCalls", ignores("status", "startDate")],
  [
    "a status is ignored, and calls show none",
    "§4.6",
    "fails",
    filtered,
    "listCalls",
    (answer) =>
      answer.query.has("status")
        ? { body: { "/calls": everyCall, "/meta/total": 3 } }
        : { body: { "/calls": bare(answer) } },
  ],
  [
    "a status leaves out its own calls",
    "§4.6",
    "fails",
    filtered,
    "listCalls",
    ({ query }) =>
      query.get("status") === "completed"
        ? { body: { "/calls": [{ ...everyCall[1], status: "failed" }], "/meta/total": 1 } }
        : {},
  ],
  [
    "a status selects nothing",
    "§4.6",
    "fails",
    filtered,
    "listCalls",
    ({ query }) => (query.has("status") ? { body: { "/calls": [], "/meta/total": 0 } } : {}),
  ],
  [
    "a total counts calls that the status left out",
    "§4.6",
    "fails",
    filtered,
    "listCalls",
    ({ query }) => (query.has("status") ? totalIs(3) : {}),
  ],
  ["a total counts calls before the start date", "§4.6", "fails", filtered, "listCalls", totalIs(3)],
  [
    "a start date selects nothing",
    "§4.6",
    "fails",
    filtered,
    "listCalls",
    ({ query }) => (query.has("startDate") ? { body: { "/calls": [], "/meta/total": 0 } } : {}),
  ],
  ["a start date is an end date", "§4.6", "fails", filtered, "listCalls", (answer) => endDate(answer)],
  [
    "given times of a group are ignored",
    "§4.2",
    "fails",
    "a group keeps",
    "createDestinationGroup",
    {
      body: { "/totalTimeoutSecs": 30, "/members/0/ringTimeoutSecs": undefined },
    },
  ],
  [
    "a given total time of a group is ignored",
    "§4.2",
    "fails",
    "a group keeps",
    "createDestinationGroup",
    {
      body: { "/totalTimeoutSecs": 30 },
    },
  ],
  [
    "a given ring time of a member is ignored",
    "§4.2",
    "fails",
    "a group keeps",
    "createDestinationGroup",
    {
      body: { "/members/0/ringTimeoutSecs": undefined },
    },
  ],
  [
    "the members of a group come in another order",
    "§4.2",
    "fails",
    "a group keeps",
    "createDestinationGroup",
    ({ body }) => ({ body: { "/members": Array.isArray(body.members) ? body.members.toReversed() : [] } }),
  ],
  ["a placed call has the status 200", "§4.6", "fails", placed, "createCall", { status: 200 }],
  ["a placed call has no id", "§4.6", "fails", placed, "createCall", { body: { "/callId": undefined } }],
  ["a queued call has the status 201", "§4.6", "fails", placed, "createCall", { ...queued(1), status: 201 }],
  ["a queued call has no position", "§4.6", "fails", placed, "createCall", queued(undefined)],
  ["a placed call is waiting", "§4.6", "fails", placed, "createCall", { body: { "/type": "waiting" } }],
  ["a group has the status 200", "§4.2", "fails", grouped, "createDestinationGroup", { status: 200 }],
  [
    "a group rings for a minute by default",
    "§4.2",
    "fails",
    grouped,
    "createDestinationGroup",
    { body: { "/totalTimeoutSecs": 60 } },
  ],
  [
    "a group rings one by one by default",
    "§4.2",
    "fails",
    grouped,
    "createDestinationGroup",
    { body: { "/strategy": "sequential" } },
  ],
  [
    "a group rings for twenty minutes",
    "§2.2",
    "fails",
    grouped,
    "createDestinationGroup",
    { body: { "/totalTimeoutSecs": 1200 } },
  ],
  [
    "a member rings for ten minutes",
    "§2.3",
    "fails",
    grouped,
    "createDestinationGroup",
    { body: { "/members/0/ringTimeoutSecs": 600 } },
  ],
  ["a group is empty", "§2.2", "fails", grouped, "createDestinationGroup", { body: { "/members": [] } }],
  ["a group gets another name", "§4.2", "fails", grouped, "createDestinationGroup", { body: { "/name": "Another" } }],
  [
    "a taken name is a bad request",
    "§4.2",
    "fails",
    grouped,
    "resource_already_exists",
    {
      status: 400,
      body: { "/code": "bad_request", "/status": 400 },
    },
  ],
  [
    "an invalid group is created",
    "§4.2",
    "fails",
    refused,
    "createDestinationGroup validation_failed",
    { status: 201, body: { "": group } },
  ],
  ["hours are removed with a body", "§4.3", "fails", removed, "deleteMemberHours", { status: 200, text: "{}" }],
  [
    "a credential is not needed",
    "§5.4",
    "fails",
    unauthorized,
    "token_missing",
    { status: 200, body: { "": { roles: [] } } },
  ],
  [
    "an unknown key is a missing token",
    "§5.3",
    "fails",
    "an unknown API key",
    "api_key_invalid",
    { body: { "/code": "token_missing" } },
  ],
  [
    "a missing account header is a bad request",
    "§5.2",
    "fails",
    "a JWT without",
    "account_header_missing",
    { body: { "/code": "bad_request" } },
  ],
  [
    "another account is not found",
    "§4.5",
    "fails",
    otherAccount,
    "account_access_denied",
    {
      status: 404,
      body: { "/code": "not_found", "/status": 404 },
    },
  ],
  ["an invalid query has no errors", "§7.1", "fails", badQuery, "validation_failed", { body: { "/errors": [] } }],
  ["an invalid query has null errors", "§7.1", "fails", badQuery, "validation_failed", { body: { "/errors": null } }],
  [
    "a field code is a new one",
    "§2.6",
    "fails",
    badQuery,
    "validation_failed",
    { body: { "/errors/0/code": "too_odd" } },
  ],
  [
    "a field error has no message",
    "§2.6",
    "fails",
    badQuery,
    "validation_failed",
    { body: { "/errors/0/message": undefined } },
  ],
  ["a code is a new one", "§7.2", "fails", unauthorized, "token_missing", { body: { "/code": "who_are_you" } }],
  [
    "a code has another status",
    "§7.2",
    "fails",
    unauthorized,
    "token_missing",
    { status: 403, body: { "/status": 403 } },
  ],
  ["a body has another status", "§2.6", "fails", unauthorized, "token_missing", { body: { "/status": 400 } }],
  ["an error has no detail", "§2.6", "fails", unauthorized, "token_missing", { body: { "/detail": undefined } }],
  ["a meta is a text", "§2.6", "fails", unauthorized, "token_missing", { body: { "/meta": "none" } }],
  ["an error is a list", "§7.1", "fails", unauthorized, "token_missing", { body: { "": [] } }],
  [
    "an error has another request id",
    "§2.6",
    "fails",
    unauthorized,
    "token_missing",
    { body: { "/requestId": "other" } },
  ],
  [
    "only the body has a request id",
    "§2.6",
    "fails",
    unauthorized,
    "token_missing",
    { headers: { "X-Request-Id": null } },
  ],
  [
    "every request has the same id",
    "§2.6",
    "fails",
    "each request has",
    "successes",
    { headers: { "X-Request-Id": "same" } },
  ],
];
