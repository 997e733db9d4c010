import { type ErrorCode, limits } from "@call-transfer/spec";
import {
  requestSchemas,
  zDestinationGroup,
  zErrorCode,
  zMemberAvailability,
  zRole,
  zRoleDefinition,
  zTransferDestination,
} from "@call-transfer/spec/schemas";
import * as z from "zod";
import { isUuid } from "../utils/ids.ts";
import { withPathPrefix } from "../utils/input-error.ts";
import { type DeepReadonly, isWebAddress, omitUndefined } from "../utils/values.ts";
import { latestTime, parseTime } from "./clock.ts";
import { hoursSchema, isTimeZone } from "./hours.ts";

const timeExplanation =
  "must be a datetime such as 2026-03-02T12:00:00Z, or a distance from the clock such as +1h or -30m";
const relativeForm = /^([+-]\d+)([smhd])$/;
const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A time in a seed: an ISO 8601 timestamp, or a distance from the clock's time when the seed is loaded, such as `+1h` or
 * `-30m` (units s, m, h and d).
 */
const seedTime = z
  .union([
    z.iso
      .datetime({ offset: true, error: timeExplanation })
      .refine((text) => Date.parse(text) <= latestTime, "is not a time before the year 9999"),
    z.string().regex(relativeForm, timeExplanation),
  ])
  .describe("A datetime, or a distance from the clock's present time, such as +1h or -30m.");

const id = z.string().refine(isUuid, "must have the form of a UUID");
const timeZone = z.string().refine(isTimeZone, "must be an IANA time zone");
const number = requestSchemas.createCall.body.shape.fromNumber;
const group = zDestinationGroup.shape;
const newGroup = requestSchemas.createDestinationGroup.body.shape;
const availability = zMemberAvailability.shape;

/** What a group has where nothing is said: the contract's own defaults (§4.2). */
export const groupDefaults = {
  strategy: group.strategy.parse(newGroup.strategy.def.defaultValue),
  totalTimeoutSecs: group.totalTimeoutSecs.parse(newGroup.totalTimeoutSecs.def.defaultValue),
};

/** The records of each collection, as a seed writes them. Types, seeds and snapshots all derive from these schemas. */
export const recordSchemas = {
  accounts: z.strictObject({
    id,
    name: z.string(),
    suspended: z.boolean().default(false),
    /** IANA time zone of recipients whose own is unknown. */
    timeZone: timeZone.optional(),
  }),
  users: z.strictObject({ id, name: z.string() }),
  /** A user's membership in an account, with what was last set; reading it is a rule (§3). */
  members: z.strictObject({
    id,
    accountId: id,
    userId: id,
    role: zRole,
    availability: z
      .strictObject({
        status: availability.status,
        source: availability.source,
        reason: availability.reason,
        until: seedTime.nullish(),
        updatedAt: seedTime.nullish(),
      })
      .default({ status: "available" }),
    busy: z.boolean().default(false),
    /** Absent when the member is always within hours. */
    hours: z.record(z.string(), z.unknown()).pipe(hoursSchema).optional(),
    /** Offers missed in a row. */
    missedCalls: z.int().nonnegative().default(0),
  }),
  /** A destination with its secrets, which only creation and rotation show (§2.1). */
  destinations: z.strictObject({
    id,
    accountId: id,
    name: z.string(),
    kind: zTransferDestination.shape.kind,
    enabled: z.boolean().default(true),
    config: z
      .record(z.string(), z.unknown())
      .refine(({ url }) => url === undefined || isWebAddress(url), {
        path: ["url"],
        message: "must be an http or https URL, such as http://127.0.0.1:3000/offers",
      })
      .default({}),
    /** For `app` destinations only. */
    signingSecret: z.string().min(1).optional(),
    previousSecret: z.string().min(1).optional(),
    previousSecretExpiresAt: seedTime.optional(),
    createdAt: seedTime.optional(),
    updatedAt: seedTime.optional(),
  }),
  groups: z.strictObject({
    id,
    accountId: id,
    name: group.name,
    members: group.members,
    strategy: group.strategy.default(groupDefaults.strategy),
    totalTimeoutSecs: group.totalTimeoutSecs.default(groupDefaults.totalTimeoutSecs),
    createdAt: seedTime.optional(),
    updatedAt: seedTime.optional(),
  }),
  flows: z.strictObject({ id, accountId: id, published: z.boolean() }),
  providers: z.strictObject({
    id,
    accountId: id,
    active: z.boolean().default(true),
    /** Whether it refuses every call. */
    rejects: z.boolean().default(false),
  }),
  numbers: z.strictObject({
    accountId: id,
    number,
    active: z.boolean().default(true),
    verified: z.boolean().default(true),
    canInitiateCalls: z.boolean().default(true),
    providerId: id.optional(),
  }),
  contacts: z.strictObject({
    accountId: id,
    number,
    doNotCall: z.boolean().default(false),
    timeZone: timeZone.optional(),
  }),
  calls: z.strictObject({
    id,
    accountId: id,
    direction: z.string(),
    /** Seconds; while the call is in progress, `startedAt` counts instead. */
    duration: z.number().nonnegative(),
    status: z.string(),
    createdAt: seedTime,
    startedAt: seedTime.optional(),
    /** The error code of the rule that ended the call as it left the queue. */
    reason: z.string().optional(),
    /** The request that placed the call, with every field it brought. */
    request: z.record(z.string(), z.unknown()).default({}),
  }),
  apiKeys: z.strictObject({
    id: id.optional(),
    key: z.string().startsWith(limits.apiKeyPrefix).optional(),
    accountId: id,
    role: zRole.default("owner"),
    /** Absent grants every scope. */
    scopes: z.array(z.string()).optional(),
    state: z.enum(["valid", "expired", "revoked"]).default("valid"),
    expiresAt: seedTime.optional(),
    /** Absent allows every address. */
    allowedIps: z.array(z.string()).optional(),
  }),
  roles: zRoleDefinition,
};

