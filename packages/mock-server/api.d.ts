declare module "@call-transfer/mock-server" {
  export {
    MockServer, MockServerOptions, PrismServer, PrismServerOptions, StoreError, TlsOptions, startMockServer,
    startPrismServer
  };
}

declare module "@call-transfer/mock-server/attack" {
  export { AttackOptions, AttackReport, Finding, HandledCounts, attackReceiver, formatReport };
}

declare module "@call-transfer/mock-server/backend" {
  export {
    Backend, BackendControls, BackendEvent, BackendOptions, Clock, Collections, ConnectionInfo, Credentials, Deliveries,
    Fault, Faults, HandledResponse, Inbox, InboxEvent, InputError, ListedFault, MemberRecord, NewTransfer, Policies,
    RequestEntry, RequestLog, RingRecord, RowChange, SandboxRegistry, SandboxRegistryOptions, SandboxStorage,
    SandboxStore, Seed, Snapshot, State, StoredRow, StoredSandbox, Stub, Stubs, TransferRecord, Transfers,
    UpcomingTimer, createBackend, createSandboxRegistry, demo, inboxUrl
  };
}

declare module "@call-transfer/mock-server/inspector" {
  export { MountOptions, MountedInspector, mountInspector };
}

declare module "@call-transfer/mock-server/msw" {
  export { MswHttp, MswOptions, bypassFetch, callTransferHandlers };
}

declare module "@call-transfer/mock-server/vitest" {
  export { AccountToken, CallTransferFixtures, CallTransferSandbox, SandboxOptions, WebhookHandler, callTransferFixtures, demo };
}

declare module "@call-transfer/mock-server/playwright" {
  export {
    AccountToken, BrowserCallTransfer, CallTransferOptions, CallTransferSandbox, CallTransferTestFixtures,
    CallTransferWorkerFixtures, SandboxOptions, WebhookHandler, callTransferFixtures, demo
  };
}

declare module "@call-transfer/mock-server/worker" {
  export {
    Fetcher, ObjectNamespace, ObjectState, ObjectStorage, Sandbox, SandboxDirectory, SqlStorage, WorkerEnv, worker as
    default
  };
}

declare interface AccountToken {
  readonly accessToken: string;
  readonly accountId: string;
}

declare interface AttackOptions {
  readonly url: string | readonly string[];
  readonly secret: string;
  readonly previousSecret?: string;
  readonly handled?: () => HandledCounts | Promise<HandledCounts>;
  readonly timeoutMs?: number;
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly allowRemote?: boolean;
}

declare interface AttackReport {
  readonly urls: readonly string[];
  readonly findings: readonly Finding[];
  readonly passed: number;
  readonly notChecked: readonly string[];
  readonly deliveries: number;
}

declare interface BrowserCallTransfer extends CallTransferSandbox {
  logIn(context: BrowserContext, role: Role | null): Promise<void>;
}

declare interface CallTransferFixtures {
  callTransferOptions: SandboxOptions;
  callTransferServer: MockServer;
  callTransfer: CallTransferSandbox;
}

declare interface CallTransferOptions {
  callTransferOptions: SandboxOptions;
  callTransferBaseUrl: string | undefined;
  callTransferRole: Role | null;
}

declare interface CallTransferSandbox extends Pick<Backend, "clock" | "faults" | "inbox" | "deliveries" | "requests"> {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly accountId: string;
  readonly backend: Backend;
  createAccessToken(role: Role, accountId?: string): Promise<AccountToken>;
  forwardWebhooksTo(handler: WebhookHandler): void;
}

declare interface CallTransferTestFixtures extends CallTransferOptions {
  callTransfer: BrowserCallTransfer;
}

declare interface CallTransferWorkerFixtures {
  callTransferServer: MockServer;
}

declare interface Fetcher {
  fetch(request: Request): Promise<Response>;
}

declare interface Finding {
  readonly title: string;
  readonly kind: "accepted" | "refused" | "handled_twice" | "leaked" | "other";
  readonly checks: readonly string[];
  readonly reference: string;
  readonly expected: string;
  readonly problem: string;
  readonly fix: string;
  readonly evidence?: { readonly sent: string; readonly answer: string };
}

