declare module "@call-transfer/sdk" {
  export { AbortError };
  export { AccessTokenFunction };
  export { Account };
  export { AccountList };
  export { Accounts };
  export { Answer };
  export { AnyApiError };
  export { ApiError };
  export { ApiErrorOf };
  export { ApiPromise };
  export { Attempt };
  export { AuthenticationError };
  export { BadRequestError };
  export { Call };
  export { CallInitiated };
  export { CallList };
  export { CallQueued };
  export { CallTransfer };
  export { CallTransferError };
  export { Calls };
  export { ClientOptions };
  export { Clock };
  export { ConfigurationError };
  export { ConflictError };
  export { ConnectionError };
  export { Core };
  export { CreateCallRequest };
  export { CreateDestinationGroupRequest };
  export { DestinationGroup };
  export { DestinationGroupMember };
  export { DestinationGroups };
  export { Destinations };
  export { ErrorCode };
  export { ErrorCodeStatus };
  export { ErrorCodeWithFieldErrors };
  export { ErrorResponse };
  export { ErrorResponseMeta };
  export { FieldError };
  export { FieldErrorCode };
  export { GoneError };
  export { InvalidResponseError };
  export { ListCallsQuery };
  export { ListMeta };
  export { Logger };
  export { LookUp };
  export { MemberAvailability };
  export { Members };
  export { Middleware };
  export { MiddlewareContext };
  export { NotFoundError };
  export { Outcome };
  export { OutcomeUnknownError };
  export { OutcomeWindow };
  export { OutgoingRequest };
  export { PagePromise };
  export { PaymentRequiredError };
  export { PermissionDeniedError };
  export { Problem };
  export { RateLimitError };
  export { RawClient };
  export { Reconciliation };
  export { RequestError };
  export { RequestFacts };
  export { RequestInput };
  export { RequestOptions };
  export { Result };
  export { RetryEvent };
  export { RetryOptions };
  export { Role };
  export { RoleDefinition };
  export { RoleList };
  export { Roles };
  export { ServerError };
  export { TimeoutError };
  export { TransferDestination };
  export { TransferDestinationConfig };
  export { TransferOffer };
  export { UnprocessableEntityError };
  export { Validate };
  export { components };
  export { createCall };
  export { createDestinationGroup };
  export { deleteMemberHours };
  export { getMemberAvailability };
  export { isApiError };
  export { listAccounts };
  export { listCalls };
  export { listRoles };
  export { operations };
  export { paths };
  export { rotateDestinationSecret };
  export { webhooks };
}

declare module "@call-transfer/sdk/webhooks" {
  export { NodeRequest };
  export { NodeResponse };
  export { RawBody };
  export { ReplayStore };
  export { SignOptions };
  export { TransferOffer };
  export { UnknownWebhookEvent };
  export { VerifyOptions };
  export { WebhookEvent };
  export { WebhookHandler };
  export { WebhookHandlerOptions };
  export { WebhookHeaders };
  export { WebhookInput };
  export { WebhookVerificationError };
  export { createWebhookHandler };
  export { isTransferOffer };
  export { memoryReplayStore };
  export { signWebhook };
  export { toNodeHandler };
  export { verifyWebhook };
}

declare class AbortError extends RequestError {
}

declare type AccessTokenFunction = (request: {
    forceRefresh: boolean;
}) => Promise<string> | string;

type Account = unknown;

type AccountList = unknown;

declare class Accounts {
    #private;
    constructor(client: Core);
    list(options?: RequestOptions): ApiPromise<AccountList>;
}

declare interface Answer<T> {
    readonly data: T;
    readonly response: Response;
    readonly requestId: string | undefined;
}

declare type AnyApiError = ApiErrorOf<ErrorCode | undefined>;

declare class ApiError<C extends ErrorCode | undefined = ErrorCode | undefined> extends RequestError {
    static [Symbol.hasInstance](value: unknown): value is AnyApiError;
    readonly code: C;
    readonly status: C extends ErrorCode ? ErrorCodeStatus[C] : number;
    readonly title: string | undefined;
    readonly detail: string | undefined;
    readonly errors: C extends ErrorCodeWithFieldErrors ? readonly FieldError[] : readonly FieldError[] | undefined;
    readonly meta: Readonly<ErrorResponseMeta> | undefined;
    readonly retryAfterSecs: number | undefined;
    readonly requestId: string | undefined;
    readonly problem: Problem;
    readonly bodyText: string | undefined;
    readonly headers: Headers;
    constructor(facts: ApiErrorFacts);
}

