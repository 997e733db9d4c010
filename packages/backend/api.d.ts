declare module "@call-transfer/backend" {
  export {
    Backend, BackendControls, BackendEvent, BackendOptions, Clock, Collections, ConnectionInfo, Credentials, Deliveries,
    Fault, Faults, HandledResponse, Inbox, InboxEvent, InputError, ListedFault, MemberRecord, NewTransfer, Policies,
    RequestEntry, RequestLog, RingRecord, RowChange, SandboxRegistry, SandboxRegistryOptions, SandboxStorage,
    SandboxStore, Seed, Snapshot, State, StoredRow, StoredSandbox, Stub, Stubs, TransferRecord, Transfers,
    UpcomingTimer, createBackend, createSandboxRegistry, demo, inboxUrl
  };
}

declare module "@call-transfer/backend/msw" {
  export { MswHttp, MswOptions, bypassFetch, callTransferHandlers };
}

declare type AccountRecord = Checked<"accounts">;

declare interface ApiKeyOptions {
  readonly accountId?: string | undefined;
  readonly role?: Role | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly state?: ApiKeyRecord["state"] | undefined;
  readonly expiresAt?: string | number | undefined;
  readonly allowedIps?: readonly string[] | undefined;
}

declare type ApiKeyRecord = Stored<Checked<"apiKeys">, "id" | "key", "expiresAt">;

declare interface Backend extends BackendControls {
  fetch(input: Request | URL | string, init?: RequestInit, peer?: ConnectionInfo): Promise<Response>;
  handle(request: IncomingRequest, peer?: ConnectionInfo, url?: URL): Promise<HandledResponse>;
  readonly resumed: boolean;
  close(): void;
}

declare interface BackendControls {
  readonly clock: Clock;
  advance(step: Step): Promise<readonly BackendEvent[]>;
  upcomingTimers(): readonly UpcomingTimer[];
  readonly state: State;
  readonly collections: Collections;
  readonly policies: Readonly<Policies>;
  updatePolicies(changes: Partial<Policies>): Policies;
  readonly faults: Faults;
  readonly stubs: Stubs;
  readonly deliveries: Deliveries;
  readonly inbox: Inbox;
  readonly transfers: Transfers;
  readonly credentials: Credentials;
  readonly requests: RequestLog;
  readonly events: Pick<Events, "follow" | "latest" | "lastId">;
  readonly operations: readonly OperationDescription[];
  applyScenario(name: ScenarioName): void;
  seed(seed: Seed): void;
  flush(): Promise<void>;
  snapshot(): Snapshot;
  restore(snapshot: unknown): void;
  reset(): void;
}

declare interface BackendEvent {
  readonly eventId: string;
  readonly at: string;
  readonly type: string;
  readonly id?: string;
  readonly [detail: string]: unknown;
}

declare interface BackendOptions {
  readonly seed?: Seed;
  readonly now?: string | number | Date;
  readonly clockMode?: Clock["mode"];
  readonly clockRate?: number;
  readonly randomSeed?: number;
  readonly policies?: Partial<Policies>;
  readonly faults?: readonly (Fault | string)[];
  readonly stubs?: readonly Stub[];
  readonly scenarios?: readonly ScenarioName[];
  readonly fetch?: typeof globalThis.fetch;
  readonly forwardWebhooksTo?: string;
  readonly forwardHeaders?: Readonly<Record<string, string>>;
  readonly controlPlane?: boolean;
  readonly store?: SandboxStore;
}

declare type CallRecord = Stored<Checked<"calls">, never, "createdAt" | "startedAt">;

declare interface Callee {
  readonly destinationId?: string | undefined;
  readonly memberId?: string | undefined;
}

type Checked<Name extends CollectionName> = DeepReadonly<z.output<(typeof recordSchemas)[Name]>>;

declare interface Clock {
  now(): number;
  iso(): string;
  readonly mode: ClockMode;
  readonly rate: number;
  set(setting: ClockSetting): void;
  advance(step: Step): Promise<void>;
  sleep(ms: number, id?: string): Promise<void>;
  wait(ms: number): Promise<void>;
}

