// Uses the types of SDK and spec: every operation, options, paging, errors and webhooks. Compiled with every TypeScript
// version, as an ES module and, with `import … = require(…)`, as CommonJS. Never run.
import * as sdk from "@call-transfer/sdk";
import * as otel from "@call-transfer/sdk/otel";
import * as openapi from "@call-transfer/sdk/raw";
import * as webhooks from "@call-transfer/sdk/webhooks";
import * as spec from "@call-transfer/spec";
import * as schemas from "@call-transfer/spec/schemas";
import * as validation from "@call-transfer/spec/validate";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Equal<A, B>): void => {};

const options: sdk.ClientOptions = {
  baseUrl: "https://api.example.com",
  accessToken: async ({ forceRefresh }) => (forceRefresh ? "fresh" : "token"),
  accountId: "account",
  timeoutMs: 30_000,
  totalTimeoutMs: undefined,
  maxRetries: 2,
  retry: { maxRetryAfterMs: 60_000, onUnknownOutcome: "throw", budget: true },
  responseValidator: validation.validateResponses(),
  fetch: (input, init) => fetch(input, init),
  logger: console,
  instrumentation: otel.openTelemetry({ propagator: false, includeUrl: undefined }),
  onRetry: ({ operationId, attempt, nextAttemptNumber }) =>
    `${operationId} ${attempt.status ?? attempt.error} ${nextAttemptNumber.toFixed()}`,
  middleware: [
    async (request, next, { operationId, attemptNumber }) => {
      request.headers.set("x-trace", `${operationId} ${attemptNumber}`);
      return next();
    },
  ],
};
const client = new sdk.CallTransfer(options);
const other: sdk.CallTransfer = client.withOptions({ accountId: "other", headers: { "x-tenant": "other" } });
const core = new sdk.CallTransferCore({ baseUrl: "https://api.example.com", apiKey: "key" });
const keyed = { baseUrl: "https://api.example.com", apiKey: "key" };
// @ts-expect-error A client has one credential.
export const both = (): sdk.ClientOptions => ({ ...keyed, accessToken: "token" });
const request: sdk.RequestOptions = { signal: new AbortController().signal, timeoutMs: 1, maxRetries: 0 };

/** Operations of each form with their input and output. */
export const operations = {
  async rotateDestinationSecret() {
    const destination: sdk.TransferDestination = await client.destinations.rotateSecret("id", request);
    same<typeof destination.signingSecret, string | null | undefined>(true);
    return sdk.rotateDestinationSecret(core, "id");
  },
  async createDestinationGroup() {
    const body: sdk.CreateDestinationGroupRequest = { name: "Desk", members: [{ destinationId: "id" }] };
    const group: sdk.DestinationGroup = await client.destinationGroups.create(body, request);
    same<(typeof group.members)[number], sdk.DestinationGroupMember>(true);
    await client.destinationGroups.create({ ...body, strategy: null, totalTimeoutSecs: 30 });
    // @ts-expect-error A group has members.
    await client.destinationGroups.create({ name: "Desk" });
    return sdk.createDestinationGroup(core, body);
  },
  async deleteMemberHours() {
    const nothing = await client.members.deleteHours("id");
    same<typeof nothing, void>(true);
  },
  async getMemberAvailability() {
    const availability: sdk.MemberAvailability = await client.members.getAvailability("id");
    same<typeof availability.busy, boolean>(true);
    // @ts-expect-error A member id is a string.
    await client.members.getAvailability(1);
  },
  async listRoles() {
    const { roles }: sdk.RoleList = await client.roles.list();
    const role: sdk.Role | undefined = roles[0]?.role;
    return [role, roles[0]?.permissions[0]];
  },
  async listAccounts() {
    const { accounts }: sdk.AccountList = await client.accounts.list(request);
    return accounts[0]?.id;
  },
  async createCall() {
    const placed = await client.calls.create({ flowId: "id", fromNumber: "+15550100001", toNumber: "+15550200001" });
    same<typeof placed, sdk.CallInitiated | sdk.CallQueued | sdk.UnknownResult>(true);
    const idOrPosition =
      placed.type === "initiated" ? placed.callId : placed.type === "queued" ? placed.position.toFixed() : placed.type;
    // @ts-expect-error A result of a type that this version does not know may have no position.
    if (placed.type !== "initiated") return placed.position.toFixed();
    // @ts-expect-error A call has no such field.
    await client.calls.create({ flowId: "id", fromNumber: "", toNumber: "", campaign: "id" });
    // @ts-expect-error Only a queued call has a position.
    if (placed.type === "initiated") return placed.position.toFixed();
    return [idOrPosition, await sdk.createCall(core, { flowId: "id", fromNumber: "", toNumber: "", providerId: "id" })];
  },
  async listCalls() {
    const query: sdk.ListCallsQuery = { limit: 10, offset: undefined, startDate: "2026-03-02T15:00:00Z" };
    const page: sdk.CallList = await client.calls.list(query, request);
    same<typeof page.meta.total, number>(true);
    const seen: sdk.Call[] = [...page.calls];
    for await (const call of client.calls.list()) seen.push(call);
    for await (const { calls } of client.calls.list(query).pages()) seen.push(...calls);
    seen.push(...(await sdk.listCalls(core).toArray({ maxItems: 10 })));
    // @ts-expect-error maxItems is required.
    await client.calls.list().toArray();
    return seen;
  },
} satisfies Partial<Record<keyof openapi.operations, () => unknown>>;