declare interface ApiErrorFacts extends RequestFacts {
    readonly status: number;
    readonly problem?: Problem;
    readonly bodyText?: string | undefined;
    readonly requestId: string | undefined;
    readonly headers: Headers;
    readonly retryAfterSecs: number | undefined;
}

declare type ApiErrorOf<C extends ErrorCode | undefined> = C extends unknown ? ApiError<C> : never;

declare class ApiPromise<T> implements Promise<T> {
    #private;
    readonly [Symbol.toStringTag] = "ApiPromise";
    constructor(answer: Promise<Answer<T>>);
    withResponse(): Promise<Answer<T>>;
    result(): Promise<Result<T>>;
    readonly then: Promise<T>["then"];
    readonly catch: Promise<T>["catch"];
    readonly finally: Promise<T>["finally"];
}

declare interface Attempt {
    readonly startedAt: number;
    status?: number;
    code?: string;
    requestId?: string;
    delayMs?: number;
    error?: string;
}

declare class AuthenticationError extends ApiError {
}

declare class BadRequestError extends ApiError {
}

type Call = unknown;

type CallInitiated = unknown;

type CallList = unknown;

type CallQueued = unknown;

declare class CallTransfer extends ResourceClient {
    #private;
    readonly raw: RawClient;
    constructor(options: ClientOptions, parent?: CallTransfer);
    withOptions(options?: Partial<ClientOptions>): CallTransfer;
}

declare class CallTransferError extends Error {
    static [Symbol.hasInstance](value: unknown): boolean;
    constructor(message: string, cause?: unknown);
    toJSON(): object;
}

declare class Calls {
    #private;
    constructor(client: Core);
    list(query?: ListCallsQuery, options?: RequestOptions): PagePromise<CallList, Call>;
    create(body: RequestBody<CreateCallRequest>, options?: RequestOptions): ApiPromise<CallInitiated | CallQueued>;
}

declare interface ClientOptions extends Omit<RequestOptions, "signal"> {
    baseUrl: string;
    apiKey?: string | undefined;
    accessToken?: string | AccessTokenFunction | undefined;
    allowInsecureHttp?: boolean | undefined;
    allowApiKeyInBrowser?: boolean | undefined;
    fetch?: typeof globalThis.fetch | undefined;
    maxRetryAfterSecs?: number | undefined;
    retry?: RetryOptions | undefined;
    onRetry?: ((event: RetryEvent) => unknown) | undefined;
    logger?: Logger | undefined;
    validate?: Validate | undefined;
    clock?: Clock | undefined;
    random?: (() => number) | undefined;
}

declare interface Clock {
    now(): number;
    elapsed?(): number;
    setTimeout(callback: () => void, delayMs: number): unknown;
    clearTimeout(timer: unknown): void;
}

declare class ConfigurationError extends CallTransferError {
    readonly option: string;
    constructor(option: string, mend: string);
}

declare class ConflictError extends ApiError {
}

declare class ConnectionError extends RequestError {
}

declare class Core {
    #private;
    constructor(options: ClientOptions, parent?: Core);
    request<T>(method: string, template: string, input: RequestInput, options?: RequestOptions, lookUp?: LookUp): ApiPromise<T>;
}

type CreateCallRequest = unknown;

type CreateDestinationGroupRequest = unknown;

type DestinationGroup = unknown;

type DestinationGroupMember = unknown;

declare class DestinationGroups {
    #private;
    constructor(client: Core);
    create(body: RequestBody<CreateDestinationGroupRequest>, options?: RequestOptions): ApiPromise<DestinationGroup>;
}

declare class Destinations {
    #private;
    constructor(client: Core);
    rotateSecret(id: string, options?: RequestOptions): ApiPromise<TransferDestination>;
}

type ErrorCode = unknown;

type ErrorCodeStatus = unknown;

type ErrorCodeWithFieldErrors = unknown;

type ErrorResponse = unknown;

type ErrorResponseMeta = unknown;

type FieldError = unknown;

type FieldErrorCode = unknown;

declare class GoneError extends ApiError {
}

