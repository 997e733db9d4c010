import { limits } from "@call-transfer/spec";
import { valueAt } from "./deviation.ts";
import type { Exchange } from "./exchange.ts";
import { headerOf } from "./headers.ts";
import type { StandIns } from "./stand-ins.ts";

/** Whose record something is: an account by its id, or the account of an API key. */
export type Owner = { readonly accountId: string } | { readonly key: string };

export type Fields = Readonly<Record<string, unknown>>;
type Collection = "members" | "destinations" | "groups" | "flows" | "providers" | "numbers" | "calls";

interface Owned {
  readonly owner: Owner;
  readonly fields: Fields;
}

/** What a session showed, before the accounts of the API keys are known. */
export interface Seen {
  readonly standIns: StandIns;
  readonly accounts: Map<string, Fields>;
  readonly roles: Map<string, Fields>;
  /** The keys that were accepted, with their account once it is known. */
  readonly keys: Map<string, string | undefined>;
  readonly owned: Readonly<Record<Collection, Map<string, Owned>>>;
}

/** More records of a collection than a test needs. */
const mostRecords = 10_000;

export interface Reading {
  readonly seen: Seen;
  readonly exchange: Exchange;
  /** Undefined for an access token without an account. */
  readonly owner: Owner | undefined;
  readonly answer: unknown;
}

type Readers = Readonly<Record<string, (reading: Reading) => void>>;

const accountReaders: Readers = {
  listAccounts({ seen, owner, answer }) {
    const accounts = listAt(answer, "accounts");
    for (const { id } of accounts) if (typeof id === "string") seen.accounts.set(id, accountNamed(seen, id));
    const [only, ...others] = accounts;
    if (owner !== undefined && "key" in owner && others.length === 0 && typeof only?.id === "string")
      seen.keys.set(owner.key, only.id);
  },
  listRoles({ seen, answer }) {
    for (const { role, permissions } of listAt(answer, "roles")) seen.roles.set(String(role), { role, permissions });
  },
};

const memberReaders: Readers = {
  getMemberAvailability(reading) {
    const { memberId, userId, busy, status, source, reason, until, updatedAt } = asFields(reading.answer);
    if (typeof memberId !== "string" || typeof userId !== "string") return;
    const availability = { status, source, reason: reason === "missed_calls" ? reason : null, until, updatedAt };
    addMember(reading, memberId, userId, { busy, availability });
  },
  deleteMemberHours(reading) {
    const memberId = pathParameter(reading.exchange, "memberId");
    addMember(reading, memberId, `user of ${memberId}`, {});
  },
};

const destinationReaders: Readers = {
  rotateDestinationSecret({ seen, owner, answer }) {
    const { id, kind, enabled, config, createdAt, updatedAt, previousSecretExpiresAt } = asFields(answer);
    if (owner === undefined || typeof id !== "string") return;
    const isRotated = typeof previousSecretExpiresAt === "string";
    keep(seen, "destinations", id, owner, {
      id: seen.standIns.id(id),
      name: seen.standIns.name("Destination", id),
      kind,
      enabled,
      config: seen.standIns.config(config),
      createdAt,
      updatedAt,
      signingSecret: seen.standIns.signingSecret(id),
      ...(isRotated && { previousSecret: seen.standIns.signingSecret(`previous of ${id}`), previousSecretExpiresAt }),
    });
  },
  createDestinationGroup({ seen, owner, answer }) {
    const { id, strategy, totalTimeoutSecs, createdAt, updatedAt } = asFields(answer);
    if (owner === undefined || typeof id !== "string") return;
    const members = listAt(answer, "members").map(({ destinationId, ringTimeoutSecs }) => ({
      destinationId: addDestination(seen, owner, String(destinationId)),
      ...(ringTimeoutSecs !== undefined && { ringTimeoutSecs }),
    }));
    const own = { id: seen.standIns.id(id), name: seen.standIns.name("Group", id), members };
    keep(seen, "groups", id, owner, { ...own, strategy, totalTimeoutSecs, createdAt, updatedAt });
  },
};

