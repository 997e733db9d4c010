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

/** Two completed calls, whatever the status that is asked for. */
function allCompleted({ query }: Answer): Edit {
  const isLater = Date.parse(query.get("startDate") ?? "") > Date.now();
  const calls = ["1", "2"].map((id) => ({
    ...{ id, direction: "outbound", duration: 7, status: "completed", createdAt: "2026-03-02T12:00:00.000Z" },
  }));
  return { body: { "/calls": isLater ? [] : calls, "/meta/total": isLater ? 0 : calls.length } };
}

/** Servers whose edits the same cases see at the same answers. */
const like = (
  cases: string,
  answers: string,
  rows: readonly (readonly [what: string, section: string, result: Server[2], edit: Server[5]])[],
) => rows.map(([what, section, result, edit]): Server => [what, section, result, cases, answers, edit]);
const unlike = (
  cases: string,
  answers: string,
  rows: readonly (readonly [what: string, section: string, edit: Server[5]])[],
) =>
  like(
    cases,
    answers,
    rows.map(([what, section, edit]) => [what, section, "fails", edit]),
  );
const becomes = (status: number, code: string): Edit => ({ status, body: { "/code": code, "/status": status } });

/** What the specification allows. */
export const lawful: readonly Server[] = [
  ...like("", "all", [["nothing differs", "§1", "same", {}]]),
  ...like(placed, "createCall", [
    ["position starts at 0", "§4.6", "A-25", queued(0)],
    ["a placed call has more fields", "§4.6", "same", { body: { "/status": "ringing" } }],
  ]),
  ...like(listed, "listCalls", [
    ["the total has another name", "§4.6", "A-9", { body: { "/meta": { totalCount: 3 } } }],
    ["the total has company", "§4.6", "same", { body: { "/meta/limit": 20 } }],
    ["a duration is null", "§4.6", "A-8", { body: { "/calls/0/duration": null } }],
    ["a direction is a new one", "§4.6", "same", { body: { "/calls/0/direction": "sideways" } }],
    ["a call has a number of the test data", "§4.6", "same", { body: { "/calls/0/to": "+15550100901" } }],
  ]),
  ...like("sorted newest first", "listCalls", [
    [
      "the oldest call comes first",
      "§4.6",
      "A-9",
      (answer) => ({
        body: { "/calls": (answer.body.calls as unknown[]).toReversed() },
      }),
    ],
  ]),
  ...like(offset, "listCalls", [
    [
      "the total has another name and company",
      "§4.6",
      "A-9",
      (answer) => ({
        body: { "/meta": { size: 1, offset: numberOf(answer, "offset", 0), totalCount: 3 } },
      }),
    ],
    [
      "a meta without the name total says how long it took",
      "§4.6",
      "A-9",
      (_answer, seen) => ({
        body: { "/meta": { count: 3, durationMs: seen } },
      }),
    ],
    ["an account has no calls", "§4.6", "same", { body: { "/calls": [], "/meta/total": 0 } }],
    ["a call is placed between two pages", "§4.6", "same", placedMeanwhile],
    ["calls are placed all the time", "§4.6", "same", placedAllTheTime],
    ["pages hold one call at most", "§4.6", "same", { query: (query) => query.set("limit", "1") }],
  ]),
  ...like(filtered, "listCalls", [
    ["calls show only the specified fields", "§4.6", "same", (answer) => ({ body: { "/calls": bare(answer) } })],
    [
      "an unknown status is refused",
      "§4.6",
      "A-9",
      ({ query }) => (query.get("status") === "no-such-status" ? refusal : {}),
    ],
    ["all calls are completed, and an unknown status is ignored", "§4.6", "A-9", allCompleted],
    [
      "an unknown status is ignored, and others select",
      "§4.6",
      "A-9",
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
      (answer) => ({
        body: { "/calls": callsOf(answer).map((call) => ({ ...call, status: { name: call.status } })) },
      }),
    ],
    [
      "a start date selects whole days",
      "§4.6",
      "A-9",
      {
        query: (query) => {
          const from = query.get("startDate");
          if (from !== null) query.set("startDate", `${from.slice(0, 10)}T00:00:00Z`);
        },
      },
    ],
  ]),
  ...like(badQuery, "listCalls validation_failed", [
    [
      "an invalid limit is ignored",
      "§4.6",
      "A-9",
      {
        status: 200,
        body: { "": { calls: [], meta: { total: 0 } } },
      },
    ],
  ]),
  ...like(badQuery, "validation_failed", [
    ["a field has another name", "§2.6", "A-20", { body: { "/errors/0/field": "query.limit" } }],
  ]),
  ...like(accounts, "listAccounts", [
    ["accounts are below data", "§4.6", "A-10", { body: { "": { data: [{ accountId: "1" }] } } }],
    ["accounts are null", "§4.6", "A-10", { body: { "": null } }],
  ]),
  ...like(roles, "listRoles", [
    ["a permission has a hyphen", "§2.5", "A-14", { body: { "/roles/0/permissions/0": "flow-versions:write" } }],
    ["a role has no permission", "§2.5", "same", { body: { "/roles/0/permissions": [] } }],
    [
      "a rate limit is reached once",
      "§8.1",
      "same",
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
  ]),
  ...like(unauthorized, "errors", [
    ["a request id stands in no error", "§2.6", "A-52", { body: { "/requestId": undefined } }],
    ["a request id is null in errors", "§2.6", "A-52", { body: { "/requestId": null } }],
    ["an error is a problem+json", "§1", "same", { headers: { "Content-Type": "application/problem+json" } }],
  ]),
  ...like(roles, "successes", [
    ["only errors have X-Request-Id", "§2.6", "A-52", { headers: { "X-Request-Id": null } }],
  ]),
  ...like("each request has", "all", [
    [
      "nothing has a request id",
      "§2.6",
      "A-52",
      {
        headers: { "X-Request-Id": null },
        body: { "/requestId": undefined },
      },
    ],
  ]),
  ...like(unauthorized, "token_missing", [
    ["a title is another", "§2.6", "A-3", { body: { "/title": "Who are you?" } }],
    ["another code has errors", "§2.6", "A-4", { body: { "/errors": [fieldError] } }],
    ["a meta has other fields", "§2.6", "same", { body: { "/meta": { trace: "1" } } }],
    ["a meta is null", "§2.6", "same", { body: { "/meta": null } }],
    ["a 401 has no challenge", "§5.4", "A-50", { headers: { "WWW-Authenticate": null } }],
  ]),
  ...like(roles, "all", [
    ["a content type has a charset", "§1", "same", { headers: { "Content-Type": "application/json; charset=utf-8" } }],
  ]),
  ...like("a scheme other", "unauthorized", [
    ["another scheme is a missing token", "§5.4", "A-42", { body: { "/code": "token_missing" } }],
  ]),
  ...like(otherAccount, "account_access_denied", [
    ["another account has another code", "§7.1", "A-16", { body: { "/code": "forbidden" } }],
  ]),
  ...like("an unknown member", "invalid_id_format", [
    ["a malformed id is unknown", "§7.1", "A-6", becomes(404, "resource_not_found")],
  ]),
  ...like("credentials are checked", "not_found", [
    ["an unknown path needs a credential", "§4", "A-45", becomes(401, "token_missing")],
  ]),
  ...like(member, "getMemberAvailability", [
    ["a time has an offset", "§1", "A-11", { body: { "/updatedAt": "2026-03-02T14:00:00+02:00" } }],
    ["a time has no offset", "§1", "A-11", { body: { "/updatedAt": "2026-03-02T12:00:00" } }],
    ["a time is in the basic format", "§1", "A-11", { body: { "/updatedAt": "20260302T120000Z" } }],
    [
      "optional fields of an availability are missing",
      "§2.4",
      "same",
      {
        body: { "/source": undefined, "/reason": undefined, "/until": undefined, "/updatedAt": undefined },
      },
    ],
    ["a member gives a reason", "§2.4", "same", { body: { "/source": "member", "/reason": "lunch" } }],
  ]),
  ...like(rotated, "rotateDestinationSecret", [
    [
      "a hint has six characters",
      "§2.1",
      "A-12",
      (answer) => ({
        body: { "/signingSecretHint": secretOf(answer).slice(-6) },
      }),
    ],
    ["a rotation leaves updatedAt", "§2.1", "same", { body: { "/updatedAt": "2026-01-05T09:00:00Z" } }],
    ["a config is empty", "§2.1", "same", { body: { "/config": {} } }],
    ["a secret may be cached", "§6.3", "A-51", { headers: { "Cache-Control": null } }],
  ]),
  ...like(grouped, "createDestinationGroup", [
    ["a ring time is filled in", "§2.3", "A-23", { body: { "/members/0/ringTimeoutSecs": 30 } }],
  ]),
  ...like(grouped, "resource_already_exists", [
    ["a taken name has another code", "§7.1", "A-16", { body: { "/code": "conflict" } }],
  ]),
  ...like(removed, "deleteMemberHours", [
    [
      "hours that are not set are not found",
      "§4.3",
      "A-26",
      {
        from: 1,
        status: 404,
        headers: { "Content-Type": "application/json" },
        text: JSON.stringify({ code: "resource_not_found", status: 404, title: "Not found", detail: "No hours." }),
      },
    ],
  ]),
];

/** What the specification forbids. */
export const unlawful: readonly Server[] = [
  ...unlike(rotated, "rotateDestinationSecret", [
    [
      "a hint is not the end of the secret",
      "§2.1",
      (answer) => ({
        body: { "/signingSecretHint": secretOf(answer).slice(0, 4) },
      }),
    ],
    [
      "a hint is the whole secret",
      "§2.1",
      (answer) => ({
        body: { "/signingSecretHint": secretOf(answer) },
      }),
    ],
    ["a phone shows a secret", "§2.1", { body: { "/kind": "phone" } }],
    ["a kind is a new one", "§2.1", { body: { "/kind": "sip" } }],
    ["a creation has no time", "§2.1", { body: { "/createdAt": "2026-02-30T12:00:00Z" } }],
    ["a rotation shows no secret", "§4.1", { body: { "/signingSecret": null } }],
    ["the overlap is 23 hours", "§4.1", { body: { "/previousSecretExpiresAt": "2026-03-03T11:00:00Z" } }],
    ["the overlap has no end", "§4.1", { body: { "/previousSecretExpiresAt": null } }],
  ]),
  ...unlike(accounts, "listAccounts", [
    ["a list shows a secret", "§2.1", { body: { "/accounts/0/signingSecret": "s-1" } }],
  ]),
  ...unlike(member, "getMemberAvailability", [
    ["away lasts beyond its end", "§3", { body: { "/until": "2026-03-02T11:00:00Z" } }],
    ["an end is a number", "§2.4", { body: { "/until": 1772452800 } }],
    ["a status is a new one", "§2.4", { body: { "/status": "sleeping" } }],
    ["a member sets missed calls", "§2.4", { body: { "/source": "member" } }],
    ["busy is missing", "§2.4", { body: { "/busy": undefined } }],
    ["another member is returned", "§4.4", { body: { "/memberId": "other" } }],
  ]),
  ...unlike("an unknown member", "resource_not_found", [
    ["an unknown member is a bad request", "§4.4", becomes(400, "bad_request")],
  ]),
  ...unlike(roles, "listRoles", [
    [
      "a role is missing",
      "§4.5",
      (answer) => ({
        body: { "/roles": (answer.body.roles as unknown[]).slice(1) },
      }),
    ],
    [
      "a role is there twice",
      "§4.5",
      (answer) => ({
        body: { "/roles": [...(answer.body.roles as unknown[]), (answer.body.roles as unknown[])[0]] },
      }),
    ],
    ["a role is a new one", "§2.5", { body: { "/roles/4": { role: "viewer", permissions: [] } } }],
    ["roles have another name", "§4.5", { body: { "": { data: [] } } }],
    ["a permission has no access", "§2.5", { body: { "/roles/0/permissions/0": "everything" } }],
    ["permissions are null", "§2.5", { body: { "/roles/0/permissions": null } }],
    ["roles have another status", "§4.5", { status: 206 }],
    ["a body is no JSON", "§1", { text: "{" }],
    ["a body is a page", "§1", { headers: { "Content-Type": "text/html" }, text: "<p>Roles</p>" }],
    ["a body is called a page", "§1", { headers: { "Content-Type": "text/html" } }],
  ]),
  ...unlike(listed, "listCalls", [
    ["a list has no meta", "§4.6", { body: { "/meta": undefined } }],
    ["a total is a text", "§4.6", { body: { "/meta": { total: "3" } } }],
    ["calls are an object", "§4.6", { body: { "/calls": {} } }],
    ["a call has no id", "§4.6", { body: { "/calls/0/id": undefined } }],
    ["a call has no duration", "§4.6", { body: { "/calls/0/duration": undefined } }],
    [
      "a limit is ignored",
      "§4.6",
      ({ body }) => ({
        body: { "/calls": [...(body.calls as unknown[]), ...(body.calls as unknown[])] },
      }),
    ],
  ]),
  ...unlike(offset, "listCalls", [
    ["an offset is ignored", "§4.6", { body: { "/calls/0/id": "same" } }],
    ["an offset is dropped", "§4.6", ignores("offset")],
    [
      "an offset counts pages",
      "§4.6",
      {
        query: (query) =>
          query.set("offset", String(Number(query.get("offset") ?? 0) * Number(query.get("limit") ?? 20))),
      },
    ],
    [
      "an offset counts from 1",
      "§4.6",
      {
        query: (query) => query.set("offset", String(Math.max(0, Number(query.get("offset") ?? 0) - 1))),
      },
    ],
    [
      "a page beyond the end is the last one",
      "§4.6",
      {
        query: (query) => query.set("offset", String(Math.min(2, Number(query.get("offset") ?? 0)))),
      },
    ],
    [
      "a page beyond the end is not found",
      "§4.6",
      ({ query }) =>
        Number(query.get("offset")) > 3
          ? { status: 404, body: { "": { ...problem, code: "not_found", status: 404 } } }
          : {},
    ],
    ["a total counts the page", "§4.6", (answer) => totalIs(callsOf(answer).length)],
    [
      "a total of another name counts the page",
      "§4.6",
      (answer) => ({
        body: { "/meta": { count: callsOf(answer).length, limit: numberOf(answer, "limit", 20) } },
      }),
    ],
    [
      "a total counts the calls so far",
      "§4.6",
      (answer) => totalIs(numberOf(answer, "offset", 0) + callsOf(answer).length),
    ],
    ["a total is too large", "§4.6", totalIs(33)],
    ["a total is too small", "§4.6", totalIs(2)],
    ["a total is 0 beyond the end", "§4.6", (answer) => (callsOf(answer).length === 0 ? totalIs(0) : {})],
  ]),
  ...unlike(filtered, "listCalls", [
    ["a status is ignored", "§4.6", ignores("status")],
    ["a start date is ignored", "§4.6", ignores("startDate")],
    ["both filters are ignored", "§4.6", ignores("status", "startDate")],
    [
      "a status is ignored, and calls show none",
      "§4.6",
      (answer) =>
        answer.query.has("status")
          ? { body: { "/calls": everyCall, "/meta/total": 3 } }
          : { body: { "/calls": bare(answer) } },
    ],
    [
      "a status leaves out its own calls",
      "§4.6",
      ({ query }) =>
        query.get("status") === "completed"
          ? { body: { "/calls": [{ ...everyCall[1], status: "failed" }], "/meta/total": 1 } }
          : {},
    ],
    [
      "a status selects nothing",
      "§4.6",
      ({ query }) => (query.has("status") ? { body: { "/calls": [], "/meta/total": 0 } } : {}),
    ],
    ["a total counts calls that the status left out", "§4.6", ({ query }) => (query.has("status") ? totalIs(3) : {})],
    ["a total counts calls before the start date", "§4.6", totalIs(3)],
    [
      "a start date selects nothing",
      "§4.6",
      ({ query }) => (query.has("startDate") ? { body: { "/calls": [], "/meta/total": 0 } } : {}),
    ],
    ["a start date is an end date", "§4.6", (answer) => endDate(answer)],
  ]),
  ...unlike("a group keeps", "createDestinationGroup", [
    [
      "a given total time of a group is ignored",
      "§4.2",
      {
        body: { "/totalTimeoutSecs": 30 },
      },
    ],
    [
      "a given ring time of a member is ignored",
      "§4.2",
      {
        body: { "/members/0/ringTimeoutSecs": undefined },
      },
    ],
    [
      "the members of a group come in another order",
      "§4.2",
      ({ body }) => ({ body: { "/members": Array.isArray(body.members) ? body.members.toReversed() : [] } }),
    ],
  ]),
  ...unlike(placed, "createCall", [
    ["a placed call has the status 200", "§4.6", { status: 200 }],
    ["a placed call has no id", "§4.6", { body: { "/callId": undefined } }],
    ["a queued call has the status 201", "§4.6", { ...queued(1), status: 201 }],
    ["a queued call has no position", "§4.6", queued(undefined)],
    ["a placed call is waiting", "§4.6", { body: { "/type": "waiting" } }],
  ]),
  ...unlike(grouped, "createDestinationGroup", [
    ["a group has the status 200", "§4.2", { status: 200 }],
    ["a group rings for a minute by default", "§4.2", { body: { "/totalTimeoutSecs": 60 } }],
    ["a group rings for twenty minutes", "§2.2", { body: { "/totalTimeoutSecs": 1200 } }],
    ["a member rings for ten minutes", "§2.3", { body: { "/members/0/ringTimeoutSecs": 600 } }],
    ["a group is empty", "§2.2", { body: { "/members": [] } }],
    ["a group gets another name", "§4.2", { body: { "/name": "Another" } }],
  ]),
  ...unlike(grouped, "resource_already_exists", [
    ["a taken name is a bad request", "§4.2", becomes(400, "bad_request")],
  ]),
  ...unlike(refused, "createDestinationGroup validation_failed", [
    ["an invalid group is created", "§4.2", { status: 201, body: { "": group } }],
  ]),
  ...unlike(removed, "deleteMemberHours", [["hours are removed with a body", "§4.3", { status: 200, text: "{}" }]]),
  ...unlike(unauthorized, "token_missing", [
    ["a credential is not needed", "§5.4", { status: 200, body: { "": { roles: [] } } }],
    ["a code is a new one", "§7.2", { body: { "/code": "who_are_you" } }],
    ["a code has another status", "§7.2", { status: 403, body: { "/status": 403 } }],
    ["a body has another status", "§2.6", { body: { "/status": 400 } }],
    ["an error has no detail", "§2.6", { body: { "/detail": undefined } }],
    ["an error is a list", "§7.1", { body: { "": [] } }],
    ["an error has another request id", "§2.6", { body: { "/requestId": "other" } }],
    ["only the body has a request id", "§2.6", { headers: { "X-Request-Id": null } }],
  ]),
  ...unlike("an unknown API key", "api_key_invalid", [
    ["an unknown key is a missing token", "§5.3", { body: { "/code": "token_missing" } }],
  ]),
  ...unlike("a JWT without", "account_header_missing", [
    ["a missing account header is a bad request", "§5.2", { body: { "/code": "bad_request" } }],
  ]),
  ...unlike(otherAccount, "account_access_denied", [
    ["another account is not found", "§4.5", becomes(404, "not_found")],
  ]),
  ...unlike(badQuery, "validation_failed", [
    ["an invalid query has no errors", "§7.1", { body: { "/errors": [] } }],
    ["a field code is a new one", "§2.6", { body: { "/errors/0/code": "too_odd" } }],
    ["a field error has no message", "§2.6", { body: { "/errors/0/message": undefined } }],
  ]),
  ...unlike("each request has", "successes", [
    ["every request has the same id", "§2.6", { headers: { "X-Request-Id": "same" } }],
  ]),
];