declare class InvalidResponseError extends RequestError {
}

type ListCallsQuery = unknown;

type ListMeta = unknown;

declare interface Logger {
    debug(message: string): void;
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
}

declare type LookUp = (window: OutcomeWindow, options: RequestOptions) => Promise<Reconciliation>;

type MemberAvailability = unknown;

declare class Members {
    #private;
    constructor(client: Core);
    deleteHours(memberId: string, options?: RequestOptions): ApiPromise<void>;
    getAvailability(memberId: string, options?: RequestOptions): ApiPromise<MemberAvailability>;
}

declare type Middleware = (request: OutgoingRequest, next: () => Promise<Response>, context: MiddlewareContext) => Promise<Response>;

declare interface MiddlewareContext {
    readonly operationId: string;
    readonly route: string;
    readonly attempt: number;
}

type NamedFields<T> = {
    [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: T[Name];
};

declare interface NodeRequest extends AsyncIterable<Uint8Array> {
    readonly method?: string | undefined;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly rawBody?: unknown;
    readonly body?: unknown;
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
}

declare type Outcome = "not_sent" | "rejected" | "applied" | "unknown";

declare class OutcomeUnknownError extends RequestError {
    #private;
    readonly window: OutcomeWindow;
    readonly partialBody: string | undefined;
    constructor(message: string, facts: UnknownOutcomeFacts, cause: unknown);
    reconcile(): Promise<Reconciliation>;
}

declare interface OutcomeWindow {
    readonly from: string;
    readonly to: string;
}

declare interface OutgoingRequest {
    readonly method: string;
    readonly url: string;
    readonly headers: Headers;
    readonly body: string | undefined;
}

declare class PagePromise<List, Item> extends ApiPromise<List> implements AsyncIterable<Item> {
    #private;
    readonly itemsOf: (list: List) => readonly Item[];
    constructor(first: Promise<Answer<List>>, items: (list: List) => readonly Item[], start: number, next: (offset: number) => Promise<List>, operationId: string);
    pages(): AsyncGenerator<List, void, undefined>;
    [Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined>;
    toArray(limits: {
        maxItems: number;
    }): Promise<Item[]>;
}

declare class PaymentRequiredError extends ApiError {
}

declare class PermissionDeniedError extends ApiError {
}

declare type Problem = Readonly<Record<string, unknown>> | undefined;

declare class RateLimitError extends ApiError {
}

declare type RawBody = string | Uint8Array | ArrayBuffer;

declare type RawClient = Pick<Client<paths>, Verb>;

declare interface Reconciliation<Candidate = unknown> {
    readonly candidates: readonly Candidate[];
    readonly complete: boolean;
    readonly why: string;
}

declare interface ReplayStore {
    setIfAbsent(key: string, expiresInSecs: number): Promise<boolean> | boolean;
    remove?(key: string): Promise<unknown> | unknown;
}

declare type RequestBody<T> = WithReadonlyLists<string extends keyof T ? NamedFields<T> | T : T>;

declare class RequestError extends CallTransferError implements RequestFacts {
    readonly outcome: Outcome;
    readonly attempts: readonly Attempt[];
    readonly operationId: string;
    readonly withheld: string | undefined;
    constructor(message: string, { outcome, attempts, operationId, withheld }: RequestFacts, cause?: unknown);
}

declare interface RequestFacts {
    readonly outcome: Outcome;
    readonly attempts: readonly Attempt[];
    readonly operationId: string;
    readonly withheld: string | undefined;
}

declare interface RequestInput {
    readonly path?: Readonly<Record<string, unknown>>;
    readonly query?: object | undefined;
    readonly body?: unknown;
}

declare interface RequestOptions {
    signal?: AbortSignal | undefined;
    timeoutMs?: number | undefined;
    totalTimeoutMs?: number | undefined;
    maxRetries?: number | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
    accountId?: string | undefined;
    middleware?: readonly Middleware[] | undefined;
}

declare class ResourceClient extends Core {
    readonly destinations: Destinations;
    readonly destinationGroups: DestinationGroups;
    readonly members: Members;
    readonly roles: Roles;
    readonly calls: Calls;
    readonly accounts: Accounts;
}

declare type Result<T> = (Answer<T> & {
    readonly ok: true;
    readonly error: undefined;
}) | {
    readonly ok: false;
    readonly data: undefined;
    readonly error: CallTransferError;
};

declare interface RetryEvent {
    readonly operationId: string;
    readonly attempt: Readonly<Attempt>;
    readonly next: number;
}

declare interface RetryOptions {
    unsafe?: "never" | "check" | "always" | undefined;
    budget?: boolean | undefined;
}

type Role = unknown;

type RoleDefinition = unknown;

type RoleList = unknown;

declare class Roles {
    #private;
    constructor(client: Core);
    list(options?: RequestOptions): ApiPromise<RoleList>;
}

declare class ServerError extends ApiError {
}

declare interface SignOptions {
    secret: string | readonly string[];
    at?: number;
}

declare class TimeoutError extends RequestError {
}

type TransferDestination = unknown;

type TransferDestinationConfig = unknown;

type TransferOffer = unknown;

declare interface UnknownOutcomeFacts extends RequestFacts {
    readonly window: OutcomeWindow;
    readonly partialBody?: string | undefined;
    readonly lookUp: LookUp | undefined;
    readonly lookUpOptions: RequestOptions;
}

declare interface UnknownWebhookEvent {
    readonly type: string & {};
    readonly [field: string]: unknown;
}

declare class UnprocessableEntityError extends ApiError {
}

declare type Validate = (operationId: string, body: unknown) => void;

type Verb = "GET" | "PUT" | "POST" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "TRACE";

declare interface VerifyOptions {
    secret: string | readonly string[];
    toleranceSecs?: number;
    now?: () => number;
}

declare type WebhookEvent = TransferOffer | UnknownWebhookEvent;

declare type WebhookHandler = (request: Request) => Promise<Response>;

declare interface WebhookHandlerOptions extends VerifyOptions {
    onEvent(event: WebhookEvent): Promise<Response | undefined | void> | Response | undefined | void;
    replayStore?: ReplayStore;
    onError?: (error: unknown) => void;
}

declare type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

declare type WebhookInput = Request | {
    readonly body: RawBody;
    readonly headers: WebhookHeaders;
};

declare class WebhookVerificationError extends Error {
    readonly name = "WebhookVerificationError";
    static [Symbol.hasInstance](value: unknown): boolean;
}

type WithReadonlyLists<T> = T extends readonly (infer Item)[] ? readonly WithReadonlyLists<Item>[] : T extends object ? {
    [Name in keyof T]: WithReadonlyLists<T[Name]>;
} : T;

type components = unknown;

declare function createCall(client: Core, body: RequestBody<CreateCallRequest>, options?: RequestOptions): ApiPromise<CallInitiated | CallQueued>;

declare function createDestinationGroup(client: Core, body: RequestBody<CreateDestinationGroupRequest>, options?: RequestOptions): ApiPromise<DestinationGroup>;

declare function createWebhookHandler(options: WebhookHandlerOptions): WebhookHandler;

declare function deleteMemberHours(client: Core, memberId: string, options?: RequestOptions): ApiPromise<void>;

declare function getMemberAvailability(client: Core, memberId: string, options?: RequestOptions): ApiPromise<MemberAvailability>;

declare function isApiError(value: unknown): value is AnyApiError;

declare function isApiError<const C extends ErrorCode>(value: unknown, ...codes: [C, ...C[]]): value is ApiErrorOf<C>;

declare function isTransferOffer(event: WebhookEvent): event is TransferOffer;

declare function listAccounts(client: Core, options?: RequestOptions): ApiPromise<AccountList>;

declare function listCalls(client: Core, query?: ListCallsQuery, options?: RequestOptions): PagePromise<CallList, Call>;

declare function listRoles(client: Core, options?: RequestOptions): ApiPromise<RoleList>;

declare function memoryReplayStore({ now }?: {
    now?: () => number;
}): ReplayStore;

type operations = unknown;

type paths = unknown;

declare function rotateDestinationSecret(client: Core, id: string, options?: RequestOptions): ApiPromise<TransferDestination>;

declare function signWebhook(body: RawBody, options: SignOptions): Promise<string>;

declare function toNodeHandler(handler: WebhookHandler): (request: NodeRequest, response: NodeResponse) => Promise<void>;

declare function verifyWebhook(input: WebhookInput, options: VerifyOptions): Promise<WebhookEvent>;

type webhooks = unknown;
