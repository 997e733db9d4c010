declare module "@call-transfer/contract" {
  export { CaseResult, ContractCase, Coverage, Target, cases, coverageGaps, measureCoverage, runCase };
}

declare module "@call-transfer/contract/webhooks" {
  export { EventStoreCase, OpenEventStore, eventStoreCases };
}

declare type BrokenResponse = "reset" | "empty" | "hang" | "process_then_reset" | "truncate" | "slow_body" | "wrong_content_type" | "unknown_enum_value";
declare type Caller = TokenHolder | KeyHolder;
declare type Capability = "state" | "validation" | "authentication" | "clock" | "faults" | "policies" | "webhooks" | "transfers";

declare interface CaseName {
  readonly resource: string;
  readonly name: string;
}

declare interface CaseResult extends CaseName {
  readonly target: string;
  readonly covers: readonly ClaimedCell[];
  readonly exchanges: readonly Exchange[];
  readonly findings: readonly Finding[];
  readonly failure?: string;
  readonly trace?: readonly string[];
  readonly missing?: readonly MissingCapability[];
  readonly deviation?: string;
  readonly durationMs: number;
}

declare type CellOrigin = "behaviour" | "on demand";

declare class Check {
  readonly findings: Finding[];
  isTrue(condition: boolean, what: string): void;
  equal(actual: unknown, expected: unknown, what: string): void;
  rejected(call: PromiseLike<unknown>, code: ErrorCode): Promise<ApiError>;
  rejectedWithStatus(call: PromiseLike<unknown>, code: ErrorCode, assumption: string, what: string): Promise<ApiError>;
  observe(assumption: string, subject: string, observed: string, holds: boolean): void;
  fails(call: PromiseLike<unknown>): Promise<void>;
  private failed;
}

declare type ClaimedCell = {
  readonly kind: "field";
  readonly operation: OperationId;
  readonly field: string;
  readonly keyword: string;
  readonly side: "valid" | "invalid";
} | { readonly kind: "role"; readonly operation: OperationId; readonly role: string } | {
  readonly kind: "demand";
  readonly code: string;
} | { readonly kind: "transition"; readonly transition: Transition } | {
  readonly kind: "webhook";
  readonly event: string;
  readonly signing: "signed" | "rotated";
} | { readonly kind: "reaction"; readonly fault: string; readonly idempotency: Idempotency };

declare interface ContractCase extends CaseName {
  readonly requires: readonly Capability[];
  readonly covers: readonly ClaimedCell[];
  run(target: Target, check: Check): Promise<void>;
}

declare interface Coverage {
  readonly tallies: readonly TargetSummary[];
  readonly rows: readonly CoverageRow[];
  readonly undocumented: readonly string[];
}

declare type CoverageCell = ClaimedCell | {
  readonly kind: "status";
  readonly operation: string;
  readonly status: number;
} | { readonly kind: "code"; readonly operation: string; readonly code: string } | {
  readonly kind: "story";
  readonly operation: string;
};

declare interface CoverageRow extends DocumentedCell {
  readonly reached: ReadonlyMap<string, CellOrigin>;
  readonly missed: ReadonlyMap<string, readonly string[]>;
}

declare interface Credentials {
  readonly apiKey?: string;
  readonly accessToken?: string;
  readonly accountId?: string;
}

declare interface Delivery {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string;
}

declare interface DocumentedCell {
  readonly cell: CoverageCell;
  readonly expected: CellOrigin;
}

declare interface EventStoreCase {
  readonly name: string;
  run(openStore: OpenEventStore): Promise<void>;
}

declare interface Exchange {
  readonly operation?: OperationId;
  readonly status: number;
  readonly code?: string;
  readonly byFault: boolean;
}

declare interface Fault {
  readonly match?: { readonly operationId?: OperationId };
  readonly times?: number;
  readonly do: { readonly code: ErrorCode } | {
    readonly status: number;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  } | BrokenResponse;
}

declare interface Finding {
  readonly assumption: string;
  readonly subject: string;
  readonly observed: string;
  readonly holds: boolean;
}

declare type Idempotency = OperationDescription["idempotency"];

declare interface KeyHolder {
  readonly keyAccountId: string;
  readonly accountId?: string;
  readonly role?: Role;
  readonly scopes?: readonly string[];
  readonly state?: "valid" | "expired" | "revoked";
  readonly allowedIps?: readonly string[];
}

declare interface MissingCapability {
  readonly capability: Capability;
  readonly reason: string;
}

declare type OpenEventStore = () => EventStore | Promise<EventStore>;

declare interface PolicyChanges {
  readonly rateLimit?: { readonly requests: number; readonly windowSecs: number };
  readonly concurrentCallLimit?: number;
  readonly callQueueLimit?: number;
  readonly dailyCallLimit?: number;
  readonly defaultRecipientTimeZone?: string;
}

