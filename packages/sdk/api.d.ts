declare module "@call-transfer/sdk" {
  export {
    AbortError, AccessTokenFunction, AccessTokenOptions, Account, AccountList, Accounts, AnyApiError, ApiError,
    ApiErrorDetails, ApiErrorOf, ApiKeyOptions, ApiPromise, ApiResponse, ApiResult, Attempt, AttemptErrorCode,
    AttemptInstrumentation, AttemptSummary, AuthenticationError, BadRequestError, Call, CallInitiated, CallList,
    CallQueued, CallTransfer, CallTransferCore, CallTransferError, Calls, ClientOptions, Clock, ConfigurationError,
    ConflictError, ConnectionError, CreateCallRequest, CreateDestinationGroupRequest, DestinationGroup,
    DestinationGroupMember, DestinationGroups, Destinations, ErrorCode, ErrorCodeStatus, ErrorResponse,
    ErrorResponseMeta, FetchOptions, FieldError, FieldErrorCode, GoneError, Instrumentation, InstrumentedRequest,
    InvalidArgumentError, InvalidResponseError, ItemsField, ListCallsQuery, ListInput, ListMeta, LogLevel, Logger,
    MemberAvailability, Members, Middleware, MiddlewareContext, NotFoundError, OutcomeUnknownError,
    OutcomeUnknownErrorDetails, OutcomeWindow, OutgoingRequest, PageItem, PagePromise, PaymentRequiredError,
    PermissionDeniedError, RateLimitError, ReconcileOptions, Reconciliation, ReconciliationReason, RequestContext,
    RequestError, RequestErrorDetails, RequestInput, RequestInstrumentation, RequestOptions, RequestOutcome,
    RequestRetryOptions, RequestSummary, ResponseValidator, RetryEvent, RetryOptions, RetrySkippedReason, Role,
    RoleDefinition, RoleList, Roles, ServerError, SharedClientOptions, TimeoutError, TransferDestination,
    TransferDestinationConfig, TransferOffer, UnknownResult, UnprocessableEntityError, VERSION, WithCode, createCall,
    createDestinationGroup, deleteMemberHours, getMemberAvailability, isApiError, listAccounts, listCalls, listRoles,
    rotateDestinationSecret
  };
}

declare module "@call-transfer/sdk/otel" {
  export { OpenTelemetryOptions, openTelemetry };
}

declare module "@call-transfer/sdk/query" {
  export {
    ClientKey, ClientKeyPrefix, KeyInput, OperationInfiniteQueryOptions, OperationKey, OperationMutationOptions,
    OperationQueryOptions, createCallMutationOptions, createDestinationGroupMutationOptions,
    deleteMemberHoursMutationOptions, getMemberAvailabilityQueryOptions, listAccountsQueryOptions,
    listCallsInfiniteQueryOptions, listCallsQueryOptions, listRolesQueryOptions, queryKeyPrefix,
    rotateDestinationSecretMutationOptions
  };
}

declare module "@call-transfer/sdk/raw" {
  export { RawClient, RawOptions, RawResult, RawSuccess, components, createRawClient, operations, paths };
}

declare module "@call-transfer/sdk/webhooks" {
  export {
    EventClaim, EventInbox, EventStore, FastifyReply, LambdaEvent, LambdaResult, NodeRequest, NodeResponse, RawBody,
    SecretSource, SignOptions, TransferOffer, UnknownWebhookEvent, VerifyOptions, WebhookErrorCode, WebhookEvent,
    WebhookHandler, WebhookHandlerOptions, WebhookHeaders, WebhookInput, WebhookReadiness, WebhookSecrets,
    WebhookVerificationError, createWebhookHandler, isTransferOffer, signWebhook, toLambdaHandler, toNodeHandler,
    verifyWebhook
  };
}

declare module "@call-transfer/sdk/webhooks/postgres" {
  export { PostgresClient, PostgresInboxOptions, inboxTableSql, postgresInbox };
}

declare module "@call-transfer/sdk/webhooks/redis" {
  export { RedisEventStoreOptions, RunRedisScript, redisEventStore };
}