declare type HandledCounts = Readonly<Record<string, number>> | ReadonlyMap<string, number>;

declare interface MockServer {
  readonly url: string;
  readonly port: number;
  readonly controlToken: string | undefined;
  readonly sandboxes: SandboxRegistry;
  readonly backend: Backend;
  close(): Promise<void>;
}

declare interface MockServerOptions extends SandboxRegistryOptions {
  readonly port?: number;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly allowedHosts?: readonly string[];
  readonly controlToken?: string;
  readonly tls?: TlsOptions;
  readonly corsOrigins?: readonly string[];
  readonly dataFile?: string;
}

declare interface ObjectNamespace<Id = unknown> {
  idFromName(name: string): Id;
  get(id: Id): Fetcher;
}

declare interface ObjectState {
  readonly storage: ObjectStorage;
}

declare interface ObjectStorage {
  readonly sql: SqlStorage;
  transactionSync<Result>(task: () => Result): Result;
  setAlarm(at: number): Promise<void>;
  deleteAlarm(): Promise<void>;
  deleteAll(): Promise<void>;
}

declare interface PrismServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

declare interface PrismServerOptions {
  readonly port?: number;
  readonly host?: string;
  readonly cors?: boolean;
}

declare class Sandbox {
  #private;
  constructor(state: ObjectState, env: WorkerEnv);
  fetch(request: Request): Promise<Response>;
  alarm(): Promise<void>;
}

declare class SandboxDirectory {
  #private;
  constructor(state: ObjectState, env: WorkerEnv);
  fetch(request: Request): Promise<Response>;
}

declare type SandboxOptions = Pick<BackendOptions, "seed" | "now" | "clockMode" | "randomSeed" | "policies" | "faults">;

declare interface SqlStorage {
  exec(query: string, ...values: (string | number | null)[]): Iterable<Record<string, SqlValue>>;
}

type SqlValue = string | number | null | ArrayBuffer;

declare class StoreError extends Error {
  readonly name = "StoreError";
}

interface TestParts {
  readonly task: { readonly name: string; readonly fails?: boolean };
  onTestFailed(handler: () => void): void;
}

declare interface TlsOptions {
  readonly cert: string | Uint8Array;
  readonly key: string | Uint8Array;
}

type Use<Value> = (value: Value) => Promise<void>;
declare type WebhookHandler = (request: Request) => Response | Promise<Response>;

declare interface WorkerEnv {
  readonly SANDBOX: ObjectNamespace;
  readonly DIRECTORY: ObjectNamespace;
  readonly ASSETS?: Fetcher;
  readonly CONTROL_TOKEN?: string;
  readonly SANDBOX_HOST?: string;
  readonly AUTO_SANDBOXES?: boolean | string;
  readonly MAX_SANDBOXES?: number | string;
  readonly SANDBOX_IDLE_DAYS?: number | string;
  readonly SANDBOX_OPTIONS?: object | string;
  readonly CORS_ORIGINS?: string;
}

declare function attackReceiver(options: AttackOptions): Promise<AttackReport>;

declare const callTransferFixtures: {
  callTransferOptions: SandboxOptions;
  callTransferServer: [(context: object, use: Use<MockServer>) => Promise<void>, { scope: "file" }];
  callTransfer: (context: TestParts & Pick<CallTransferFixtures, "callTransferOptions" | "callTransferServer">, use: Use<CallTransferSandbox>) => Promise<void>;
};

declare const callTransferFixtures: Fixtures<CallTransferTestFixtures, CallTransferWorkerFixtures, PlaywrightTestArgs & PlaywrightTestOptions, PlaywrightWorkerArgs & PlaywrightWorkerOptions>;
declare function formatReport({ urls, findings, passed, notChecked, deliveries }: AttackReport): string;
declare function startMockServer(options?: MockServerOptions): Promise<MockServer>;
declare function startPrismServer(options?: PrismServerOptions): Promise<PrismServer>;
declare const worker: { fetch(request: Request, env: WorkerEnv): Promise<Response> };