declare type ClockMode = "frozen" | "running";

declare interface ClockSetting {
  readonly now?: number | string;
  readonly mode?: ClockMode;
  readonly rate?: number;
}

declare interface ClosestOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
}

declare type CollectionName = keyof typeof recordSchemas;

declare interface Collections {
  list(name: CollectionName): readonly SeedRecord[];
  get(name: CollectionName, id: string): SeedRecord | undefined;
  create(name: CollectionName, record: SeedRecord): SeedRecord;
  update(name: CollectionName, id: string, changes: SeedRecord): SeedRecord | undefined;
  delete(name: CollectionName, id: string): boolean;
}

declare interface ConnectionInfo {
  readonly address?: string;
}

declare type ContactRecord = Checked<"contacts">;

declare interface Credentials {
  createApiKey(options?: ApiKeyOptions): { readonly id: string; readonly key: string };
  createAccessToken(options: TokenOptions): Promise<string>;
}

declare interface Decision {
  readonly step: "server" | "route" | "fault" | "credentials" | "api_key" | "account" | "rate_limit" | "path" | "query" | "body" | "operation" | "stub" | "fallback";
  readonly section?: string;
  readonly detail?: string;
}

declare type DeepReadonly<Value> = Value extends object ? {
  readonly [Name in keyof Value]: DeepReadonly<Value[Name]>;
} : Value;

declare interface Deliveries {
  trigger(trigger: Trigger): Promise<Delivery>;
  redeliver(id: string): Promise<Delivery>;
  list(): readonly Delivery[];
}

declare interface Delivery {
  readonly id: string;
  readonly destinationId: string;
  readonly at: string;
  readonly url: string;
  readonly headers: { readonly [key: string]: string };
  readonly body: string;
  readonly transferId?: string;
  readonly signature?: SignatureParts;
  readonly durationMs: number;
  readonly status?: number;
  readonly accepted: boolean;
  readonly response?: DeliveryResponse;
  readonly error?: string;
  readonly redeliveryOf?: string;
  readonly fault?: string;
  readonly faultAction?: WebhookFaultAction;
}

declare interface DeliveryResponse {
  readonly status: number;
  readonly headers: { readonly [key: string]: string };
  readonly contentType?: string;
  readonly body?: string;
  readonly bodyBytes: number;
  readonly truncated: boolean;
}

declare interface DescribedTimer extends TimerPurpose {
  readonly destinationId?: string;
  readonly memberId?: string;
}

declare type DestinationRecord = Stored<Checked<"destinations">, "createdAt" | "updatedAt", "previousSecretExpiresAt">;
declare type EventDetails = Readonly<Record<string, unknown>>;