declare class AbortError extends RequestError {}
declare type AccessTokenFunction = (request: { forceRefresh: boolean }) => Promise<string> | string;

declare interface AccessTokenOptions extends SharedClientOptions {
  accessToken?: string | AccessTokenFunction | undefined;
  apiKey?: "Pass either apiKey or accessToken, not both" | undefined;
}

declare class Accounts {
  #private;
  constructor(client: CallTransferCore);
  list(options?: RequestOptions): ApiPromise<AccountList>;
}

declare type AnyApiError = ByCode<ApiError>;
declare type AnyBadRequestError = ByCode<BadRequestError>;
declare type AnyConflictError = ByCode<ConflictError>;
declare type AnyServerError = ByCode<ServerError>;
declare type AnyUnprocessableEntityError = ByCode<UnprocessableEntityError>;

declare class ApiError extends RequestError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyApiError;
  readonly code: ErrorCode | undefined;
  readonly status: number;
  readonly title: string | undefined;
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[] | undefined;
  readonly meta: Readonly<ErrorResponseMeta> | undefined;
  readonly retryAfterSecs: number | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly bodyText: string | undefined;
  readonly headers: Headers;
  constructor(details: ApiErrorDetails);
  toJSON(): object;
}

declare interface ApiErrorDetails extends RequestErrorDetails {
  readonly status: number;
  readonly method?: string | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
  readonly bodyText?: string | undefined;
  readonly requestId?: string | undefined;
  readonly headers?: Headers | undefined;
  readonly retryAfterSecs?: number | undefined;
}

declare type ApiErrorOf<C extends ErrorCode> = ByCode<ApiError, C>;

declare interface ApiKeyOptions extends SharedClientOptions {
  apiKey?: string | undefined;
  accessToken?: "Pass either apiKey or accessToken, not both" | undefined;
}

declare class ApiPromise<T> implements Promise<T> {
  #private;
  readonly [Symbol.toStringTag] = "ApiPromise";
  withResponse(): Promise<ApiResponse<T>>;
  result(): Promise<ApiResult<T>>;
  readonly then: Promise<T>["then"];
  readonly catch: Promise<T>["catch"];
  readonly finally: Promise<T>["finally"];
}

declare interface ApiResponse<T> {
  readonly data: T;
  readonly response: Response;
  readonly requestId: string | undefined;
}

declare type ApiResult<T> = (ApiResponse<T> & { readonly ok: true; readonly error: undefined }) | {
  readonly ok: false;
  readonly data: undefined;
  readonly error: CallTransferError;
};

declare interface Attempt {
  readonly startedAt: number;
  readonly status?: number;
  readonly code?: string;
  readonly requestId?: string;
  readonly delayMs?: number;
  readonly durationMs?: number;
  readonly error?: AttemptErrorCode;
}

declare type AttemptErrorCode = "connection_failed" | "connection_lost" | "timeout" | "aborted" | "body_too_large" | "callback_failed";

declare interface AttemptInstrumentation {
  wrapSend(url: string, send: (headers?: Readonly<Record<string, string>>) => Promise<void>): unknown;
  end(summary: AttemptSummary): void;
}

declare interface AttemptSummary {
  readonly outcome: RequestOutcome;
  readonly attempt: Attempt | undefined;
  readonly failure: { readonly name: string; readonly message: string } | undefined;
}

declare class AuthenticationError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AuthenticationError;
  readonly code: WithStatus<401>["code"];
  readonly status: 401;
}

declare class BadRequestError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyBadRequestError;
  readonly code: WithStatus<400>["code"];
  readonly status: 400;
}

declare type ByCode<E extends ApiError, C = E["code"]> = C extends ErrorCode ? E & WithCode<C> : E & {
  readonly code: C;
};

declare class CallTransfer extends ResourceClient {
  #private;
  constructor(options?: ClientOptions);
  list<Page = unknown, Field extends ItemsField<Page> = ItemsField<Page>>(path: string, input: ListInput<Field>, options?: RequestOptions): PagePromise<Page, PageItem<Page, Field>>;
  withOptions(options?: Partial<ClientOptions>): this;
}