/** The name of a collection of the state. */
export type CollectionName = keyof typeof recordSchemas;

/** Records are replaced, never changed in place. */
type Checked<Name extends CollectionName> = DeepReadonly<z.output<(typeof recordSchemas)[Name]>>;

/**
 * A record as the state holds it: `Filled` fields are always present, though a seed may leave them out, and `Instants` are
 * milliseconds since the epoch, which a seed writes as text.
 */
type Stored<Fields, Filled extends keyof Fields, Instants extends keyof Fields> = Omit<Fields, Filled | Instants> & {
  readonly [Name in Filled]-?: Exclude<Fields[Name], undefined>;
} & { readonly [Name in keyof Pick<Fields, Instants>]: number | Extract<Fields[Name], undefined> };

/** An account, which owns the other records (§5.2). */
export type AccountRecord = Checked<"accounts">;
/** A user, who can be a member of several accounts. */
export type UserRecord = Checked<"users">;
/** A user's membership in an account, with role and availability (§2.4). */
export type MemberRecord = Checked<"members">;
/** A destination of calls (§2.1). Times are milliseconds since the epoch. */
export type DestinationRecord = Stored<Checked<"destinations">, "createdAt" | "updatedAt", "previousSecretExpiresAt">;
/** A destination group (§2.2). Times are milliseconds since the epoch. */
export type GroupRecord = Stored<Checked<"groups">, "createdAt" | "updatedAt", never>;
/** A flow that a call can run (§4.6). */
export type FlowRecord = Checked<"flows">;
/** A provider that carries calls. */
export type ProviderRecord = Checked<"providers">;
/** A phone number of an account. */
export type NumberRecord = Checked<"numbers">;
/** A recipient of an account's calls, with what the platform should respect about it. */
export type ContactRecord = Checked<"contacts">;
/** A call (§4.6). Times are milliseconds since the epoch. */
export type CallRecord = Stored<Checked<"calls">, never, "createdAt" | "startedAt">;
/** An API key (§5.3). `expiresAt` is in milliseconds since the epoch. */
export type ApiKeyRecord = Stored<Checked<"apiKeys">, "id" | "key", "expiresAt">;

/** Milliseconds since the epoch, within the range of `Date`. */
export const time = z.number().refine((at) => !Number.isNaN(new Date(at).getTime()), "is not a time");

/** An answer that came too late, and the error code that it received. */
export interface LateAnswer {
  readonly at: number;
  readonly code: ErrorCode;
}

// Named types keep the declarations of this package short: one that is inferred is written out wherever it stands.
const lateAnswerSchema: z.ZodType<LateAnswer> = z.object({ at: time, code: zErrorCode });

/** The ringing of one destination, or of one person behind it. */
const ring = z.object({
  destinationId: z.string(),
  memberId: z.string().exactOptional(),
  kind: z.string(),
  startedAt: time,
  /** When it stopped ringing, or will stop at the latest. */
  endsAt: time,
  outcome: z.enum(["ringing", "answered", "missed", "declined", "taken", "busy", "abandoned", "skipped"]),
  reason: z.string().exactOptional(),
  deliveryId: z.string().exactOptional(),
  /** How many offers in a row the person had missed, with this one; absent unless it counts as missed. */
  missedCalls: z.int().exactOptional(),
  /** Late answers. */
  lateAnswers: z.array(lateAnswerSchema),
});
/**
 * The ringing of one destination of a transfer, or of one person behind it (§2.2). Times are milliseconds since the epoch.
 */
