// Edits of released code that customers notice, each with what the gate must say of it.

export interface ReleasedEdit {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** A line of the gate, from its bump on. */
  readonly says: string;
}

const edit = (what: string, file: string, from: string, to: string, says: string): ReleasedEdit => ({
  what,
  file,
  from,
  to,
  says,
});

const sdk = "packages/sdk";
const mock = "packages/mock-server";
const cli = `${mock}/src/cli`;
const control = "openapi/control/control.yaml";
const python = "packages/python/src/call_transfer";

export const releasedEdits: readonly ReleasedEdit[] = [
  edit("a raised engine", `${sdk}/package.json`, '"node": ">=20"', '"node": ">=22"', "major  engines.node"),
  edit(
    "an entry without its CommonJS form",
    `${sdk}/package.json`,
    `,
      "require": {
        "types": "./dist/raw.d.cts",
        "default": "./dist/raw.cjs"
      }`,
    "",
    "major  exports",
  ),
  edit(
    "a narrower range of a peer",
    `${sdk}/package.json`,
    '"^5.62.0"',
    '"^5.100.0"',
    "major  peer @tanstack/query-core",
  ),
  edit(
    "a removed option",
    `${cli}/options.ts`,
    "  clockRate: {",
    "  clockSpeed: {",
    "major  call-transfer-mock start --clock-rate: was removed",
  ),
  edit(
    "another port",
    `${cli}/options.ts`,
    'fallback: "4010"',
    'fallback: "4020"',
    'major  call-transfer-mock start --port: its default "4010" is now "4020"',
  ),
  edit(
    "another exit status",
    `${cli}/options.ts`,
    "wrongCommandLine: 2",
    "wrongCommandLine: 64",
    "major  call-transfer-mock exit status 2: was removed",
  ),
  edit(
    "renamed variables of a command",
    `${cli}/settings.ts`,
    '"CALL_TRANSFER_MOCK_"',
    '"CT_MOCK_"',
    "major  environment variable CALL_TRANSFER_MOCK_PORT: was removed",
  ),
  edit(
    "a renamed command",
    "packages/mcp/package.json",
    '"call-transfer-mcp": "./dist',
    '"ct-mcp": "./dist',
    "major  command call-transfer-mcp: was removed",
  ),
  edit(
    "a field of the control plane's events that is gone",
    control,
    "        id: { type: string, description: 'The id of the call, transfer, delivery, record or request concerned.' }\n",
    "",
    "major  Event.id",
  ),
  edit(
    "a renamed field of a fault",
    control,
    "        match: { $ref: '#/components/schemas/FaultMatch' }\n        when: { $ref: '#/components/schemas/FaultWhen' }\n        do:\n          description: What to do, or",
    "        matches: { $ref: '#/components/schemas/FaultMatch' }\n        when: { $ref: '#/components/schemas/FaultWhen' }\n        do:\n          description: What to do, or",
    "major  RequestFault.match: the field was removed",
  ),
  edit(
    "another version of snapshots",
    control,
    "version: { const: 1 }",
    "version: { const: 2 }",
    "major  Snapshot.version",
  ),
  edit(
    "a renamed error class",
    `${sdk}/src/index.ts`,
    "  RateLimitError,",
    "  RateLimitError as TooManyRequestsError,",
    "major  RateLimitError",
  ),
  edit(
    "an export that is gone",
    `${sdk}/src/index.ts`,
    'export { InvalidArgumentError } from "./errors/invalid-argument-error.ts";\n',
    "",
    "major  InvalidArgumentError",
  ),
  edit(
    "a narrower parameter of a callback",
    `${sdk}/src/webhooks/options.ts`,
    "onError?: (error: unknown, code: WebhookErrorCode) => void;",
    "onError?: (error: Error, code: WebhookErrorCode) => void;",
    "major  WebhookHandlerOptions.onError(error): unknown is now Error",
  ),
  edit(
    "a tighter limit of a name",
    "openapi/schemas/destination-groups.yaml",
    "maxLength: 100",
    "maxLength: 50",
    "major  CreateDestinationGroupRequest.name: limit tightened: maxLength 100 is now 50",
  ),
  edit(
    "a renamed variable of the SDK",
    `${sdk}/src/options/settings.ts`,
    '"CALL_TRANSFER_API_KEY"',
    '"CALL_TRANSFER_KEY"',
    "major  variable CALL_TRANSFER_API_KEY: was removed",
  ),
  edit(
    "a shorter wait that the SDK accepts",
    `${sdk}/src/options/settings.ts`,
    "maxRetryAfterMs: 60_000",
    "maxRetryAfterMs: 30_000",
    "major  default retry.maxRetryAfterMs: 60000 is now 30000",
  ),
  edit(
    "a dearer retry",
    `${sdk}/src/options/retry-budget.ts`,
    "retryCost = 5",
    "retryCost = 50",
    "major  default retry budget, retryCost: 5 is now 50",
  ),
  edit(
    "responses that are kept for an hour",
    `${sdk}/src/webhooks/timeout.ts`,
    "retentionMs = 86_400_000",
    "retentionMs = 3_600_000",
    "major  default retentionMs: 86400000 is now 3600000",
  ),
  edit(
    "a renamed column",
    `${sdk}/src/webhooks/postgres.ts`,
    "  owner text not null,\n  answer text,",
    "  holder text not null,\n  answer text,",
    "major  table create table",
  ),
  edit(
    "a migration that was edited",
    `${mock}/src/store/migrations.ts`,
    "is_new INTEGER NOT NULL,",
    "fresh INTEGER NOT NULL,",
    "The migration of a data file from version 0 was changed after its release.",
  ),
  edit(
    "shorter calls of the mock server",
    "packages/backend/src/generated/policies.gen.ts",
    "default: 60,",
    "default: 30,",
    "major  default policy callDurationSecs: 60 is now 30",
  ),
  edit(
    "the inspector at another address",
    `${mock}/src/web/inspector-page.ts`,
    'home = "/_inspector/"',
    'home = "/_ui/"',
    "major  address of the inspector",
  ),
  edit(
    "tools under other names",
    "packages/mcp/src/tools/control-tools.ts",
    "mock_$",
    "fake_$",
    "major  tool mock_add_fault: was removed",
  ),
  edit(
    "a placement that clients may repeat",
    "openapi/paths/calls.yaml",
    "x-idempotency: non_idempotent",
    "x-idempotency: idempotent",
    'major  createCall: x-idempotency "non_idempotent" is now "idempotent"',
  ),
  edit(
    "an error that is said to have no effect",
    "openapi/error-codes.yaml",
    "internal_error: { status: 500,",
    "internal_error: { status: 500, effect: none,",
    "major  error code internal_error: effect",
  ),
  // Of the same kinds.
  edit(
    "a shorter timeout",
    `${sdk}/src/generated/constants.gen.ts`,
    "defaultTimeoutMs = 60000",
    "defaultTimeoutMs = 10000",
    "major  default timeoutMs",
  ),
  edit(
    "a slower backoff",
    `${sdk}/src/send/retry.ts`,
    "500 * 2 ** n",
    "1000 * 2 ** n",
    "major  longest waits before retries",
  ),
  edit(
    "stores that reject by default",
    `${sdk}/src/webhooks/options.ts`,
    'onStoreError: "handle", lease',
    'onStoreError: "reject", lease',
    "major  default handler.onStoreError",
  ),
  edit(
    "another error status of a code",
    "openapi/error-codes.yaml",
    "service_error: { status: 502,",
    "service_error: { status: 500,",
    "major  error code service_error: status",
  ),
  edit(
    "another scope",
    "openapi/paths/calls.yaml",
    "x-scope: calls:write",
    "x-scope: calls:read",
    "major  createCall: x-scope",
  ),
  edit(
    "a role that may no longer call",
    "openapi/paths/calls.yaml",
    "x-roles: [owner, admin, member, agent]",
    "x-roles: [owner, admin, member]",
    "major  createCall: the role agent was removed",
  ),
  edit(
    "a renamed method of the SDK",
    "openapi/paths/calls.yaml",
    "x-sdk: { resource: calls, method: create }",
    "x-sdk: { resource: calls, method: place }",
    "major  createCall: x-sdk",
  ),
  edit(
    "a package that ships fewer entries",
    `${mock}/package.json`,
    '"./vitest": {',
    '"./vitest3": {',
    "major  exports",
  ),
  edit(
    "an option that takes no value any more",
    `${cli}/options.ts`,
    '...{ ...ofState, value: "TIME", read: readTime },',
    "...ofState,",
    "major  call-transfer-mock start --now: its value",
  ),
  edit(
    "a variable of the contract's command",
    "packages/contract/src/remote/options.ts",
    '"CALL_TRANSFER_API_KEY"',
    '"CALL_TRANSFER_KEY"',
    "major  environment variable CALL_TRANSFER_API_KEY: was removed",
  ),
  edit("another licence", `${sdk}/package.json`, '"license": "MIT"', '"license": "GPL-3.0"', "major  license"),
  edit(
    "a tool that is gone",
    "packages/mcp/src/tools/control-tools.ts",
    '  "addFault",\n',
    "",
    "major  tool mock_add_fault: was removed",
  ),
  edit(
    "a table of Workers with another key",
    `${mock}/src/worker/sql-store.ts`,
    "primary key (owner, key, part)",
    "primary key (key, owner, part)",
    "major  table create table",
  ),
  edit("an entry that is gone", `${sdk}/package.json`, '"./otel": {', '"./telemetry": {', "major  exports"),
  edit(
    "a field that a request must have",
    "openapi/schemas/calls.yaml",
    "required: [flowId, fromNumber, toNumber]",
    "required: [flowId, fromNumber, toNumber, providerId]",
    "major  CreateCallRequest.providerId",
  ),
  edit(
    "a smaller retry budget of Python",
    `${python}/_retry.py`,
    "_CAPACITY = 500.0",
    "_CAPACITY = 50.0",
    "major  default retry budget, capacity: 500.0 is now 50.0",
  ),
  edit(
    "a vector that expects another answer",
    "packages/contract/vectors/hints.json",
    '"retryAfter": "2", "seconds": 2 }',
    '"retryAfter": "2", "seconds": 3 }',
    'major  vectors/hints.json, case header "2": was changed',
  ),
  edit(
    "a key of settings files that is gone",
    `${mock}/config.schema.json`,
    '"publicUrl": {',
    '"publicAddress": {',
    "major  config.schema.json.publicUrl: the field was removed",
  ),
  edit(
    "fewer values of a key of settings files",
    `${mock}/config.schema.json`,
    '"enum": ["running", "frozen"]',
    '"enum": ["running"]',
    'major  config.schema.json.clock: value "frozen" was removed',
  ),
  edit(
    "a new key of settings files",
    `${mock}/config.schema.json`,
    '    "port": {',
    '    "door": { "type": "string" },\n    "port": {',
    "minor  config.schema.json.door: an optional field was added",
  ),
];