declare interface EventSelection {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

declare interface Events {
  readonly lastId: string;
  emit(type: string, about?: EventDetails | (() => EventDetails)): void;
  quietly<Result>(task: () => Result): Result;
  follow(listener: (event: BackendEvent) => void, options?: FollowOptions): () => void;
  latest(selection?: EventSelection): KeptEvents;
  end(): void;
}

declare type Fault = RequestFault | WebhookFault;

declare type FaultAction = "reset" | "empty" | "hang" | "process_then_reset" | "truncate" | "slow_body" | "wrong_content_type" | "unknown_enum_value" | {
  readonly code: ErrorCode;
  readonly errors?: readonly FaultFieldError[];
  readonly meta?: ErrorResponseMeta & { readonly [field: string]: unknown };
} | { readonly rateLimit: { readonly retryAfterSecs: number } } | {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
} | { readonly latencyMs: number };

declare interface FaultFieldError {
  readonly field: string;
  readonly code: FieldErrorCode;
  readonly message?: string;
}

declare interface FaultMatch {
  readonly operationId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: { readonly [key: string]: string };
  readonly query?: { readonly [key: string]: string };
  readonly body?: { readonly [key: string]: string | number | boolean | null };
}

declare interface FaultWhen {
  readonly nth?: number;
  readonly times?: number | null;
  readonly step?: number;
  readonly probability?: number;
}

declare interface Faults {
  add(fault: Fault | string): string;
  list(): readonly (Fault & ListedFault)[];
  delete(id: string): boolean;
  clear(): void;
}

declare type FlowRecord = Checked<"flows">;

declare interface FollowOptions {
  readonly ended?: () => void;
}

declare type GroupRecord = Stored<Checked<"groups">, "createdAt" | "updatedAt", never>;

declare interface HandledResponse {
  readonly response: Response;
  readonly plain?: PlainResponse;
  readonly transport?: TransportFault;
}

declare interface Inbox {
  response: InboxResponse;
  list(): readonly InboxEvent[];
  clear(): void;
}

declare interface InboxEvent {
  readonly at: string;
  readonly headers: { readonly [key: string]: string };
  readonly body: string;
}

declare type InboxResponse = Readonly<z.output<typeof inboxResponseSchema>>;

declare interface IncomingRequest extends Pick<Request, "method" | "url" | "body"> {
  readonly headers: RequestHeaders;
  readonly bodyBytes?: Uint8Array;
  readonly signal?: AbortSignal;
}

declare class InputError extends Error {
  static [Symbol.hasInstance](value: unknown): boolean;
  readonly name = "InputError";
  readonly field: string;
  readonly explanation: string;
  constructor(field: string, explanation: string);
}

declare interface KeptEvents {
  readonly events: readonly BackendEvent[];
  readonly complete: boolean;
}

declare interface LateAnswer {
  readonly at: number;
  readonly code: ErrorCode;
}

declare interface ListedFault {
  readonly id: string;
  readonly hits: number;
  readonly scenario?: string;
  readonly text?: string;
}

type ListedStub = Stub & Pick<ListedFault, "id" | "hits">;
type Lists = { [Name in CollectionName]: z.ZodOptional<z.ZodArray<(typeof recordSchemas)[Name]>> };
declare type MemberRecord = Checked<"members">;

declare interface MswHttp<Handler> {
  all(predicate: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

declare interface MswOptions<Handler> {
  readonly http: MswHttp<Handler>;
  readonly backend: {
    handle(request: IncomingRequest, peer?: { readonly address?: string }): Promise<HandledResponse>;
  };
  readonly baseUrl: string;
  readonly warn?: (message: string) => void;
}

declare interface NewTransfer {
  readonly destinationId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly callId?: string | undefined;
  readonly script?: readonly ScriptEntry[] | undefined;
}

declare type NumberRecord = Checked<"numbers">;

declare interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string | undefined;
}

declare interface Policies {
  rateLimit: { requests: number; windowSecs: number };
  sendRetryAfterHeader: boolean;
  trustForwardedFor: boolean;
  tokenLifetimeSecs: number;
  concurrentCallLimit: number;
  callQueueLimit: number;
  dailyCallLimit: number;
  defaultRecipientTimeZone: string;
  recheckQueuedCalls: boolean;
  callDurationSecs: number;
  callListDelaySecs: number;
  includeQueuedCalls: boolean;
  missedCallLimit: number;
  awayAfterMissedCallsSecs: number;
  ringDisabledDestinations: boolean;
  secondRotation: "replace" | "reject";
  deliveryTimeoutSecs: number;
}

declare type ProviderRecord = Checked<"providers">;

declare interface RequestCaller {
  readonly kind: "key" | "user";
  readonly key?: string;
  readonly userId?: string;
  readonly role?: string;
  readonly accountId?: string;
}

declare interface RequestDetail extends RequestEntry {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly requestBody?: unknown;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: unknown;
  readonly changes?: readonly ShownChange[];
  readonly timers?: readonly (TimerPurpose & { readonly at: string })[];
}

declare interface RequestEntry {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly operationId?: string;
  readonly status: number;
  readonly code?: string;
  readonly fault?: string;
  readonly stub?: string;
  readonly error?: string;
  readonly requestId: string;
  readonly replayOf?: number;
  readonly durationMs: number;
  readonly decidedBy: Decision;
  readonly caller?: RequestCaller;
  readonly closestOperations?: readonly ClosestOperation[];
  readonly changeCount?: number;
  readonly timerCount?: number;
}

declare interface RequestFault {
  readonly name?: string;
  readonly match?: FaultMatch;
  readonly webhooks?: never;
  readonly when?: FaultWhen;
  readonly do: FaultAction | readonly (FaultAction | "pass")[];
}

declare interface RequestFilter {
  readonly operationId?: string | undefined;
  readonly method?: string | undefined;
  readonly path?: string | undefined;
  readonly status?: number | undefined;
  readonly unmatched?: boolean | undefined;
  readonly after?: number | undefined;
}

declare interface RequestHeaders {
  get(name: string): string | null;
  [Symbol.iterator](): Iterator<[string, string]>;
}

declare interface RequestLog {
  readonly count: number;
  list(filter?: RequestFilter & { readonly limit?: number | undefined }): readonly RequestEntry[];
  get(id: number, options?: { readonly redact?: boolean | undefined }): RequestDetail | undefined;
  clear(): void;
}

declare interface RingRecord extends DeepReadonly<z.output<typeof ring>> {}

declare interface RowChange extends Omit<StoredRow, "text"> {
  readonly text: string | undefined;
}

declare type SandboxOptions = Omit<BackendOptions, "store">;

declare interface SandboxRegistry {
  handle(request: IncomingRequest, peer?: ConnectionInfo, url?: URL): Promise<HandledResponse>;
  fetch(input: Request | URL | string, init?: RequestInit, peer?: ConnectionInfo): Promise<Response>;
  readonly default: Backend;
  get(name: string): Backend | undefined;
  create(name: string, options?: SandboxOptions): Backend;
  delete(name: string): boolean;
  list(): readonly string[];
  close(): void;
}

declare interface SandboxRegistryOptions extends SandboxOptions {
  readonly stores?: SandboxStorage;
  readonly autoSandboxes?: boolean;
  readonly maxSandboxes?: number;
}

declare interface SandboxStorage {
  list(): readonly StoredSandbox[];
  open(name: string, options: string): SandboxStore;
  copy?(): Uint8Array;
  delete(name: string): void;
  close(): void;
}

declare interface SandboxStore {
  load(): Iterable<StoredRow> | undefined;
  commit(changes: readonly RowChange[]): void;
  close(): void;
}

declare type ScenarioName = "app-times-out" | "slow-app" | "all-members-away" | "secret-rotated" | "daily-limit-reached" | "queue-full" | "rate-limited" | "flaky-503" | "lost-responses";

declare interface ScriptEntry extends Callee {
  readonly answerAfterSecs?: number | undefined;
  readonly declineAfterSecs?: number | undefined;
}

declare type Seed = z.input<typeof seedSchema> & { readonly $schema?: string };
declare type SeedRecord = Readonly<Record<string, unknown>>;

declare interface ShownChange {
  readonly collection: string;
  readonly id: string;
  readonly before?: { readonly [key: string]: unknown };
  readonly after?: { readonly [key: string]: unknown };
}

declare interface SignatureParts {
  readonly t: number;
  readonly v1: readonly { readonly value: string; readonly secret: "current" | "previous" | "other" }[];
}

declare type Snapshot = z.output<typeof snapshotSchema>;

declare interface State {
  readonly accounts: Map<string, AccountRecord>;
  readonly users: Map<string, UserRecord>;
  readonly members: Map<string, MemberRecord>;
  readonly destinations: Map<string, DestinationRecord>;
  readonly groups: Map<string, GroupRecord>;
  readonly flows: Map<string, FlowRecord>;
  readonly providers: Map<string, ProviderRecord>;
  readonly numbers: Map<string, NumberRecord>;
  readonly contacts: Map<string, ContactRecord>;
  readonly calls: Map<string, CallRecord>;
  readonly apiKeys: Map<string, ApiKeyRecord>;
  readonly roles: Map<string, DeepReadonly<RoleDefinition>>;
  readonly transfers: Map<string, TransferRecord>;
}

declare type Step = { readonly by: number } | { readonly to: number | string } | { readonly nextTimer: true };

type Stored<Fields, Filled extends keyof Fields, Instants extends keyof Fields> = Omit<Fields, Filled | Instants> & {
  readonly [Name in Filled]-?: Exclude<Fields[Name], undefined>;
} & { readonly [Name in keyof Pick<Fields, Instants>]: number | Extract<Fields[Name], undefined> };

declare interface StoredRow {
  readonly table: string;
  readonly key: string;
  readonly text: string;
}

declare interface StoredSandbox {
  readonly name: string;
  readonly options: string;
}

declare interface Stub {
  readonly name?: string;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly match?: StubMatch;
  readonly public?: boolean;
  readonly response?: StubResponse;
  readonly responses?: readonly StubResponse[];
}

declare interface StubMatch {
  readonly headers?: { readonly [key: string]: string };
  readonly query?: { readonly [key: string]: string };
  readonly body?: { readonly [key: string]: string | number | boolean | null };
}

declare interface StubResponse {
  readonly status?: number;
  readonly headers?: { readonly [key: string]: string };
  readonly body?: unknown;
}

declare interface Stubs {
  add(stub: Stub): string;
  list(): readonly ListedStub[];
  delete(id: string): boolean;
  clear(): void;
}

declare interface TimerPurpose {
  readonly kind: string;
  readonly id: string;
  readonly index?: number;
}

declare interface TokenOptions {
  readonly userId: string;
  readonly expiresInSecs?: number | undefined;
  readonly expired?: true | undefined;
}

declare interface TransferRecord extends DeepReadonly<z.output<typeof transfer>> {}

declare interface Transfers {
  start(input: NewTransfer): TransferRecord;
  answer(id: string, callee: Callee): Promise<ErrorCode | undefined>;
  get(id: string): TransferRecord | undefined;
}

declare type TransportFault = { readonly kind: "reset" | "empty" | "hang" } | {
  readonly kind: "truncate";
  readonly bytes: number;
};

declare interface Trigger {
  readonly destinationId: string;
  readonly [field: string]: unknown;
}

declare interface UpcomingTimer extends DescribedTimer {
  readonly at: number;
}

declare type UserRecord = Checked<"users">;

declare interface WebhookFault {
  readonly name?: string;
  readonly webhooks: WebhookMatch;
  readonly match?: never;
  readonly when?: FaultWhen;
  readonly do: WebhookFaultAction | readonly (WebhookFaultAction | "pass")[];
}

declare type WebhookFaultAction = ("truncate" | "reorder") | {
  readonly duplicate: { readonly copies: number; readonly intervalSecs?: number };
} | { readonly retry: { readonly times: number; readonly afterSecs: number; readonly ignoreSuccess?: boolean } } | {
  readonly delaySecs: number;
} | { readonly signatureAgeSecs: number } | {
  readonly sign: "none" | "wrong_secret" | "previous_secret" | "wrong_first" | "reversed";
} | { readonly copyTo: readonly string[] };

declare interface WebhookMatch {
  readonly destinationId?: string;
  readonly url?: string;
  readonly transferId?: string;
}

declare function bypassFetch(bypass: (input: string | URL | Request, init?: RequestInit) => Request): typeof fetch;
declare function callTransferHandlers<Handler>(options: MswOptions<Handler>): Handler[];
declare function createBackend(options?: BackendOptions): Backend;
declare function createSandboxRegistry(options?: SandboxRegistryOptions): SandboxRegistry;

declare const demo: {
  readonly accountId: "a0000000-0000-4000-8000-000000000001";
  readonly foreignAccountId: "a0000000-0000-4000-8000-000000000002";
  readonly suspendedAccountId: "a0000000-0000-4000-8000-000000000003";
  readonly apiKey: "svc_live_demo0000000000000000000000000001";
  readonly foreignApiKey: "svc_live_demo0000000000000000000000000002";
  readonly users: {
    readonly owner: "b0000000-0000-4000-8000-000000000001";
    readonly admin: "b0000000-0000-4000-8000-000000000002";
    readonly member: "b0000000-0000-4000-8000-000000000003";
    readonly agent: "b0000000-0000-4000-8000-000000000004";
    readonly both: "b0000000-0000-4000-8000-000000000005";
    readonly outsider: "b0000000-0000-4000-8000-000000000006";
  };
  readonly members: {
    readonly owner: "c0000000-0000-4000-8000-000000000001";
    readonly admin: "c0000000-0000-4000-8000-000000000002";
    readonly member: "c0000000-0000-4000-8000-000000000003";
    readonly agent: "c0000000-0000-4000-8000-000000000004";
    readonly both: "c0000000-0000-4000-8000-000000000005";
    readonly foreign: "c0000000-0000-4000-8000-000000000006";
    readonly suspended: "c0000000-0000-4000-8000-000000000007";
  };
  readonly destinations: {
    readonly phone: "d0000000-0000-4000-8000-000000000001";
    readonly availableHumans: "d0000000-0000-4000-8000-000000000002";
    readonly app: "d0000000-0000-4000-8000-000000000003";
    readonly disabled: "d0000000-0000-4000-8000-000000000004";
    readonly foreign: "d0000000-0000-4000-8000-000000000005";
    readonly extra: string[];
  };
  readonly signingSecret: "demo-signing-secret-of-the-front-desk-app";
  readonly groups: { readonly existing: "e0000000-0000-4000-8000-000000000001" };
  readonly groupName: "Night shift";
  readonly flows: {
    readonly published: "f0000000-0000-4000-8000-000000000001";
    readonly draft: "f0000000-0000-4000-8000-000000000002";
    readonly foreign: "f0000000-0000-4000-8000-000000000003";
  };
  readonly providers: {
    readonly working: "f1000000-0000-4000-8000-000000000001";
    readonly rejecting: "f1000000-0000-4000-8000-000000000002";
  };
  readonly numbers: {
    readonly working: "+15550100001";
    readonly inactive: "+15550100002";
    readonly unverified: "+15550100003";
    readonly receiveOnly: "+15550100004";
    readonly rejected: "+15550100005";
    readonly foreign: "+15550100006";
  };
  readonly recipients: {
    readonly anyone: "+15550200001";
    readonly doNotCall: "+15550200002";
    readonly elsewhere: "+15550200003";
  };
  readonly calls: {
    readonly completed: "ca000000-0000-4000-8000-000000000001";
    readonly failed: "ca000000-0000-4000-8000-000000000002";
    readonly inbound: "ca000000-0000-4000-8000-000000000003";
    readonly foreign: "ca000000-0000-4000-8000-000000000004";
  };
};

declare const inboxResponseSchema: z.ZodObject<{
  status: z.ZodExactOptional<z.ZodInt>;
  delaySecs: z.ZodExactOptional<z.ZodNumber>;
}, z.core.$strict>;

declare const inboxUrl = "http://inbox.invalid/offers";

declare const recordSchemas: {
  accounts: z.ZodObject<{
    id: z.ZodString;
    name: z.ZodString;
    suspended: z.ZodDefault<z.ZodBoolean>;
    timeZone: z.ZodOptional<z.ZodString>;
  }, z.core.$strict>;
  users: z.ZodObject<{ id: z.ZodString; name: z.ZodString }, z.core.$strict>;
  members: z.ZodObject<{
    id: z.ZodString;
    accountId: z.ZodString;
    userId: z.ZodString;
    role: z.ZodEnum<{ admin: "admin"; agent: "agent"; member: "member"; owner: "owner" }>;
    availability: z.ZodDefault<z.ZodObject<{
      status: z.ZodEnum<{ available: "available"; away: "away"; offline: "offline" }>;
      source: z.ZodOptional<z.ZodNullable<z.ZodEnum<{ admin: "admin"; auto: "auto"; member: "member" }>>>;
      reason: z.ZodOptional<z.ZodNullable<z.ZodString>>;
      until: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>>;
      updatedAt: z.ZodOptional<z.ZodNullable<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>>;
    }, z.core.$strict>>;
    busy: z.ZodDefault<z.ZodBoolean>;
    hours: z.ZodOptional<z.ZodPipe<z.ZodRecord<z.ZodString, z.ZodUnknown>, z.ZodObject<{
      timeZone: z.ZodExactOptional<z.ZodString>;
      monday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      tuesday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      wednesday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      thursday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      friday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      saturday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
      sunday: z.ZodExactOptional<z.ZodArray<z.ZodObject<{ from: z.ZodString; to: z.ZodString }, z.core.$strict>>>;
    }, z.core.$strict>>>;
    missedCalls: z.ZodDefault<z.ZodInt>;
  }, z.core.$strict>;
  destinations: z.ZodObject<{
    id: z.ZodString;
    accountId: z.ZodString;
    name: z.ZodString;
    kind: z.ZodEnum<{ app: "app"; available_humans: "available_humans"; phone: "phone" }>;
    enabled: z.ZodDefault<z.ZodBoolean>;
    config: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
    signingSecret: z.ZodOptional<z.ZodString>;
    previousSecret: z.ZodOptional<z.ZodString>;
    previousSecretExpiresAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
    createdAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
    updatedAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
  }, z.core.$strict>;
  groups: z.ZodObject<{
    id: z.ZodString;
    accountId: z.ZodString;
    name: z.ZodString;
    members: z.ZodArray<z.ZodObject<{
      destinationId: z.ZodString;
      ringTimeoutSecs: z.ZodOptional<z.ZodInt>;
    }, z.core.$strip>>;
    strategy: z.ZodDefault<z.ZodEnum<{ simultaneous: "simultaneous" }>>;
    totalTimeoutSecs: z.ZodDefault<z.ZodInt>;
    createdAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
    updatedAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
  }, z.core.$strict>;
  flows: z.ZodObject<{ id: z.ZodString; accountId: z.ZodString; published: z.ZodBoolean }, z.core.$strict>;
  providers: z.ZodObject<{
    id: z.ZodString;
    accountId: z.ZodString;
    active: z.ZodDefault<z.ZodBoolean>;
    rejects: z.ZodDefault<z.ZodBoolean>;
  }, z.core.$strict>;
  numbers: z.ZodObject<{
    accountId: z.ZodString;
    number: z.ZodString;
    active: z.ZodDefault<z.ZodBoolean>;
    verified: z.ZodDefault<z.ZodBoolean>;
    canInitiateCalls: z.ZodDefault<z.ZodBoolean>;
    providerId: z.ZodOptional<z.ZodString>;
  }, z.core.$strict>;
  contacts: z.ZodObject<{
    accountId: z.ZodString;
    number: z.ZodString;
    doNotCall: z.ZodDefault<z.ZodBoolean>;
    timeZone: z.ZodOptional<z.ZodString>;
  }, z.core.$strict>;
  calls: z.ZodObject<{
    id: z.ZodString;
    accountId: z.ZodString;
    direction: z.ZodString;
    duration: z.ZodNumber;
    status: z.ZodString;
    createdAt: z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>;
    startedAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
    reason: z.ZodOptional<z.ZodString>;
    request: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>>;
  }, z.core.$strict>;
  apiKeys: z.ZodObject<{
    id: z.ZodOptional<z.ZodString>;
    key: z.ZodOptional<z.ZodString>;
    accountId: z.ZodString;
    role: z.ZodDefault<z.ZodEnum<{ admin: "admin"; agent: "agent"; member: "member"; owner: "owner" }>>;
    scopes: z.ZodOptional<z.ZodArray<z.ZodString>>;
    state: z.ZodDefault<z.ZodEnum<{ expired: "expired"; revoked: "revoked"; valid: "valid" }>>;
    expiresAt: z.ZodOptional<z.ZodUnion<readonly [z.ZodISODateTime, z.ZodString]>>;
    allowedIps: z.ZodOptional<z.ZodArray<z.ZodString>>;
  }, z.core.$strict>;
  roles: z.ZodObject<{
    role: z.ZodEnum<{ admin: "admin"; agent: "agent"; member: "member"; owner: "owner" }>;
    permissions: z.ZodArray<z.ZodString>;
  }, z.core.$strip>;
};

declare const ring: z.ZodObject<{
  destinationId: z.ZodString;
  memberId: z.ZodExactOptional<z.ZodString>;
  kind: z.ZodString;
  startedAt: z.ZodNumber;
  endsAt: z.ZodNumber;
  outcome: z.ZodEnum<{
    abandoned: "abandoned";
    answered: "answered";
    busy: "busy";
    declined: "declined";
    missed: "missed";
    ringing: "ringing";
    skipped: "skipped";
    taken: "taken";
  }>;
  reason: z.ZodExactOptional<z.ZodString>;
  deliveryId: z.ZodExactOptional<z.ZodString>;
  missedCalls: z.ZodExactOptional<z.ZodInt>;
  lateAnswers: z.ZodArray<z.ZodType<LateAnswer, unknown, z.core.$ZodTypeInternals<LateAnswer, unknown>>>;
}, z.core.$strip>;

declare const seedSchema: z.ZodObject<Lists, z.core.$strict>;

declare const snapshotSchema: z.ZodObject<{
  version: z.ZodLiteral<1>;
  now: z.ZodNumber;
  mode: z.ZodEnum<{ frozen: "frozen"; running: "running" }>;
  rate: z.ZodNumber;
  random: z.ZodRecord<z.ZodString, z.ZodInt>;
  tokenSecret: z.ZodString;
  policies: z.ZodRecord<z.ZodString, z.ZodUnknown>;
  seed: z.ZodRecord<z.ZodString, z.ZodUnknown>;
  windows: z.ZodArray<z.ZodObject<{ credential: z.ZodString; from: z.ZodNumber; count: z.ZodInt }, z.core.$strict>>;
  transfers: z.ZodArray<z.ZodType<TransferRecord, unknown, z.core.$ZodTypeInternals<TransferRecord, unknown>>>;
  timers: z.ZodArray<z.ZodObject<{
    kind: z.ZodString;
    id: z.ZodString;
    index: z.ZodExactOptional<z.ZodInt>;
    at: z.ZodNumber;
  }, z.core.$strict>>;
  faults: z.ZodObject<{
    last: z.ZodInt;
    waiting: z.ZodArray<z.ZodObject<{ id: z.ZodString }, z.core.$loose>>;
  }, z.core.$strict>;
  stubs: z.ZodObject<{
    last: z.ZodInt;
    waiting: z.ZodArray<z.ZodObject<{ id: z.ZodString }, z.core.$loose>>;
  }, z.core.$strict>;
  inbox: z.ZodObject<{
    status: z.ZodExactOptional<z.ZodInt>;
    delaySecs: z.ZodExactOptional<z.ZodNumber>;
  }, z.core.$strict>;
}, z.core.$strict>;

declare const transfer: z.ZodObject<{
  id: z.ZodString;
  accountId: z.ZodString;
  destinationId: z.ZodExactOptional<z.ZodString>;
  groupId: z.ZodExactOptional<z.ZodString>;
  callId: z.ZodExactOptional<z.ZodString>;
  status: z.ZodEnum<{
    abandoned: "abandoned";
    connected: "connected";
    ended: "ended";
    ringing: "ringing";
    unanswered: "unanswered";
  }>;
  startedAt: z.ZodNumber;
  callEndsAt: z.ZodExactOptional<z.ZodNumber>;
  answeredAt: z.ZodExactOptional<z.ZodNumber>;
  answeredRingIndex: z.ZodExactOptional<z.ZodInt>;
  endedAt: z.ZodExactOptional<z.ZodNumber>;
  rings: z.ZodArray<z.ZodType<RingRecord, unknown, z.core.$ZodTypeInternals<RingRecord, unknown>>>;
  answers: z.ZodArray<z.ZodInt>;
}, z.core.$strip>;
