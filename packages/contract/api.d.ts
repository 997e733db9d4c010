declare module "@call-transfer/contract" {
  export { BrokenAnswer };
  export { Capability };
  export { CaseName };
  export { ContractCase };
  export { Coverage };
  export { Credentials };
  export { Delivery };
  export { Exchange };
  export { Fault };
  export { Finding };
  export { Hindrance };
  export { KeyHolder };
  export { Limits };
  export { OpenTarget };
  export { Run };
  export { Seed };
  export { Shared };
  export { Target };
  export { TargetRunner };
  export { TargetWith };
  export { TokenHolder };
  export { Who };
  export { cases };
  export { coverageOf };
  export { gapsOf };
  export { perCase };
  export { runCase };
  export { withShared };
  export { world };
}

declare type BrokenAnswer = "reset" | "empty" | "hang" | "processThenDrop" | "truncate" | "slowBody" | "wrongContentType" | "unknownEnum";

declare type Capability = "stateful" | "validates" | "auth" | "clock" | "faults" | "policies" | "webhooks" | "transfers" | "destructive";

declare interface CaseName {
    readonly noun: string;
    readonly name: string;
}

declare type Cell = ClaimedCell | {
    readonly kind: "status";
    readonly operation: string;
    readonly status: number;
} | {
    readonly kind: "code";
    readonly operation: string;
    readonly code: string;
} | {
    readonly kind: "story";
    readonly operation: string;
};

declare class Check {
    readonly findings: Finding[];
    that(condition: boolean, what: string): void;
    equal(actual: unknown, expected: unknown, what: string): void;
    refused(call: PromiseLike<unknown>, code: ErrorCode): Promise<ApiError>;
    refusedLike(call: PromiseLike<unknown>, code: ErrorCode, assumption: string, what: string): Promise<ApiError>;
    observe(assumption: string, what: string, met: string, holds: boolean): void;
    fails(call: PromiseLike<unknown>): Promise<void>;
    private failed;
}

declare type ClaimedCell = {
    readonly kind: "field";
    readonly operation: OperationId;
    readonly field: string;
    readonly keyword: string;
    readonly side: "valid" | "invalid";
} | {
    readonly kind: "role";
    readonly operation: OperationId;
    readonly role: string;
} | {
    readonly kind: "demand";
    readonly code: string;
} | {
    readonly kind: "transition";
    readonly transition: Transition;
} | {
    readonly kind: "webhook";
    readonly event: string;
    readonly signing: "signed" | "rotated";
} | {
    readonly kind: "reaction";
    readonly fault: string;
    readonly retry: RetryClass;
};

declare interface ContractCase extends CaseName {
    readonly needs: readonly Capability[];
    readonly covers: readonly ClaimedCell[];
    run(target: Target, check: Check): Promise<void>;
}

