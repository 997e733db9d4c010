import { limits } from "@call-transfer/spec";
import {
  requestSchemas,
  zDestinationGroup,
  zMemberAvailability,
  zRole,
  zRoleDefinition,
  zTransferDestination,
} from "@call-transfer/spec/schemas";
import { z } from "zod";
import { hoursSchema } from "../model/hours.ts";
import { isTimeZone } from "../model/time-zone.ts";
import { isUuid } from "../model/uuid.ts";
import { seedTime as time } from "./seed-time.ts";

const id = z.string().refine(isUuid, "must have the form of a UUID");
const timeZone = z.string().refine(isTimeZone, "must be an IANA time zone");
const number = requestSchemas.createCall.body.shape.fromNumber;
const group = zDestinationGroup.shape;
const availability = zMemberAvailability.shape;

/** What a backend knows at its start, or is told later, in JSON. References must resolve; ids are UUIDs. */
export const seedSchema = z.strictObject({
  accounts: z
    .array(z.strictObject({ id, name: z.string(), suspended: z.boolean().optional(), timeZone: timeZone.optional() }))
    .optional(),
  users: z.array(z.strictObject({ id, name: z.string() })).optional(),
  /** Memberships: a user in an account, with a role. `missedCalls` counts offers missed in a row. */
  members: z
    .array(
      z.strictObject({
        id,
        accountId: id,
        userId: id,
        role: zRole,
        availability: z
          .strictObject({
            status: availability.status,
            source: availability.source,
            reason: availability.reason,
            until: time.nullish(),
            updatedAt: time.nullish(),
          })
          .optional(),
        busy: z.boolean().optional(),
        hours: z.record(z.string(), z.unknown()).pipe(hoursSchema).optional(),
        missedCalls: z.int().nonnegative().optional(),
      }),
    )
    .optional(),
  /** `signingSecret` is for `app` destinations only, and generated where absent. */
  destinations: z
    .array(
      z.strictObject({
        id,
        accountId: id,
        name: z.string(),
        kind: zTransferDestination.shape.kind,
        enabled: z.boolean().optional(),
        config: z.record(z.string(), z.unknown()).optional(),
        signingSecret: z.string().min(1).optional(),
        previousSecret: z.string().min(1).optional(),
        previousSecretExpiresAt: time.optional(),
        createdAt: time.optional(),
        updatedAt: time.optional(),
      }),
    )
    .optional(),
  groups: z
    .array(
      z.strictObject({
        id,
        accountId: id,
        name: group.name,
        members: group.members,
        strategy: group.strategy.optional(),
        totalTimeoutSecs: group.totalTimeoutSecs.optional(),
        createdAt: time.optional(),
        updatedAt: time.optional(),
      }),
    )
    .optional(),
  flows: z.array(z.strictObject({ id, accountId: id, published: z.boolean() })).optional(),
  /** Telephony providers; one that `rejects` refuses every call. */
  providers: z
    .array(z.strictObject({ id, accountId: id, active: z.boolean().optional(), rejects: z.boolean().optional() }))
    .optional(),
  /** The numbers that an account owns. */
  numbers: z
    .array(
      z.strictObject({
        accountId: id,
        number,
        active: z.boolean().optional(),
        verified: z.boolean().optional(),
        canInitiateCalls: z.boolean().optional(),
        providerId: id.optional(),
      }),
    )
    .optional(),
  contacts: z
    .array(z.strictObject({ accountId: id, number, doNotCall: z.boolean().optional(), timeZone: timeZone.optional() }))
    .optional(),
  /** Calls of the past, in progress (`in_progress`) or waiting (`queued`). `duration` is in seconds. */
  calls: z
    .array(
      z.strictObject({
        id,
        accountId: id,
        direction: z.string(),
        duration: z.number().nonnegative(),
        status: z.string(),
        createdAt: time,
        startedAt: time.optional(),
        request: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .optional(),
  /** `key` is generated where absent; absent scopes and addresses grant all of them. */
  apiKeys: z
    .array(
      z.strictObject({
        id: id.optional(),
        key: z.string().startsWith(limits.apiKeyPrefix).optional(),
        accountId: id,
        role: zRole.optional(),
        scopes: z.array(z.string()).optional(),
        state: z.enum(["valid", "expired", "revoked"]).optional(),
        expiresAt: time.optional(),
        allowedIps: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  /** The permissions of the built-in roles, where they differ from the default table. */
  roles: z.array(zRoleDefinition).optional(),
});

/** What a backend knows at its start, or is told later. */
export type Seed = z.input<typeof seedSchema>;
