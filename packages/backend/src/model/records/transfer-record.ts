import type { ErrorCode } from "@call-transfer/spec";
import { zErrorCode } from "@call-transfer/spec/schemas";
import * as z from "zod";
import type { DeepReadonly } from "../values/deep-readonly.ts";

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
  from: time,
  /** When it stopped ringing, or will stop at the latest. */
  until: time,
  outcome: z.enum(["ringing", "answered", "missed", "declined", "taken", "busy", "abandoned", "not_rung"]),
  reason: z.string().exactOptional(),
  deliveryId: z.string().exactOptional(),
  /** How many offers in a row the person had missed, with this one; absent unless it counts as missed. */
  missedCalls: z.int().exactOptional(),
  /** Late answers. */
  late: z.array(lateAnswerSchema),
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
  answeredBy: z.int().exactOptional(),
  endedAt: time.exactOptional(),
  /** In ring order. */
  rings: z.array(ringSchema),
  /** Indexes in `rings` of the answers of this instant, before a winner is chosen. */
  answers: z.array(z.int()),
});

/** A transfer in the state and in snapshots. Times are milliseconds since the epoch. A step of the transfer replaces it. */
export interface TransferRecord extends DeepReadonly<z.output<typeof transfer>> {}
export const transferSchema: z.ZodType<TransferRecord> = transfer;