/** Edits of the Python client. The gate sees them once its public names are recorded again. */
export const pythonEdits: readonly ReleasedEdit[] = [
  edit(
    "a renamed keyword of Python",
    `${python}/webhooks/_signature.py`,
    "def sign_webhook(body: RawBody, *, secret: str | Sequence[str], at: float",
    "def sign_webhook(body: RawBody, *, secrets: str | Sequence[str], at: float",
    "major  sign_webhook(secret): the parameter was removed",
  ),
  edit(
    "another default of Python",
    `${python}/_errors.py`,
    "def reconcile(self, *, max_calls: int = 1000)",
    "def reconcile(self, *, max_calls: int = 500)",
    "major  OutcomeUnknownError.reconcile(max_calls): its default 1000 is now 500",
  ),
  edit(
    "an error of Python without its base",
    `${python}/_errors.py`,
    "class TimeoutError(RequestError)",
    "class TimeoutError(CallTransferError)",
    "major  TimeoutError: is no longer a RequestError",
  ),
  edit(
    "a method of Python that is gone",
    `${python}/testing/_sandbox.py`,
    "def clear_faults(self)",
    "def _clear_faults(self)",
    "major  Sandbox.clear_faults: was removed",
  ),
  edit(
    "a new method of Python",
    `${python}/testing/_sandbox.py`,
    "    def clear_faults(self) -> None:",
    "    def faults(self) -> list[Fault]:\n        return []\n\n    def clear_faults(self) -> None:",
    "minor  Sandbox.faults: was added",
  ),
];