declare class CallTransferCore {
  #private;
  constructor(options?: ClientOptions);
  request<T>(method: string, path: string, input?: RequestInput, options?: RequestOptions): ApiPromise<T>;
}

declare class CallTransferError extends Error {
  static [Symbol.hasInstance](value: unknown): boolean;
  constructor(message: string, cause?: unknown);
  toJSON(): object;
}

declare class Calls {
  #private;
  constructor(client: CallTransferCore);
  list(query?: ListCallsQuery, options?: RequestOptions): PagePromise<CallList, Call>;
  create(body: CreateCallRequest, options?: RequestOptions): ApiPromise<CallInitiated | CallQueued | UnknownResult>;
}

type Candidate = unknown;

declare interface ClientKey {
  readonly baseUrl: string;
  readonly accountId?: string;
}

declare type ClientKeyPrefix = readonly ["call-transfer", ClientKey];
declare type ClientOptions = ApiKeyOptions | AccessTokenOptions;

declare interface Clock {
  now(): number;
  monotonicNow?(): number;
  wait?(delayMs: number): Promise<void>;
  setTimeout?(callback: () => void, delayMs: number): unknown;
  clearTimeout?(timer: unknown): void;
}

declare class ConfigurationError extends CallTransferError {
  readonly option: string;
  constructor(option: string, problem: string);
}

declare class ConflictError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyConflictError;
  readonly code: WithStatus<409>["code"];
  readonly status: 409;
}

declare class ConnectionError extends RequestError {}
type DataOf<Operation, Data = JsonOf<Successes<ResponsesOf<Operation>>>> = [Data] extends [never] ? undefined : OrUnknown<Data>;

declare class DestinationGroups {
  #private;
  constructor(client: CallTransferCore);
  create(body: CreateDestinationGroupRequest, options?: RequestOptions): ApiPromise<DestinationGroup>;
}

declare class Destinations {
  #private;
  constructor(client: CallTransferCore);
  rotateSecret(id: string, options?: RequestOptions): ApiPromise<TransferDestination>;
}

type ErrorCodeWithFieldErrors = unknown;

declare type EventClaim = { readonly state: "claimed" } | { readonly state: "in_progress" } | {
  readonly state: "completed";
  readonly response: string;
};

declare interface EventInbox<Tx> {
  readonly retentionMs: number;
  coordinate(handling: {
    readonly key: string;
    readonly owner: string;
    readonly handle: (tx: Tx) => Promise<Response>;
    readonly leftMs: () => number;
    readonly report: (error: unknown, code: WebhookErrorCode) => void;
  }): Promise<{ readonly response: Response; readonly stored?: string | undefined; readonly deduplicated: boolean }>;
  check(options: { readonly waitMs: number }): Promise<void>;
}

declare interface EventStore {
  readonly maxConcurrency?: number;
  readonly retentionMs?: number;
  claim(key: string, owner: string, leaseDurationMs: number): Promise<EventClaim>;
  complete(key: string, owner: string, response: string): Promise<boolean>;
  release(key: string, owner: string): Promise<void>;
}

interface Extra {
  [option: string]: unknown;
}

type Failures<Responses> = Responses[Exclude<keyof Responses, SuccessStatus>];

declare interface FastifyReply {
  readonly raw: NodeResponse;
  hijack?(): unknown;
}

declare interface FetchOptions {
  readonly method?: never;
  readonly headers?: never;
  readonly body?: never;
  readonly signal?: never;
  readonly redirect?: never;
  readonly [option: string]: unknown;
}

declare class GoneError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is GoneError;
  readonly code: WithStatus<410>["code"];
  readonly status: 410;
}

declare interface Instrumentation {
  startRequest(request: InstrumentedRequest): RequestInstrumentation | undefined;
}

declare interface InstrumentedRequest {
  readonly operationId: string;
  readonly method: string;
  readonly route: string;
  readonly baseUrl: string;
  readonly context: RequestContext | undefined;
}

declare class InvalidArgumentError extends CallTransferError {
  readonly argument: string;
  constructor(argument: string, problem: string, cause?: unknown);
}