const callReaders: Readers = {
  createCall(reading) {
    const { seen, owner, answer, exchange } = reading;
    const { callId } = asFields(answer);
    if (owner === undefined) return;
    const request = addPlacement(seen, owner, exchange);
    if (typeof callId !== "string") return;
    const placedAt = new Date(exchange.at).toISOString();
    const own = { id: seen.standIns.id(callId), direction: "outbound", status: "in_progress", duration: 0 };
    keep(seen, "calls", callId, owner, { ...own, createdAt: placedAt, request });
  },
  listCalls({ seen, owner, answer, exchange }) {
    if (owner === undefined) return;
    for (const { id, direction, duration, status = "completed", createdAt } of listAt(answer, "calls")) {
      if (typeof id !== "string" || typeof duration !== "number") continue;
      const start = new Date(exchange.at - duration * 1000);
      // No time can express a duration that a target made up.
      if (Number.isNaN(start.getTime())) continue;
      const began = start.toISOString();
      const own = { id: seen.standIns.id(id), direction, duration, status, createdAt: createdAt ?? began };
      const placed = seen.owned.calls.get(id)?.fields.request;
      const extra = {
        ...(placed !== undefined && { request: placed }),
        ...(status === "in_progress" && { startedAt: began }),
      };
      keep(seen, "calls", id, owner, { ...own, ...extra });
    }
  },
};

/** What the success of each operation shows. */
export const readers: Readers = { ...accountReaders, ...memberReaders, ...destinationReaders, ...callReaders };

/** The record of an account with an invented name. */
export function accountNamed({ standIns }: Pick<Seen, "standIns">, id: string): Fields {
  return { id: standIns.id(id), name: standIns.name("Account", id) };
}

function addMember({ seen, owner }: Reading, memberId: string, userId: string, shown: Fields): void {
  if (owner === undefined) return;
  const { fields: known = {} } = seen.owned.members.get(memberId) ?? {};
  const isKnown = known.userId !== undefined && userId.startsWith("user of ");
  const own = { id: seen.standIns.id(memberId), userId: isKnown ? known.userId : seen.standIns.id(userId) };
  // No operation shows a member's role.
  keep(seen, "members", memberId, owner, { ...known, ...own, role: "agent", ...shown });
}

/** Adds a destination of which only the id is known, unless it was shown; returns its id in the seed. */
function addDestination(seen: Seen, owner: Owner, id: string): string {
  const own = { id: seen.standIns.id(id), name: seen.standIns.name("Destination", id), kind: "phone" };
  if (!seen.owned.destinations.has(id)) keep(seen, "destinations", id, owner, own);
  return own.id;
}

/** Adds what a placed call shows to exist; returns its request with the replaced values. */
function addPlacement(seen: Seen, owner: Owner, { requestContent }: Exchange): Fields {
  const { standIns } = seen;
  const body = requestContent !== undefined && "value" in requestContent ? asFields(requestContent.value) : {};
  const { flowId, fromNumber, toNumber, providerId } = body;
  if (typeof flowId !== "string" || typeof fromNumber !== "string" || typeof toNumber !== "string") return {};
  const provider = typeof providerId === "string" ? { providerId: standIns.id(providerId) } : {};
  keep(seen, "flows", flowId, owner, { id: standIns.id(flowId), published: true });
  if (typeof providerId === "string") keep(seen, "providers", providerId, owner, { id: standIns.id(providerId) });
  keep(seen, "numbers", fromNumber, owner, { number: standIns.number(fromNumber), ...provider });
  const numbers = { fromNumber: standIns.number(fromNumber), toNumber: standIns.number(toNumber) };
  return { flowId: standIns.id(flowId), ...numbers, ...provider };
}

function keep({ owned }: Seen, collection: Collection, id: string, owner: Owner, fields: Fields): void {
  const records = owned[collection];
  if (records.has(id) || records.size < mostRecords) records.set(id, { owner, fields });
}

function pathParameter({ url, operation }: Exchange, name: string): string {
  const index = operation?.path.split("/").indexOf(`{${name}}`) ?? -1;
  const text = url.pathname.split("/")[index] ?? "";
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function asFields(value: unknown): Fields {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

/** The objects of a list in a field; empty without one. */
export function listAt(value: unknown, field: string): readonly Fields[] {
  const list = valueAt(value, [field]);
  return Array.isArray(list) ? list.map(asFields) : [];
}

/** Whose records the answer to a request shows; undefined for an access token without an account. */
export function ownerOf({ requestHeaders }: Exchange): Owner | undefined {
  const accountId = headerOf(requestHeaders, "x-account-id");
  if (accountId !== undefined) return { accountId };
  const [, token = ""] = /^Bearer +(\S+)$/i.exec(headerOf(requestHeaders, "authorization") ?? "") ?? [];
  return token.startsWith(limits.apiKeyPrefix) ? { key: token } : undefined;
}
