import type { ErrorCode, OperationId, Role } from "@call-transfer/spec";
import type { Seed } from "./world.ts";

/** What a target may be able to do; a case names what it needs. */
export type Capability =
  /** Keeps what was created. */
  | "stateful"
  /** Refuses what breaks the contract. */
  | "validates"
  /** Tells credentials apart. */
  | "auth"
  /** Its time can be read and moved. */
  | "clock"
  /** Answers as told. */
  | "faults"
  /** Its settings can be changed. */
  | "policies"
  /** Its deliveries can be triggered and read. */
  | "webhooks"
  /** Calls can be transferred, and how that goes can be read. */
  | "transfers"
  /** May be written to: calls placed, secrets rotated. */
  | "destructive";

/** What tells a case from every other. */
export interface CaseName {
  /** What the case is about, e.g. `destination-groups`. */
  readonly noun: string;
  readonly name: string;
}

/** Who sends a request. */
export type Caller = TokenHolder | KeyHolder;

/** A user with a JWT. */
export interface TokenHolder {
  readonly userId: string;
  /** The account named in `X-Account-Id`; none when left out. */
  readonly accountId?: string;
  /** Whether the token is past its expiry. */
  readonly expired?: true;
}

/** A program with an API key. */
export interface KeyHolder {
  /** The account that the key belongs to. */
  readonly keyOf: string;
  /** The account named in `X-Account-Id`; none when left out. */
  readonly accountId?: string;
  /** The owner's unless given. */
  readonly role?: Role;
  /** All scopes unless given. */
  readonly scopes?: readonly string[];
  readonly state?: "valid" | "expired" | "revoked";
  readonly allowedIps?: readonly string[];
}

/** The part of the SDK's client options that says who calls. */
export interface Credentials {
  readonly apiKey?: string;
  readonly accessToken?: string;
  readonly accountId?: string;
}

/** What befalls an answer or its connection, by the names of the control plane. */
export type BrokenResponse =
  | "reset"
  | "empty"
  | "hang"
  | "processThenDrop"
  | "truncate"
  | "slowBody"
  | "wrongContentType"
  | "unknownEnum";

/** An answer that a target gives instead of its own. */
export interface Fault {
  readonly match?: { readonly operationId?: OperationId };
  /** How many requests it answers; 1 by default. */
  readonly times?: number;
  readonly do:
    | { readonly code: ErrorCode }
    | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
    | BrokenResponse;
}

/** Settings that the specification leaves open. */
export interface PolicyChanges {
  readonly rateLimit?: { readonly requests: number; readonly windowSecs: number };
  /** Calls of one account in progress at once. */
  readonly concurrentCallLimit?: number;
  /** Calls of one account that may wait. */
  readonly callQueueLimit?: number;
  /** Calls of one account between two midnights UTC. */
  readonly dailyCallLimit?: number;
  /** The time zone of recipients for whom neither a contact nor the account has one. */
  readonly recipientTimeZone?: string;
}

/** A webhook as its receiver sees it. */
export interface Delivery {
  readonly url: string;
  readonly headers: Headers;
  /** The raw body. */
  readonly body: string;
}

/** A call to transfer: exactly one of `destinationId` and `groupId`. */
export interface TransferRequest {
  readonly destinationId?: string;
  readonly groupId?: string;
  /** Who picks up, and after how many seconds: a phone, or a member. Nobody else does; apps answer their offers. */
  readonly script?: readonly {
    readonly destinationId?: string;
    readonly memberId?: string;
    readonly answerAfterSecs: number;
  }[];
}

/** How it goes for one destination of a transfer, or for one person behind it. */
export interface RingState {
  readonly destinationId: string;
  readonly memberId?: string;
  readonly outcome: string;
  /** The answers that came too late. */
  readonly late: readonly { readonly code: string }[];
}

/** A platform that the suite drives. Each case gets a target in its own fresh state, {@link world}. */
export interface Target {
  readonly name: string;
  /** Address without `/api/v1`. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  /** Whether it may be newer than the contract and answer values that lists of the contract do not have. */
  readonly allowsNewValues?: boolean;
  /** What it cannot do, and why; empty when it can do everything. */
  readonly unsupported: Readonly<Partial<Record<Capability, string>>>;
  /**
   * Why the target is known to fail a case although it can do what the case needs; absent for a target that keeps the
   * whole contract. The case runs all the same: passing it makes the reason stale, and that is a failure.
   */
  knownDeviation?(contractCase: CaseName): string | undefined;
  /** Issues a credential. */
  credentialsFor(who: Caller): Promise<Credentials>;
  /** Adds to the state. */
  seed(seed: Seed): Promise<void>;
  readonly clock?: { now(): number; advance(by: { readonly by: number } | { readonly to: number }): Promise<void> };
  readonly faults?: { add(fault: Fault): Promise<void> };
  readonly policies?: { set(limits: PolicyChanges): Promise<void> };
  readonly deliveries?: {
    /** Sends a `transfer.offer` to an `app` destination and waits for its answer. */
    trigger(offer: { readonly destinationId: string }): Promise<void>;
    /** What the receivers got so far, oldest first. */
    received(): readonly Delivery[];
  };
  readonly transfers?: {
    /** Starts to ring, and gives the transfer's id. */
    start(transfer: TransferRequest): Promise<string>;
    /** How it stands, in ring order. */
    read(id: string): Promise<{ readonly status: string; readonly rings: readonly RingState[] }>;
  };
}

interface Handles {
  clock: "clock";
  faults: "faults";
  policies: "policies";
  webhooks: "deliveries";
  transfers: "transfers";
}

/** A target of which the needed capabilities are known to be there. */
export type TargetWith<Needs extends Capability> = Target &
  Required<Pick<Target, Handles[Extract<Needs, keyof Handles>]>>;