declare class InvalidResponseError extends RequestError {}
type IsList<Page, Field extends keyof Page> = string extends Field ? false : NonNullable<Page[Field]> extends readonly unknown[] ? true : false;

declare type ItemsField<Page> = unknown extends Page ? string : string & keyof {
  [Field in keyof Page as IsList<Page, Field> extends true ? Field : never]: never;
};

type JsonOf<Response> = Response extends {
  readonly content: infer Content;
} ? Content[keyof Content & `application/${string}json${string}`] : never;

declare type KeyInput = Readonly<Record<string, unknown>>;

declare interface LambdaEvent {
  readonly httpMethod?: string | undefined;
  readonly requestContext?: {
    readonly http?: { readonly method: string } | undefined;
    readonly httpMethod?: string | undefined;
    readonly elb?: unknown;
  };
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded?: boolean | undefined;
}

declare interface LambdaResult {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded: boolean;
}

declare interface ListInput<Field extends string = string> extends Omit<RequestInput, "body"> {
  readonly itemsField: Field;
}

declare type LogLevel = "debug" | "info" | "warn" | "error" | "off";

declare interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

declare class Members {
  #private;
  constructor(client: CallTransferCore);
  deleteHours(memberId: string, options?: RequestOptions): ApiPromise<void>;
  getAvailability(memberId: string, options?: RequestOptions): ApiPromise<MemberAvailability>;
}

declare type Middleware = (request: OutgoingRequest, next: () => Promise<Response>, context: MiddlewareContext) => Promise<Response>;

declare interface MiddlewareContext {
  readonly operationId: string;
  readonly route: string;
  readonly attemptNumber: number;
  readonly context: RequestContext | undefined;
}

declare interface NodeRequest extends Partial<AsyncIterable<Uint8Array>> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: unknown;
  readonly body?: unknown;
  readonly complete?: boolean;
  readonly readableEnded?: boolean;
  readonly readableDidRead?: boolean;
}

declare interface NodeResponse {
  statusCode: number;
  readonly headersSent?: boolean;
  setHeader(name: string, value: string | readonly string[]): unknown;
  end(body?: string | Uint8Array): unknown;
}

declare class NotFoundError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is NotFoundError;
  readonly code: WithStatus<404>["code"];
  readonly status: 404;
}

declare interface OpenTelemetryOptions {
  readonly tracerProvider?: TracerProvider | undefined;
  readonly meterProvider?: MeterProvider | undefined;
  readonly propagator?: TextMapPropagator | false | undefined;
  readonly recordRequestDuration?: boolean | undefined;
  readonly includeUrl?: boolean | undefined;
  readonly includeErrorMessages?: boolean | undefined;
}

declare interface OperationInfiniteQueryOptions<Id extends string, Page> extends OperationOptions {
  queryKey: DataTag<readonly [...OperationKey<Id>, "infinite", KeyInput], InfiniteData<Page, number>, CallTransferError>;
  queryFn: (context: { signal: AbortSignal; pageParam: number }) => Promise<Page>;
  initialPageParam: number;
  getNextPageParam: (lastPage: Page, pages: Page[], lastOffset: number, offsets: number[]) => number | undefined;
}

declare type OperationKey<Id extends string> = readonly [...ClientKeyPrefix, Id];

declare interface OperationMutationOptions<Id extends string, Variables, Data> extends OperationOptions {
  mutationKey: OperationKey<Id>;
  mutationFn: (variables: Variables) => Promise<Data>;
  networkMode: "always";
}

interface OperationOptions {
  retry: false;
  throwOnError?: (error: CallTransferError) => boolean;
}

declare interface OperationQueryOptions<Id extends string, Data> extends OperationOptions {
  queryKey: DataTag<readonly [...OperationKey<Id>, KeyInput], Data, CallTransferError>;
  queryFn: (context: { signal: AbortSignal }) => Promise<Data>;
}

type OrUnknown<Data> = Data extends {
  readonly type: infer Type;
} ? string extends Type ? Data : Data | UnknownResult : Data;