/** The three ways to await a request. */
export async function ways(): Promise<unknown> {
  const promise: sdk.ApiPromise<sdk.RoleList> = client.roles.list();
  const { data, response, requestId }: sdk.ApiResponse<sdk.RoleList> = await promise.withResponse();
  const result = await promise.result();
  if (result.ok) same<typeof result.data, sdk.RoleList>(true);
  else same<typeof result.error, sdk.CallTransferError>(true);
  const { data: typed, error } = await openapi.createRawClient(other).GET("/api/v1/roles");
  const permission: string | undefined = typed?.roles[0]?.permissions[0] ?? error?.detail;
  const role: string | undefined = typed?.roles[0]?.role;
  // @ts-expect-error The API has no such path.
  await openapi.createRawClient(other).GET("/api/v1/nothing");
  const { data: certain } = await openapi
    .createRawClient<openapi.paths>(other, { throwOnError: true })
    .GET("/api/v1/roles");
  same<typeof certain, sdk.RoleList>(true);
  const listed = await client.list<sdk.CallList>("/api/v1/calls", { itemsField: "calls" }).toArray({ maxItems: 1 });
  same<typeof listed, sdk.Call[]>(true);
  const all: [sdk.RoleList, sdk.AccountList] = await Promise.all([promise, client.accounts.list()]);
  return [data.roles, response.headers.get("date"), requestId, permission, role, all];
}

/** Errors by class, by guard and by `switch`. */
export function narrow(error: unknown): unknown {
  if (sdk.isApiError(error, "validation_failed")) {
    same<typeof error.code, "validation_failed">(true);
    same<typeof error.status, 400>(true);
    return error.errors.map(({ field, code, message }: sdk.FieldError) => `${field} ${code} ${message}`);
  }
  if (sdk.isApiError(error, "rate_limit_exceeded", "queue_full")) {
    same<typeof error.code, "rate_limit_exceeded" | "queue_full">(true);
    return error.meta?.retryAfterSecs;
  }
  if (error instanceof sdk.OutcomeUnknownError)
    return error.reconcile().then(({ candidates, explanation }) => `${candidates[0]?.duration} ${explanation}`);
  if (error instanceof sdk.RateLimitError) {
    same<typeof error.status, 429>(true);
    const limited: sdk.RateLimitError = error;
    return limited.meta?.resetsAt;
  }
  if (error instanceof sdk.ConfigurationError) return error.option.length;
  if (error instanceof sdk.ApiError) {
    switch (error.code) {
      case "insufficient_permissions":
        same<typeof error.status, 403>(true);
        return error.errors?.length;
      case "flow_structure_invalid":
        return error.errors.length;
      case undefined:
        same<typeof error.status, number>(true);
        return error.headers.get("server");
      default: {
        // @ts-expect-error This code is handled above.
        const handled: "insufficient_permissions" = error.code;
        return [handled, error.detail, error.requestId];
      }
    }
  }
  if (error instanceof sdk.RequestError) {
    const { outcome, attempts, operationId }: sdk.RequestErrorDetails = error;
    return [outcome satisfies sdk.RequestOutcome, attempts[0]?.delayMs, operationId];
  }
  // @ts-expect-error There is no such code.
  return sdk.isApiError(error, "no_such_code");
}

/** Webhooks: verify, handle, and sign in a test. */
export async function receive(input: Request, body: string): Promise<unknown> {
  const event: webhooks.WebhookEvent = await webhooks.verifyWebhook(input, { secret: ["new", "previous"] });
  if (webhooks.isTransferOffer(event)) same<typeof event, webhooks.TransferOffer>(true);
  const headers = { "service-signature": await webhooks.signWebhook(body, { secret: "new" }) };
  await webhooks.verifyWebhook({ body, headers }, { secret: "new", toleranceMs: 60_000, clock: { now: () => 0 } });
  const errors: unknown[] = [];
  const handler: webhooks.WebhookHandler = webhooks.createWebhookHandler({
    secret: "new",
    maxAnswers: 100,
    onEvent: (event) =>
      event.type === "transfer.offer" && event.destinationId === "" ? new Response(null, { status: 400 }) : undefined,
    onError: (error) => errors.push(error),
  });
  const node = webhooks.toNodeHandler(handler);
  return [await handler(input), node];
}

/** The contract as data. */
export function read(body: unknown): unknown {
  const code: sdk.ErrorCode = "resource_not_found";
  same<spec.ErrorCode, sdk.ErrorCode>(true);
  same<spec.OperationId, keyof typeof spec.operations>(true);
  const { meaning }: spec.ErrorCodeDescription = spec.errorCodes[code];
  const { members } = schemas.zCreateDestinationGroupRequest.parse(body);
  return [meaning, spec.operations.createCall.path, members.length];
}