declare interface Coverage {
    readonly tallies: readonly Tally[];
    readonly rows: readonly Row[];
    readonly undocumented: readonly string[];
    readonly findings: readonly string[];
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

declare interface Documented {
    readonly cell: Cell;
    readonly expected: Way;
}

declare interface Exchange {
    readonly operation?: OperationId;
    readonly status: number;
    readonly code?: string;
    readonly onDemand: boolean;
}

declare interface Fault {
    readonly match?: {
        readonly operationId?: OperationId;
    };
    readonly times?: number;
    readonly do: {
        readonly code: ErrorCode;
    } | {
        readonly status: number;
        readonly body?: unknown;
        readonly headers?: Readonly<Record<string, string>>;
    } | BrokenAnswer;
}

declare interface Finding {
    readonly assumption: string;
    readonly what: string;
    readonly met: string;
    readonly holds: boolean;
}

interface Handles {
    clock: "clock";
    faults: "faults";
    policies: "policies";
    webhooks: "deliveries";
    transfers: "transfers";
}

declare interface Hindrance {
    readonly capability: Capability;
    readonly why: string;
}

declare interface KeyHolder {
    readonly keyOf: string;
    readonly accountId?: string;
    readonly role?: Role;
    readonly scopes?: readonly string[];
    readonly state?: "valid" | "expired" | "revoked";
    readonly allowedIps?: readonly string[];
}

declare interface Limits {
    readonly rateLimit?: {
        readonly requests: number;
        readonly windowSecs: number;
    };
    readonly concurrentCallLimit?: number;
    readonly callQueueLimit?: number;
    readonly dailyCallLimit?: number;
    readonly recipientTimeZone?: string;
}

declare interface OpenTarget {
    readonly target: Target;
    close(): Promise<void>;
}

declare type RetryClass = OperationDescription["retry"];

declare interface RingState {
    readonly destinationId: string;
    readonly memberId?: string;
    readonly outcome: string;
    readonly late: readonly {
        readonly code: string;
    }[];
}

declare interface Row extends Documented {
    readonly reached: ReadonlyMap<string, Way>;
    readonly missed: ReadonlyMap<string, readonly string[]>;
}

declare interface Run extends CaseName {
    readonly target: string;
    readonly covers: readonly ClaimedCell[];
    readonly exchanges: readonly Exchange[];
    readonly findings: readonly Finding[];
    readonly failure?: string;
    readonly trace?: readonly string[];
    readonly hindrances?: readonly Hindrance[];
    readonly deviation?: string;
    readonly tookMs: number;
}

declare interface Seed {
    readonly accounts?: {
        id: string;
        name: string;
        suspended?: boolean;
        timeZone?: string;
    }[];
    readonly users?: {
        id: string;
        name: string;
    }[];
    readonly members?: SeedMember[];
    readonly destinations?: SeedDestination[];
    readonly flows?: {
        id: string;
        accountId: string;
        published: boolean;
    }[];
    readonly numbers?: SeedNumber[];
    readonly providers?: {
        id: string;
        accountId: string;
        rejects?: boolean;
    }[];
    readonly contacts?: {
        accountId: string;
        number: string;
        doNotCall?: boolean;
        timeZone?: string;
    }[];
    readonly calls?: SeedCall[];
}

interface SeedCall {
    id: string;
    accountId: string;
    direction: string;
    duration: number;
    status: string;
    createdAt: string;
}

interface SeedDestination {
    enabled?: boolean;
    id: string;
    accountId: string;
    name: string;
    kind: "phone" | "available_humans" | "app";
    config?: Record<string, unknown>;
    signingSecret?: string;
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

interface SeedNumber {
    accountId: string;
    number: string;
    active: boolean;
    verified: boolean;
    canInitiateCalls: boolean;
    providerId?: string;
}

declare interface Shared {
    open(): Promise<OpenTarget>;
    stop(): Promise<void>;
}

declare interface Tally {
    readonly target: string;
    readonly passed: number;
    readonly failed: number;
    readonly deviations: ReadonlyMap<string, readonly string[]>;
    readonly notRun: ReadonlyMap<Capability, {
        readonly why: string;
        readonly cases: number;
    }>;
}

declare interface Target {
    readonly name: string;
    readonly baseUrl: string;
    readonly fetch: typeof globalThis.fetch;
    readonly allowsNewValues?: boolean;
    readonly cannot: Readonly<Partial<Record<Capability, string>>>;
    deviates?(contractCase: CaseName): string | undefined;
    as(who: Who): Promise<Credentials>;
    given(seed: Seed): Promise<void>;
    readonly clock?: {
        now(): number;
        advance(by: {
            readonly by: number;
        } | {
            readonly to: number;
        }): Promise<void>;
    };
    readonly faults?: {
        add(fault: Fault): Promise<void>;
    };
    readonly policies?: {
        set(limits: Limits): Promise<void>;
    };
    readonly deliveries?: {
        trigger(offer: {
            readonly destinationId: string;
        }): Promise<void>;
        received(): readonly Delivery[];
    };
    readonly transfers?: {
        start(transfer: TransferRequest): Promise<string>;
        read(id: string): Promise<{
            readonly status: string;
            readonly rings: readonly RingState[];
        }>;
    };
}

declare interface TargetRunner {
    readonly name: string;
    run(cases: readonly ContractCase[], onRun: (run: Run) => void): Promise<void>;
}

declare type TargetWith<Needs extends Capability> = Target & Required<Pick<Target, Handles[Extract<Needs, keyof Handles>]>>;

declare interface TokenHolder {
    readonly userId: string;
    readonly accountId?: string;
    readonly expired?: true;
}

declare interface TransferRequest {
    readonly destinationId?: string;
    readonly groupId?: string;
    readonly script?: readonly {
        readonly destinationId?: string;
        readonly memberId?: string;
        readonly answerAfterSecs: number;
    }[];
}

declare type Transition = (typeof transitions)[number];

declare type Way = "behaviour" | "on demand";

declare type Who = TokenHolder | KeyHolder;

declare const accounts: {
    home: string;
    foreign: string;
    suspended: string;
};

declare const cases: readonly ContractCase[];

declare function coverageOf(runs: readonly Run[]): Coverage;

declare const destinations: {
    app: string;
    phone: string;
    people: string;
    foreignApp: string;
    many: string[];
};

declare function gapsOf({ rows, tallies, undocumented }: Coverage): string[];

declare const members: {
    owner: string;
    admin: string;
    member: string;
    agent: string;
    colleague: string;
    foreign: string;
};

declare const perCase: (name: string, open: () => Promise<OpenTarget>) => TargetRunner;

declare function runCase(contractCase: ContractCase, target: Target): Promise<Run>;

declare const transitions: readonly ["availability: away → available, as `until` passes", "availability: offline → available, as `until` passes", "availability: away stays, without `until`", "availability: offline stays, without `until`", "hours: set → none, by their removal", "hours: none → none, by their removal", "signing secret: current → previous, by a rotation", "signing secret: previous → void, as the overlap ends", "signing secret: previous → void, by the next rotation", "call: placed → in progress, below the concurrent-call limit", "call: placed → queued, at the concurrent-call limit", "call: placed → refused, beyond the queue", "call: queued → in progress, as another call ends", "daily quota: used up → free, at midnight UTC", "callable hours: closed → open, as they begin", "callable hours: open → closed, as they end", "rate limit: used up → free, after the wait that it names", "access token: valid → expired, with time"];

declare const users: {
    owner: string;
    admin: string;
    member: string;
    agent: string;
    colleague: string;
    stranger: string;
};

declare const withShared: (name: string, start: () => Promise<Shared>) => TargetRunner;

declare const world: Seed;