export interface RingRecord extends DeepReadonly<z.output<typeof ring>> {}
const ringSchema: z.ZodType<RingRecord> = ring;

const transfer = z.object({
  id: z.string(),
  accountId: z.string(),
  destinationId: z.string().exactOptional(),
  groupId: z.string().exactOptional(),
  callId: z.string().exactOptional(),
  status: z.enum(["ringing", "connected", "ended", "unanswered", "abandoned"]),
  startedAt: time,
  /** When the transferred call ends, if it is known. */
  callEndsAt: time.exactOptional(),
  answeredAt: time.exactOptional(),
  /** Index in `rings` of the winning answer. */
  answeredRingIndex: z.int().exactOptional(),
  endedAt: time.exactOptional(),
  /** In ring order. */
  rings: z.array(ringSchema),
  /** Indexes in `rings` of the answers of this instant, before a winner is chosen. */
  answers: z.array(z.int()),
});

/** A transfer in the state and in snapshots. Times are milliseconds since the epoch. A step of the transfer replaces it. */
export interface TransferRecord extends DeepReadonly<z.output<typeof transfer>> {}
export const transferSchema: z.ZodType<TransferRecord> = transfer;

const listOf = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).optional();

type Lists = { [Name in CollectionName]: z.ZodOptional<z.ZodArray<(typeof recordSchemas)[Name]>> };

/** The schema of a seed: what a backend knows at its start or gets later, as JSON. References must resolve; ids are UUIDs. */
export const seedSchema: z.ZodObject<Lists, z.core.$strict> = z.strictObject({
  accounts: listOf(recordSchemas.accounts),
  users: listOf(recordSchemas.users),
  /** Memberships: a user in an account, with a role. */
  members: listOf(recordSchemas.members),
  /** An `app` destination without a `signingSecret` gets a generated one. */
  destinations: listOf(recordSchemas.destinations),
  groups: listOf(recordSchemas.groups),
  flows: listOf(recordSchemas.flows),
  /** Telephony providers. */
  providers: listOf(recordSchemas.providers),
  /** The numbers that an account owns. */
  numbers: listOf(recordSchemas.numbers),
  contacts: listOf(recordSchemas.contacts),
  /** Calls of the past, in progress (`in_progress`) or waiting (`queued`). */
  calls: listOf(recordSchemas.calls),
  /** A key without `key` or `id` gets generated ones. */
  apiKeys: listOf(recordSchemas.apiKeys),
  /** The permissions of built-in roles, where they differ from the default table. */
  roles: listOf(recordSchemas.roles),
});

/** What a backend knows at its start, or gets later. */
export type Seed = z.input<typeof seedSchema> & { readonly $schema?: string };

/** A seed that passed the schema, with defaults in place. */
export type CheckedSeed = z.output<typeof seedSchema>;

/** The fields of records that a seed gives as a {@link seedTime}. */
const timeFields: ReadonlySet<string> = new Set([
  "createdAt",
  "expiresAt",
  "previousSecretExpiresAt",
  "startedAt",
  "until",
  "updatedAt",
]);

/** A copy of a record with its times as text, without undefined fields. */
export function withTimeTexts(record: object): Record<string, unknown> {
  const entries = Object.entries(omitUndefined(record)).map(([field, value]): [string, unknown] =>
    timeFields.has(field) && typeof value === "number" ? [field, new Date(value).toISOString()] : [field, value],
  );
  return Object.fromEntries(entries);
}

/**
 * Replaces the times of a checked seed by timestamps in UTC; relative times count from `now`, in milliseconds. Throws
 * InputError that names the field of a time that is too far away.
 */
export function resolveTimes(seed: Readonly<Record<string, readonly object[] | undefined>>, now: number): void {
  for (const [collection, records] of Object.entries(seed))
    for (const [index, record] of (records ?? []).entries())
      withPathPrefix(`${collection}[${index}]`, () => {
        resolveIn(record, now);
        if ("availability" in record) withPathPrefix("availability", () => resolveIn(Object(record.availability), now));
      });
}

function resolveIn(record: object, now: number): void {
  for (const [field, value] of Object.entries(record))
    if (timeFields.has(field) && typeof value === "string") Reflect.set(record, field, inUtc(field, value, now));
}

/** A timestamp in UTC. One that is in UTC already stays as it was written. */
function inUtc(field: string, text: string, now: number): string {
  const [, amount, unit = ""] = relativeForm.exec(text) ?? [];
  if (amount === undefined) return text.endsWith("Z") ? text : new Date(text).toISOString();
  const at = parseTime(field, now + Number(amount) * (unitMs[unit] ?? 0));
  // As a person would write it: without milliseconds where they are zero.
  return new Date(at).toISOString().replace(".000Z", "Z");
}
