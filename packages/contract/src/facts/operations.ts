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
  /** Words that its description must contain. */
  readonly says?: readonly string[];
  /** Whether sending it twice can do it twice, so that no client may repeat it by itself. */
  readonly once?: true;
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
    says: ["24 hours"],
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
    // A placement that is sent again can place a second call (§8.3).
    once: true,
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
  },
};