declare class OutcomeUnknownError extends RequestError {
  #private;
  readonly window: OutcomeWindow;
  readonly partialBody: string | undefined;
  constructor(message: string, details: OutcomeUnknownErrorDetails, cause?: unknown);
  reconcile(options?: ReconcileOptions): Promise<Reconciliation>;
}

declare interface OutcomeUnknownErrorDetails extends RequestErrorDetails {
  readonly window: OutcomeWindow;
  readonly partialBody?: string | undefined;
  readonly findCandidates?: ((options: ReconcileOptions) => Promise<Reconciliation>) | undefined;
}

declare interface OutcomeWindow {
  readonly start: string;
  readonly end: string;
  readonly byServerClock: boolean;
}

declare interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

declare type PageItem<Page, Field extends string> = unknown extends Page ? unknown : Field extends keyof Page ? NonNullable<Page[Field]> extends readonly (infer Item)[] ? Item : never : never;

declare class PagePromise<List, Item> extends ApiPromise<List> implements AsyncIterable<Item> {
  #private;
  pages(): AsyncGenerator<List, void, undefined>;
  [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
  toArray(limits: { maxItems: number }): Promise<Item[]>;
}

type PathItem<Paths, Path extends keyof Paths, Method extends string> = Paths[Path] & Readonly<Record<Method, unknown>>;

type PathsWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Readonly<Record<Method, object>> ? Path : never;
}[keyof Paths];

declare class PaymentRequiredError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is PaymentRequiredError;
  readonly code: WithStatus<402>["code"];
  readonly status: 402;
}

declare class PermissionDeniedError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is PermissionDeniedError;
  readonly code: WithStatus<403>["code"];
  readonly status: 403;
}

declare interface PostgresClient<Tx> {
  transaction(work: (tx: Tx) => Promise<void>): Promise<unknown>;
  query(tx: Tx, text: string, values: (string | number)[]): PromiseLike<readonly unknown[]>;
}

declare interface PostgresInboxOptions {
  table?: string;
  retentionMs?: number;
}

declare class RateLimitError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is RateLimitError;
  readonly code: WithStatus<429>["code"];
  readonly status: 429;
}

declare type RawBody = string | Uint8Array | ArrayBuffer;

declare type RawClient<Paths extends object = paths, Throws extends boolean = false> = {
  [V in Verb]: RawMethod<Paths, Lowercase<V>, Throws>;
};

type RawMethod<Paths, Method extends Lowercase<Verb>, Throws extends boolean> = <Path extends PathsWith<Paths, Method>, Init extends MaybeOptionalInit<PathItem<Paths, Path, Method>, Method>>(path: Path, ...init: undefined extends MaybeOptionalInit<PathItem<Paths, Path, Method>, Method> ? [init?: Init & Extra] : [init: Init & Extra]) => Promise<Throws extends true ? RawSuccess<PathItem<Paths, Path, Method>[Method], Init> : RawResult<PathItem<Paths, Path, Method>[Method], Init>>;

declare interface RawOptions {
  readonly throwOnError?: boolean;
}

declare type RawResult<Operation, Init> = RawSuccess<Operation, Init> | {
  data?: never;
  error: JsonOf<Failures<ResponsesOf<Operation>>>;
  response: Response;
};

declare type RawSuccess<Operation, Init> = {
  data: ParseAsResponse<DataOf<Operation>, Init>;
  error?: never;
  response: Response;
};

declare interface ReconcileOptions {
  readonly signal?: AbortSignal | undefined;
  readonly maxItems?: number | undefined;
}

declare interface Reconciliation<Item = Candidate> {
  readonly candidates: readonly Item[];
  readonly complete: boolean;
  readonly reason: ReconciliationReason;
  readonly explanation: string;
  readonly window: OutcomeWindow;
}

declare type ReconciliationReason = "candidates_found" | "none_found" | "list_changed" | "server_time_unknown" | "list_incomplete" | "limit_reached" | "not_supported";

declare interface RedisEventStoreOptions {
  keyPrefix?: string;
  retentionMs?: number;
}

declare type RequestContext = Readonly<Record<string, unknown>>;

