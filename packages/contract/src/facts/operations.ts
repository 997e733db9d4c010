import { type FieldFact, roles } from "./resources.ts";

/** What the specification says about an operation. */
export interface OperationFact {
  readonly section: string;
  /** The roles that may call it; `self` is the member named in the path. */
  readonly who: readonly string[];
  readonly path: Readonly<Record<string, FieldFact>>;
  readonly query: Readonly<Record<string, FieldFact>>;
  /** The resource in the request's body; null without a body. */
  readonly body: string | null;
  /** The resource in the body of each success: null without a body, undefined where it is not shown. */
  readonly successes: Readonly<Record<number, string | null | undefined>>;
  /** The statuses of its errors. */
  readonly errors: readonly number[];
  /** Whether a JWT must come with the account header (§5.2). */
  readonly accountScoped: boolean;
  /** What a client that has no response may do by itself, and why. */
  readonly retry: RetryFact;
}

/** Whether a client may send a request again: it may, the second is refused as a duplicate, or it must not. */
export interface RetryFact {
  readonly mark: "idempotent" | "conflict_safe" | "non_idempotent";
  readonly section: string;
  readonly because: string;
}

/** Codes that a section gives to operations. */
export interface AnswerFact {
  readonly section: string;
  readonly codes: readonly string[];
  /** The operations, by what they are, or one by method and path. */
  readonly by: string;
  /** Whether no other operation of the specification answers them. */
  readonly only?: true;
}

/** Every endpoint can return these (§4). */
const always = [401, 429, 500];
/** Account-scoped requests: the account header is missing (§5.2). */
const headerMissing = 400;
/** API keys: scope, address, endpoint (§5.3). */
const keyRefused = 403;

const id: FieldFact = { type: "string", required: true, nullable: false };
const optional = (fact: FieldFact): FieldFact => ({ ...fact, required: false });

/** A member of the account: every role has one (§5.5). */
const members: readonly string[] = roles;

const reading: RetryFact = { mark: "idempotent", section: "§4", because: "it changes nothing" };

/** Every operation, by method and path (§4). */
export const operations: Readonly<Record<string, OperationFact>> = {
  "POST /api/v1/transfers/destinations/{id}/rotate-secret": {
    section: "§4.1",
    who: ["owner", "admin"],
    path: { id },
    query: {},
    body: null,
    successes: { 200: "TransferDestination" },
    errors: [...always, 400, 403, 404],
    accountScoped: true,
    // A header has two signatures at most (§6.2), so a repetition voids the secret that receivers still have.
    retry: { mark: "non_idempotent", section: "§6.2", because: "a repetition voids the previous secret" },
  },
  "POST /api/v1/transfers/destination-groups": {
    section: "§4.2",
    who: ["owner", "admin"],
    path: {},
    query: {},
    body: "CreateDestinationGroupRequest",
    successes: { 201: "DestinationGroup" },
    errors: [...always, 400, 403, 409],
    accountScoped: true,
    retry: { mark: "conflict_safe", section: "§4.2", because: "a repetition answers 409, as the name exists" },
  },
  "DELETE /api/v1/transfers/members/{memberId}/hours": {
    section: "§4.3",
    who: ["self", "owner", "admin"],
    path: { memberId: id },
    query: {},
    body: null,
    successes: { 204: null },
    errors: [...always, 403, 404, headerMissing],
    accountScoped: true,
    retry: { mark: "idempotent", section: "§4.3", because: "a repetition leaves the member without hours too" },
  },
  "GET /api/v1/transfers/members/{memberId}/availability": {
    section: "§4.4",
    // Not shown (§5.5). A-15: members of the account.
    who: members,
    path: { memberId: id },
    query: {},
    body: null,
    successes: { 200: "MemberAvailability" },
    errors: [...always, 403, 404, headerMissing],
    accountScoped: true,
    retry: reading,
  },
  "GET /api/v1/roles": {
    section: "§4.5",
    who: members,
    path: {},
    query: {},
    body: null,
    successes: { 200: "RoleList" },
    errors: [...always, 403, headerMissing],
    accountScoped: true,
    retry: reading,
  },
  "POST /api/v1/calls": {
    section: "§4.6",
    // Not shown. A-15: members of the account.
    who: members,
    path: {},
    query: {},
    body: "CreateCallRequest",
    successes: { 201: "CallInitiated", 202: "CallQueued" },
    // The errors of calls are those of the group Calls (§7.2), and a full queue (§8.2).
    errors: [...always, 400, 422, keyRefused],
    accountScoped: true,
    retry: { mark: "non_idempotent", section: "§8.3", because: "a repetition can place a second call" },
  },
  "GET /api/v1/calls": {
    section: "§4.6",
    // Not shown. A-15: members of the account.
    who: members,
    path: {},
    query: {
      limit: optional({ type: "integer", open: true }),
      offset: optional({ type: "integer", open: true }),
      status: optional({ type: "string" }),
      startDate: optional({ type: "datetime" }),
    },
    body: null,
    successes: { 200: "CallList" },
    errors: [...always, keyRefused, headerMissing],
    accountScoped: true,
    retry: reading,
  },
  "GET /api/v1/accounts": {
    section: "§4.6",
    // It lists the accounts that the caller can access, so it selects none, and everyone may call it.
    who: members,
    path: {},
    query: {},
    body: null,
    successes: { 200: undefined },
    errors: [...always, keyRefused],
    accountScoped: false,
    retry: reading,
  },
};

const codes = (text: string): string[] => text.split(/\s+/);

/** Who answers which codes. The codes of the cases in §4 are not stated (§7.1), only their statuses. */
export const answers: readonly AnswerFact[] = [
  {
    section: "§5.3",
    codes: codes(`api_key_expired api_key_invalid api_key_revoked api_key_insufficient_scope api_key_ip_restricted
      api_key_not_allowed`),
    by: "every operation",
  },
  // The other two of §5.4 belong to operations that are not shown: login and refresh.
  { section: "§5.4", codes: codes("token_expired token_invalid token_missing unauthorized"), by: "every operation" },
  { section: "§8.1", codes: ["rate_limit_exceeded"], by: "every operation" },
  // The only code with the status 500, which every endpoint can return.
  { section: "§4", codes: ["internal_error"], by: "every operation" },
  { section: "§5.2", codes: ["account_header_missing"], by: "account-scoped operations", only: true },
  { section: "§7.1", codes: ["validation_failed"], by: "operations with a body" },
  { section: "§7.2", codes: ["invalid_id_format"], by: "operations with an id in the path" },
  { section: "§8.2", codes: ["queue_full"], by: "POST /api/v1/calls", only: true },
  // The group Calls, without the code for a call that has ended, and without concurrent_call_limit_exceeded: at that limit
  // a call is queued rather than refused (§8.2).
  {
    section: "§7.2",
    codes: codes(`contact_on_dnc_list daily_call_limit_exceeded flow_not_published
      outside_callable_hours phone_number_cannot_initiate_calls phone_number_not_active phone_number_not_verified
      provider_call_rejected`),
    by: "POST /api/v1/calls",
    only: true,
  },
];
