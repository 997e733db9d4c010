export { type Backend, type BackendOptions, createBackend, type Peer } from "./backend.ts";
export type { AttackTarget, WebhookAttack, WebhookAttackReport } from "./control/attack.ts";
export { bodyLimit, serveSandboxes } from "./control/control.ts";
export type { NewSandboxOptions, SandboxRegistry, SandboxState } from "./control/exchange.ts";
export { controlError } from "./control/reply.ts";
export { sandboxState } from "./control/sandboxes.ts";
export type {
  Fault,
  FaultAction,
  FaultFieldError,
  FaultMatch,
  FaultWhen,
  RequestFault,
  SignatureFault,
  WebhookFault,
  WebhookFaultAction,
  Weekday,
} from "./faults/fault.ts";
export type { Faults } from "./faults/faults.ts";
export { parseFault } from "./faults/parse-fault.ts";
export type { ClosestOperation } from "./http/closest-operations.ts";
export type { DecidingStep, Decision, RequestCaller } from "./http/decision.ts";
export { errorResponse } from "./http/dispatch.ts";
export type {
  CodeCount,
  Deviation,
  Journal,
  JournalEntry,
  JournalFilter,
  OperationCoverage,
  StatusCount,
} from "./http/journal.ts";
export type { JournalDetail, RecordedExchange, ShownChange } from "./http/journal-detail.ts";
export type { RecordedRequest } from "./http/recorder.ts";
export { isSandboxName, type SandboxSelection, selectSandbox, unknownSandbox } from "./http/select-sandbox.ts";
export type {
  HandledResponse,
  IncomingRequest,
  PlainResponse,
  RequestHeaders,
  TransportFault,
} from "./http/transport.ts";
export type { Clock, ClockMode, Step, WallClock } from "./model/clock.ts";
export type { BackendEvent, EventDetails, EventSelection, Events, FollowOptions, KeptEvents } from "./model/events.ts";
export { InputError } from "./model/input-error.ts";
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
} from "./model/records.ts";
export { redacted } from "./model/redact.ts";
export type { State } from "./model/state.ts";
export type { RowChange, SandboxStore, SandboxStores, StoredRow, StoredSandbox } from "./model/store.ts";
export type { TimerPurpose } from "./model/timer-queue.ts";
export type { RingRecord, TransferRecord } from "./model/transfer-record.ts";
export type { Deliveries, Delivery, Trigger } from "./platform/deliveries.ts";
export { type Inbox, type InboxAnswer, type InboxEvent, inboxUrl } from "./platform/inbox.ts";
export { signatureHeader } from "./platform/signer.ts";
export type { NewTransfer, ScriptEntry } from "./platform/transfer-input.ts";
export type { Transfers } from "./platform/transfers.ts";
export {
  createSandboxes,
  type Sandboxes,
  type SandboxesOptions,
  type SandboxListener,
  type SandboxOptions,
} from "./sandboxes.ts";
export type { Collections, SeedRecord } from "./testing/collections.ts";
export type { BackendControls } from "./testing/controls.ts";
export { demo, demoSeed } from "./testing/demo-seed.ts";
export type { ApiKeyOptions, Keys, TokenOptions } from "./testing/keys.ts";
export { type Scenario, type ScenarioEdit, type ScenarioName, scenarios } from "./testing/scenarios.ts";
export { type Seed, seedSchema } from "./testing/seed.ts";
export type { Snapshot } from "./testing/snapshot.ts";
