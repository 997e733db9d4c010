export { type Backend, createBackend, type Peer } from "./backend.ts";
export type { Collections, SeedRecord } from "./contents/collections.ts";
export { demo, demoSeed } from "./contents/demo-seed.ts";
export type { ApiKeyOptions, Keys, TokenOptions } from "./contents/keys.ts";
export { type Scenario, type ScenarioEdit, type ScenarioName, scenarios } from "./contents/scenarios.ts";
export { type Seed, seedSchema } from "./contents/seed.ts";
export type { Snapshot } from "./contents/snapshot.ts";
export { bodyLimit, serveSandboxes } from "./control/control.ts";
export { sandboxState } from "./control/operations/sandboxes.ts";
export type { BackendControls } from "./control/parts/controls.ts";
export type {
  AttackTarget,
  NewSandboxOptions,
  SandboxRegistry,
  SandboxState,
  WebhookAttack,
  WebhookAttackReport,
} from "./control/parts/exchange.ts";
export { controlError } from "./control/parts/reply.ts";
export type {
  Fault,
  FaultAction,
  FaultFieldError,
  RequestFault,
  SignatureFault,
  WebhookFault,
  Weekday,
} from "./faults/fault.ts";
export type { Faults } from "./faults/faults.ts";
export { parseFault } from "./faults/parse-fault.ts";
export type {
  ClosestOperation,
  Decision,
  Delivery,
  Deviation,
  FaultMatch,
  FaultWhen,
  InboxEvent,
  JournalEntry,
  RequestCaller,
  ShownChange,
  WebhookFaultAction,
} from "./generated/models.gen.ts";
export type { DecidingStep } from "./http/checks/decision.ts";
export type { CodeCount, OperationCoverage, StatusCount } from "./http/journal/coverage.ts";
export type { Journal, JournalFilter } from "./http/journal/journal.ts";
export type { JournalDetail, RecordedExchange } from "./http/journal/journal-detail.ts";
export type { RecordedRequest } from "./http/journal/recorder.ts";
export { errorResponse } from "./http/respond.ts";
export {
  isSandboxName,
  type SandboxSelection,
  selectSandbox,
  unknownSandbox,
} from "./http/transport/select-sandbox.ts";
export type {
  HandledResponse,
  IncomingRequest,
  PlainResponse,
  RequestHeaders,
  TransportFault,
} from "./http/transport/transport.ts";
export type {
  BackendEvent,
  EventDetails,
  EventSelection,
  Events,
  FollowOptions,
  KeptEvents,
} from "./model/changes/events.ts";
export { InputError } from "./model/errors/input-error.ts";
export type { Policies } from "./model/policies.ts";
export type {
  AccountRecord,
  ApiKeyRecord,
  CallRecord,
  CollectionName,
  ContactRecord,
  DestinationRecord,
  FlowRecord,
  GroupRecord,
  MemberRecord,
  NumberRecord,
  ProviderRecord,
  UserRecord,
} from "./model/records/records.ts";
export type { RingRecord, TransferRecord } from "./model/records/transfer-record.ts";
export type { State } from "./model/state.ts";
export type { RowChange, SandboxStore, SandboxStores, StoredRow, StoredSandbox } from "./model/storage/store.ts";
export type { Clock, ClockMode, Step, WallClock } from "./model/time/clock.ts";
export type { TimerPurpose } from "./model/time/timer-queue.ts";
export { redacted } from "./model/values/redact.ts";
export type { BackendOptions } from "./options.ts";
export type { Deliveries, Trigger } from "./platform/delivery.ts";
export { type Inbox, type InboxAnswer, inboxUrl } from "./platform/inbox.ts";
export { signatureHeader } from "./platform/signer.ts";
export type { NewTransfer, ScriptEntry } from "./platform/transfer-input.ts";
export type { Transfers } from "./platform/transfers.ts";
export type { Sandboxes, SandboxesOptions, SandboxListener, SandboxOptions } from "./sandbox-options.ts";
export { createSandboxes } from "./sandboxes.ts";