declare class RequestError extends CallTransferError implements RequestErrorDetails {
  readonly outcome: RequestOutcome;
  readonly attempts: readonly Attempt[];
  readonly operationId: string;
  readonly retrySkippedReason: RetrySkippedReason | undefined;
  readonly durationMs: number | undefined;
  readonly baseUrl: string | undefined;
  readonly accountId: string | undefined;
  readonly context: RequestContext | undefined;
  readonly requestId: string | undefined;
  constructor(message: string, details: RequestErrorDetails, cause?: unknown);
}

declare interface RequestErrorDetails {
  readonly outcome: RequestOutcome;
  readonly attempts: readonly Attempt[];
  readonly operationId: string;
  readonly retrySkippedReason?: RetrySkippedReason | undefined;
  readonly durationMs?: number | undefined;
  readonly baseUrl?: string | undefined;
  readonly accountId?: string | undefined;
  readonly context?: RequestContext | undefined;
}

declare interface RequestInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object | null | undefined;
  readonly body?: unknown;
}

declare interface RequestInstrumentation {
  startAttempt(number: number): AttemptInstrumentation | undefined;
  end(summary: RequestSummary): void;
}

declare interface RequestOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
  totalTimeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  retry?: RequestRetryOptions | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  accountId?: string | undefined;
  middleware?: readonly Middleware[] | undefined;
  fetchOptions?: FetchOptions | undefined;
  extraBody?: Readonly<Record<string, unknown>> | undefined;
  extraQuery?: Readonly<Record<string, unknown>> | undefined;
  context?: RequestContext | undefined;
}

declare type RequestOutcome = "not_sent" | "rejected" | "applied" | "unknown";

declare interface RequestRetryOptions {
  maxRetryAfterMs?: number | undefined;
  onUnknownOutcome?: "throw" | "check" | "retry" | undefined;
}

declare interface RequestSummary {
  readonly outcome: RequestOutcome;
  readonly attempts: readonly Attempt[];
  readonly retrySkippedReason: RetrySkippedReason | undefined;
  readonly error?: unknown;
}

declare class ResourceClient extends CallTransferCore {
  readonly destinations: Destinations;
  readonly destinationGroups: DestinationGroups;
  readonly members: Members;
  readonly roles: Roles;
  readonly calls: Calls;
  readonly accounts: Accounts;
}

declare type ResponseValidator = (operationId: string, body: unknown) => void;
type ResponsesOf<Operation> = Operation extends { readonly responses: infer Responses } ? Responses : never;

declare interface RetryEvent {
  readonly operationId: string;
  readonly attempt: Attempt;
  readonly nextAttemptNumber: number;
  readonly context: RequestContext | undefined;
}

declare interface RetryOptions extends RequestRetryOptions {
  trust503Codes?: boolean | undefined;
  budget?: boolean | undefined;
}

declare type RetrySkippedReason = "already_applied" | "not_idempotent" | "untrusted_503" | "list_inconclusive" | "body_not_replayable" | "retry_after_too_long" | "total_timeout" | "retry_budget" | "token_still_expired";

declare class Roles {
  #private;
  constructor(client: CallTransferCore);
  list(options?: RequestOptions): ApiPromise<RoleList>;
}

declare type RunRedisScript = (script: string, key: string, args: string[]) => Promise<unknown>;
declare type SecretSource = () => WebhookSecrets | Promise<WebhookSecrets>;

declare class ServerError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyServerError;
  readonly code: WithStatus<ServerErrorStatus>["code"];
}

type ServerErrorStatus = unknown;

