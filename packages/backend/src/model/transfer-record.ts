import { zErrorCode } from "@call-transfer/spec/schemas";
import { z } from "zod";

/** Milliseconds since the epoch that a timestamp can be made of. */
export const time = z.number().refine((at) => !Number.isNaN(new Date(at).getTime()), "is not a time");

/** One destination, or one person behind it, that a transfer rings. */
const ringSchema = z.object({
  destinationId: z.string(),
  memberId: z.string().exactOptional(),
  kind: z.string(),
  from: time,
  /** When it stops ringing at the latest, or stopped. */
  until: time,
  outcome: z.enum(["ringing", "answered", "missed", "declined", "taken", "busy", "abandoned", "not_rung"]),
  reason: z.string().exactOptional(),
  deliveryId: z.string().exactOptional(),
  /** Answers that came too late. */
  late: z.array(z.object({ at: time, code: zErrorCode })),
});

/** The schema of a transfer as it is kept. All times are in milliseconds since the epoch. */
export const transferSchema = z.object({
  id: z.string(),
  accountId: z.string(),
  destinationId: z.string().exactOptional(),
  groupId: z.string().exactOptional(),
  callId: z.string().exactOptional(),
  status: z.enum(["ringing", "connected", "ended", "unanswered", "abandoned"]),
  startedAt: time,
  /** When the call that is transferred ends, where it is known. */
  callEndsAt: time.exactOptional(),
  answeredAt: time.exactOptional(),
  /** Place in `rings` of the one that answered. */
  answeredBy: z.int().exactOptional(),
  endedAt: time.exactOptional(),
  /** In ring order. */
  rings: z.array(ringSchema),
  /** Places in `rings` that answered at this very instant, of which ring order chooses one. */
  answers: z.array(z.int()),
});

export type RingRecord = z.output<typeof ringSchema>;
/** A transfer as it is kept. */
export type TransferRecord = z.output<typeof transferSchema>;
