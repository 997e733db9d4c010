// What happened in a run: the writes of the clients with their answers, the offers, and what the server answered otherwise.

/** A group as a client creates it. */
export interface GroupInput {
  readonly name: string;
  readonly members: readonly { readonly destinationId: string; readonly ringTimeoutSecs?: number }[];
  readonly totalTimeoutSecs: number;
}

/** A ring of an app that an answer announced, with the id of its offer. */
export interface AnnouncedRing {
  readonly destinationId: string;
  readonly deliveryId?: string | undefined;
}

/** What a write changes. The fields that are not read-only come from its answer. */
export type Change =
  /** The number is that of one call only. */
  | { readonly kind: "call"; readonly toNumber: string; callId?: string }
  | { readonly kind: "group"; readonly group: GroupInput; id?: string }
  | { readonly kind: "group deletion"; readonly name: string; readonly id: string }
  /** The end is that of one write only. */
  | { readonly kind: "availability"; readonly memberId: string; readonly status: string; readonly until: string }
  | { readonly kind: "hours"; readonly memberId: string; readonly from: string | undefined }
  | { readonly kind: "rotation"; readonly destinationId: string; secret?: string }
  | {
      readonly kind: "transfer";
      readonly destinationId?: string;
      readonly groupId?: string;
      id?: string;
      rings?: readonly AnnouncedRing[];
    }
  | { readonly kind: "API key"; key?: string }
  | { readonly kind: "token"; token?: string }
  | { readonly kind: "advance"; readonly byMs: number }
  | { readonly kind: "sandbox"; readonly name: string }
  | { readonly kind: "sandbox deletion"; readonly name: string };

export type Kind = Change["kind"];
export type ChangeOf<Name extends Kind> = Extract<Change, { kind: Name }>;

/**
 * What a client learned about a write: `acknowledged` and `applied` (without a complete answer) must be there, `none` must not be
 * there, and `unknown` may be there, because the connection was lost.
 */
export type Outcome = "acknowledged" | "applied" | "unknown" | "none";

/** A write. Times are in milliseconds since 1970. */
export interface Write<Of extends Change = Change> {
  readonly sandbox: string;
  readonly accountId: string;
  readonly change: Of;
  readonly beganMs: number;
  /** Undefined while it is under way. */
  outcome?: Outcome;
  endedMs?: number;
  /** Whether a write of unknown outcome is there: the first check after it decides. */
  isThere?: boolean;
}

/** A delivery of an offer, as the receiver got it. */
export interface Offer {
  readonly sandbox: string;
  /** The destination whose address it came to. */
  readonly destinationId: string;
  readonly receivedMs: number;
  /** The number of the server process that ran then, from 0. */
  readonly life: number;
  readonly header: string;
  readonly body: string;
}

/** A server process. Times are in milliseconds since 1970. */
export interface Life {
  readonly startedMs: number;
  /** When it answered; undefined if it was killed before. */
  readyMs?: number;
  endedBy?: "SIGKILL" | "SIGTERM";
}

/** All that a run writes down. */
export interface History {
  readonly writes: Write[];
  readonly offers: Offer[];
  readonly lives: Life[];
  /** The request ids by sandbox, of every answer. */
  readonly requestIds: Map<string, string[]>;
  /** Answers that no client should get. */
  readonly unexpected: string[];
  requests: number;
  /** How many of the offers earlier checks have verified. */
  judgedOffers: number;
}

export function newHistory(): History {
  return { writes: [], offers: [], lives: [], requestIds: new Map(), unexpected: [], requests: 0, judgedOffers: 0 };
}

/** Whether a write is in the state: undefined as long as only a check can tell. */
export function isThere({ outcome, isThere }: Write): boolean | undefined {
  if (outcome === "unknown") return isThere;
  return outcome === undefined ? undefined : outcome !== "none";
}

/** The writes of one kind, in the order in which they began. */
export function writesOf<Name extends Kind>(writes: readonly Write[], kind: Name): Write<ChangeOf<Name>>[] {
  return writes.filter((write): write is Write<ChangeOf<Name>> => write.change.kind === kind);
}

/** The kills of a run. The last one is not counted: it ends the run, when all is checked. */
export function killsOf({ lives }: History): number {
  return lives.slice(0, -1).filter(({ endedBy }) => endedBy === "SIGKILL").length;
}
