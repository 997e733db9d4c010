import type { CallTransfer, ClientOptions } from "@call-transfer/sdk";
import type { ErrorCode, OperationId, Role } from "@call-transfer/spec";
import type { Seed } from "../fixtures/seed.ts";

/** An ability of a target. A case lists those it needs. */
export type Capability =
  /** Keeps what was created. */
  | "state"
  /** Rejects requests that violate the contract. */
  | "validation"
  /** Checks credentials. */
  | "authentication"
  /** Has a clock that can be read and advanced. */
  | "clock"
  /** Can inject faults. */
  | "faults"
  /** Has policies that can be changed. */
  | "policies"
  /** Can trigger webhooks and list the deliveries. */
  | "webhooks"
  /** Can transfer calls and show their progress. */
  | "transfers";

/** Identifies a case. */
export interface CaseName {
  /** The subject of the case, e.g. `destination-groups`. */
  readonly resource: string;
  /** The checked behaviour, as a sentence. */
  readonly name: string;
}

/** The sender of a request. */
export type Caller = TokenHolder | KeyHolder;

/** A user with a JWT. */
export interface TokenHolder {
  /** The user. */
  readonly userId: string;
  /** The value of `X-Account-Id`; the header is absent without it. */
  readonly accountId?: string;
  /** Whether the token has expired. */
  readonly expired?: true;
  /** Whether the user is deleted after the token is issued. */
  readonly deleted?: true;
}

/** A program with an API key. */
export interface KeyHolder {
  /** The account that the key belongs to. */
  readonly keyAccountId: string;
  /** The value of `X-Account-Id`; the header is absent without it. */
  readonly accountId?: string;
  /** The role of the key; `owner` by default. */
  readonly role?: Role;
  /** The scopes of the key; all by default. */
  readonly scopes?: readonly string[];
  /** The state of the key; `valid` by default. */
  readonly state?: "valid" | "expired" | "revoked";
  /** The addresses that may use the key; any by default. */
  readonly allowedIps?: readonly string[];
}

/** The authentication options of the SDK's client. */
export interface Credentials {
  /** An API key. */
  readonly apiKey?: string;
  /** An access token (JWT). */
  readonly accessToken?: string;
  /** The account to send with each request. */
  readonly accountId?: string;
}

/** A broken response or connection, named as in the control plane. */
export type BrokenResponse =
  | "reset"
  | "empty"
  | "hang"
  | "process_then_reset"
  | "truncate"
  | "slow_body"
  | "wrong_content_type"
  | "unknown_enum_value";

/** A response that a target returns instead of its own. */
export interface Fault {
  /** Which requests it applies to; every request by default. */
  readonly match?: { readonly operationId?: OperationId };
  /** The number of requests it applies to; 1 by default. */
  readonly times?: number;
  /** What the target returns: an error code, any response, or one that breaks the contract. */
  readonly do:
    | { readonly code: ErrorCode }
    | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
    | BrokenResponse;
}

/** Policies to change: limits that the specification does not define. */
export interface PolicyChanges {
  /** Requests of one credential in a window of seconds (§8.1). */
  readonly rateLimit?: { readonly requests: number; readonly windowSecs: number };
  /** Maximum concurrent calls of one account. */
  readonly concurrentCallLimit?: number;
  /** Maximum queued calls of one account. */
  readonly callQueueLimit?: number;
  /** Maximum calls of one account per UTC day. */
  readonly dailyCallLimit?: number;
  /** The time zone of recipients when neither the contact nor the account has one. */
  readonly defaultRecipientTimeZone?: string;
}

/** A webhook as received. */
export interface Delivery {
  /** The address that it was sent to. */
  readonly url: string;
  /** The request headers. */
  readonly headers: Headers;
  /** The raw body. */
  readonly body: string;
}

/** A call to transfer: exactly one of `destinationId` and `groupId`. */
export interface TransferRequest {
  readonly destinationId?: string;
  readonly groupId?: string;
  /** The call, in progress in the same account; a call of its own without it. */
  readonly callId?: string;
  /** The phones and members that answer, and after how many seconds. All others do not; apps answer their offers. */
  readonly script?: readonly {
    readonly destinationId?: string;
    readonly memberId?: string;
    readonly answerAfterSecs: number;
  }[];
}

/** The state of a transfer for one destination, or for one member behind it. */
export interface RingState {
  readonly destinationId: string;
  readonly memberId?: string;
  readonly outcome: string;
  /** Answers that came too late, with their error codes. */
  readonly lateAnswers: readonly { readonly code: string }[];
}

/** How a client spends its time in a case: its waits end at once, and are recorded here, in milliseconds. */
export interface TimeRecord {
  /** Ends the first attempt after so many milliseconds of real time. */
  readonly firstDeadlineMs?: number;
  /** The waits before retries. */
  readonly waits: number[];
  /** The time that each attempt may take. */
  readonly attemptTimeoutsMs: number[];
}

/** A server under test. Each case gets a target in the same fresh state. */
export interface Target {
  /** The name in results and coverage. */
  readonly name: string;
  /** Base URL without `/api/v1`. */
  readonly baseUrl: string;
  /** Sends a request to the target. */
  readonly fetch: typeof globalThis.fetch;
  /** Creates the client that cases use, such as one in another language; the SDK's by default. */
  createClient?(options: ClientOptions, time?: TimeRecord): CallTransfer;
  /** Whether only what the specification states is checked in responses, and nothing that this project assumes. */
  readonly specificationOnly?: boolean;
  /** The capabilities it lacks, each with the reason; empty when it has all. */
  readonly unsupported: Readonly<Partial<Record<Capability, string>>>;
  /**
   * The reason why the target is expected to fail a case although it has the capabilities; undefined for other cases.
   * The case still runs. If it passes, the reason is outdated, and that is a failure.
   */
  knownDeviation?(contractCase: CaseName): string | undefined;
  /** Issues a credential. */
  credentialsFor(who: Caller): Promise<Credentials>;
  /** Adds records to the state. */
  seed(seed: Seed): Promise<void>;
  /** Reads and moves the target's clock; times are in milliseconds. For the capability `clock`. */
  readonly clock?: { now(): number; advance(by: { readonly by: number } | { readonly to: number }): Promise<void> };
  /** Adds faults. For the capability `faults`. */
  readonly faults?: { add(fault: Fault): Promise<void> };
  /** Changes policies. For the capability `policies`. */
  readonly policies?: { set(limits: PolicyChanges): Promise<void> };
  /** Sends and lists webhooks. For the capability `webhooks`. */
  readonly deliveries?: {
    /** Sends a `transfer.offer` to an `app` destination and waits for the response. */
    trigger(offer: { readonly destinationId: string }): Promise<void>;
    /** The deliveries so far, oldest first. */
    received(): readonly Delivery[];
  };
  /** Transfers calls and shows their progress. For the capability `transfers`. */
  readonly transfers?: {
    /** Starts ringing; returns the transfer's id. */
    start(transfer: TransferRequest): Promise<string>;
    /** The current state, in ring order. */
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

/** A target that has the needed capabilities. */
export type TargetWith<Requires extends Capability> = Target &
  Required<Pick<Target, Handles[Extract<Requires, keyof Handles>]>>;