declare interface RingState {
  readonly destinationId: string;
  readonly memberId?: string;
  readonly outcome: string;
  readonly lateAnswers: readonly { readonly code: string }[];
}

declare interface Seed {
  readonly accounts?: { id: string; name: string; suspended?: boolean; timeZone?: string }[];
  readonly users?: { id: string; name: string }[];
  readonly members?: SeedMember[];
  readonly destinations?: SeedDestination[];
  readonly groups?: SeedGroup[];
  readonly flows?: { id: string; accountId: string; published: boolean }[];
  readonly numbers?: SeedNumber[];
  readonly providers?: { id: string; accountId: string; rejects?: boolean }[];
  readonly contacts?: { accountId: string; number: string; doNotCall?: boolean; timeZone?: string }[];
  readonly calls?: SeedCall[];
}

declare interface SeedCall {
  id: string;
  accountId: string;
  direction: string;
  duration: number;
  status: string;
  createdAt: string;
}

declare interface SeedDestination {
  enabled?: boolean;
  id: string;
  accountId: string;
  name: string;
  kind: "phone" | "available_humans" | "app";
  config?: Record<string, unknown>;
  signingSecret?: string;
}

interface SeedGroup {
  id: string;
  accountId: string;
  name: string;
  members: { destinationId: string; ringTimeoutSecs?: number }[];
}

declare interface SeedMember {
  id: string;
  accountId: string;
  userId: string;
  role: "owner" | "admin" | "member" | "agent";
  availability?: {
    status: "available" | "away" | "offline";
    source?: "member" | "admin" | "auto" | null;
    reason?: string | null;
    until?: string | null;
    updatedAt?: string | null;
  };
  busy?: boolean;
  hours?: Record<string, unknown>;
}

declare interface SeedNumber {
  accountId: string;
  number: string;
  active: boolean;
  verified: boolean;
  canInitiateCalls: boolean;
  providerId?: string;
}

declare interface Target {
  readonly name: string;
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
  createClient?(options: ClientOptions, time?: TimeRecord): CallTransfer;
  readonly specificationOnly?: boolean;
  readonly unsupported: Readonly<Partial<Record<Capability, string>>>;
  knownDeviation?(contractCase: CaseName): string | undefined;
  credentialsFor(who: Caller): Promise<Credentials>;
  seed(seed: Seed): Promise<void>;
  readonly clock?: { now(): number; advance(by: { readonly by: number } | { readonly to: number }): Promise<void> };
  readonly faults?: { add(fault: Fault): Promise<void> };
  readonly policies?: { set(limits: PolicyChanges): Promise<void> };
  readonly deliveries?: {
    trigger(offer: { readonly destinationId: string }): Promise<void>;
    received(): readonly Delivery[];
  };
  readonly transfers?: {
    start(transfer: TransferRequest): Promise<string>;
    read(id: string): Promise<{ readonly status: string; readonly rings: readonly RingState[] }>;
  };
}

declare interface TargetSummary {
  readonly target: string;
  readonly passed: number;
  readonly failed: number;
  readonly deviating: number;
  readonly notRun: number;
  readonly lacking: readonly Capability[];
}

declare interface TimeRecord {
  readonly firstDeadlineMs?: number;
  readonly waits: number[];
  readonly attemptTimeoutsMs: number[];
}

declare interface TokenHolder {
  readonly userId: string;
  readonly accountId?: string;
  readonly expired?: true;
  readonly deleted?: true;
}

declare interface TransferRequest {
  readonly destinationId?: string;
  readonly groupId?: string;
  readonly callId?: string;
  readonly script?: readonly {
    readonly destinationId?: string;
    readonly memberId?: string;
    readonly answerAfterSecs: number;
  }[];
}

declare type Transition = (typeof transitions)[number];
declare const cases: readonly ContractCase[];
declare function coverageGaps({ rows, tallies, undocumented }: Coverage): string[];
declare const eventStoreCases: readonly EventStoreCase[];
declare function measureCoverage(runs: readonly CaseResult[]): Coverage;
declare function runCase(contractCase: ContractCase, target: Target): Promise<CaseResult>;
declare const transitions: readonly ["availability: away → available, when `until` passes", "availability: offline → available, when `until` passes", "availability: away stays, without `until`", "availability: offline stays, without `until`", "hours: set → none, when removed", "hours: none → none, when removed", "signing secret: current → previous, by a rotation", "signing secret: previous → invalid, when the overlap ends", "signing secret: previous → invalid, by the next rotation", "call: placed → in progress, below the concurrent-call limit", "call: placed → queued, at the concurrent-call limit", "call: placed → rejected, beyond the queue limit", "call: queued → in progress, when another call ends", "daily limit: exhausted → free, at midnight UTC", "callable hours: closed → open, when they begin", "callable hours: open → closed, when they end", "rate limit: exhausted → free, after retryAfterSecs", "access token: valid → expired, over time"];