declare interface SharedClientOptions extends Omit<RequestOptions, "signal" | "retry" | "extraBody" | "extraQuery" | "context"> {
  baseUrl?: string | undefined;
  allowInsecureHttp?: boolean | undefined;
  dangerouslyAllowBrowser?: boolean | undefined;
  fetch?: ((input: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  retry?: RetryOptions | undefined;
  onRetry?: ((event: RetryEvent) => unknown) | undefined;
  logger?: Logger | undefined;
  logLevel?: LogLevel | undefined;
  showPhoneNumbers?: boolean | undefined;
  responseValidator?: ResponseValidator | undefined;
  instrumentation?: Instrumentation | undefined;
  clock?: Clock | undefined;
}

declare interface SignOptions {
  secret: string | readonly string[];
  timestampMs?: number;
}

type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | "2XX";
type Successes<Responses> = Responses[keyof Responses & SuccessStatus];
declare class TimeoutError extends RequestError {}

declare interface UnknownResult {
  readonly type: `unknown: ${string}`;
}

declare interface UnknownWebhookEvent {
  readonly type: `unknown: ${string}`;
  readonly [field: string]: unknown;
}

declare class UnprocessableEntityError extends ApiError {
  static readonly [Symbol.hasInstance]: (value: unknown) => value is AnyUnprocessableEntityError;
  readonly code: WithStatus<422>["code"];
  readonly status: 422;
}

type VERSION = unknown;
type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "TRACE";

declare interface VerifyOptions {
  secret: string | readonly string[];
  toleranceMs?: number;
  clock?: { now(): number };
}

declare type WebhookErrorCode = "invalid_signature_header" | "signature_mismatch" | "timestamp_out_of_tolerance" | "invalid_event" | "body_already_read" | "body_too_large" | "invalid_request" | "secret_lookup_failed" | "handler_failed" | "response_not_sent" | "duplicate_timeout" | "store_timeout" | "store_failed" | "store_evicted_early" | "stored_response_unreadable" | "handled_twice";
declare type WebhookEvent = TransferOffer | UnknownWebhookEvent;
declare type WebhookHandler = (request: Request) => Promise<Response>;

declare interface WebhookHandlerOptions<Tx = undefined> extends Omit<VerifyOptions, "secret"> {
  secret: WebhookSecrets | SecretSource;
  onEvent(event: WebhookEvent, tx: NoInfer<Tx>): Promise<Response | undefined | void> | Response | undefined | void;
  store?: EventStore;
  inbox?: EventInbox<Tx>;
  onStoreError?: "handle" | "reject";
  leaseDurationMs?: number;
  duplicateWaitMs?: number;
  storeTimeoutMs?: number;
  maxAnswers?: number;
  onError?: (error: unknown, code: WebhookErrorCode) => void;
  instrumentation?: { recordWebhook(result: "handled" | "deduplicated" | WebhookErrorCode): void };
}

declare type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
declare type WebhookInput = Request | { readonly body: RawBody; readonly headers: WebhookHeaders };

declare interface WebhookReadiness {
  readonly ready: boolean;
  readonly problems: readonly { readonly code: WebhookErrorCode; readonly message: string }[];
}

declare type WebhookSecrets = VerifyOptions["secret"];

declare class WebhookVerificationError extends Error {
  readonly name = "WebhookVerificationError";
  readonly code: WebhookErrorCode;
  constructor(message?: string, code?: WebhookErrorCode);
  static [Symbol.hasInstance](value: unknown): boolean;
}

declare interface WithCode<C extends ErrorCode> {
  readonly code: C;
  readonly status: ErrorCodeStatus[C];
  readonly errors: C extends ErrorCodeWithFieldErrors ? readonly FieldError[] : readonly FieldError[] | undefined;
}

declare interface WithStatus<Status extends number> {
  readonly code: {
    [C in ErrorCode]: number extends ErrorCodeStatus[C] ? C : ErrorCodeStatus[C] extends Status ? C : never;
  }[ErrorCode] | undefined;
}

declare function createCall(client: CallTransferCore, body: CreateCallRequest, options?: RequestOptions): ApiPromise<CallInitiated | CallQueued | UnknownResult>;

declare function createCallMutationOptions(client: CallTransferCore, options?: RequestOptions): OperationMutationOptions<"createCall", {
  body: CreateCallRequest;
}, CallInitiated | CallQueued | UnknownResult>;

declare function createDestinationGroup(client: CallTransferCore, body: CreateDestinationGroupRequest, options?: RequestOptions): ApiPromise<DestinationGroup>;

declare function createDestinationGroupMutationOptions(client: CallTransferCore, options?: RequestOptions): OperationMutationOptions<"createDestinationGroup", {
  body: CreateDestinationGroupRequest;
}, DestinationGroup>;

declare function createRawClient<Paths extends object = paths>(client: CallTransferCore, options: RawOptions & {
  readonly throwOnError: true;
}): RawClient<Paths, true>;

declare function createRawClient<Paths extends object = paths>(client: CallTransferCore, options?: RawOptions & {
  readonly throwOnError?: false;
}): RawClient<Paths>;

declare function createWebhookHandler<Tx = undefined>(options: WebhookHandlerOptions<Tx>): WebhookHandler & {
  checkReadiness(): Promise<WebhookReadiness>;
};

declare function deleteMemberHours(client: CallTransferCore, memberId: string, options?: RequestOptions): ApiPromise<void>;

declare function deleteMemberHoursMutationOptions(client: CallTransferCore, options?: RequestOptions): OperationMutationOptions<"deleteMemberHours", {
  memberId: string;
}, void>;

declare function getMemberAvailability(client: CallTransferCore, memberId: string, options?: RequestOptions): ApiPromise<MemberAvailability>;
declare function getMemberAvailabilityQueryOptions(client: CallTransferCore, memberId: string, options?: RequestOptions): OperationQueryOptions<"getMemberAvailability", MemberAvailability>;
declare function inboxTableSql(options?: { table?: string }): string;
declare function isApiError(value: unknown): value is AnyApiError;
declare function isApiError<const C extends ErrorCode>(value: unknown, ...codes: [code: C, ...more: C[]]): value is ApiErrorOf<C>;
declare function isTransferOffer(event: WebhookEvent): event is TransferOffer;
declare function listAccounts(client: CallTransferCore, options?: RequestOptions): ApiPromise<AccountList>;
declare function listAccountsQueryOptions(client: CallTransferCore, options?: RequestOptions): OperationQueryOptions<"listAccounts", AccountList>;
declare function listCalls(client: CallTransferCore, query?: ListCallsQuery, options?: RequestOptions): PagePromise<CallList, Call>;
declare function listCallsInfiniteQueryOptions(client: CallTransferCore, query?: ListCallsQuery, options?: RequestOptions): OperationInfiniteQueryOptions<"listCalls", CallList>;
declare function listCallsQueryOptions(client: CallTransferCore, query?: ListCallsQuery, options?: RequestOptions): OperationQueryOptions<"listCalls", CallList>;
declare function listRoles(client: CallTransferCore, options?: RequestOptions): ApiPromise<RoleList>;
declare function listRolesQueryOptions(client: CallTransferCore, options?: RequestOptions): OperationQueryOptions<"listRoles", RoleList>;

declare function openTelemetry(options?: OpenTelemetryOptions): Instrumentation & {
  recordWebhook(result: string): void;
};

declare function postgresInbox<Tx>(client: PostgresClient<Tx>, options?: PostgresInboxOptions): EventInbox<Tx>;
declare function queryKeyPrefix(client: CallTransferCore, operationId?: undefined, options?: Pick<RequestOptions, "accountId">): ClientKeyPrefix;
declare function queryKeyPrefix<Id extends keyof operations>(client: CallTransferCore, operationId: Id, options?: Pick<RequestOptions, "accountId">): OperationKey<Id>;
declare function redisEventStore(run: RunRedisScript, options?: RedisEventStoreOptions): EventStore;
declare function rotateDestinationSecret(client: CallTransferCore, id: string, options?: RequestOptions): ApiPromise<TransferDestination>;

declare function rotateDestinationSecretMutationOptions(client: CallTransferCore, options?: RequestOptions): OperationMutationOptions<"rotateDestinationSecret", {
  id: string;
}, TransferDestination>;

declare function signWebhook(body: RawBody, options: SignOptions): Promise<string>;
declare function toLambdaHandler(handler: WebhookHandler): (event: LambdaEvent) => Promise<LambdaResult>;
declare function toNodeHandler(handler: WebhookHandler): (request: NodeRequest, response: NodeResponse | FastifyReply) => Promise<void>;
declare function verifyWebhook(input: WebhookInput, options: VerifyOptions): Promise<WebhookEvent>;
