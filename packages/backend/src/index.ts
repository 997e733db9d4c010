export { type Backend, type BackendOptions, createBackend, type Peer } from "./backend.ts";
export type { Clock, ClockMode, Step, TimerPurpose, WallClock } from "./clock.ts";
export type { CollectionName, Collections, SeedRecord } from "./collections.ts";
export { bodyLimit } from "./control/control.ts";
export type { Deliveries, Delivery, Trigger } from "./deliveries.ts";
export { demo, demoSeed } from "./demo-seed.ts";
export { refuse } from "./dispatch.ts";
export type { BackendEvent, Events } from "./events.ts";
export type { Fault, FaultAction, FaultFieldError, Faults } from "./faults.ts";
export { type Inbox, type InboxAnswer, type InboxEvent, inboxUrl } from "./inbox.ts";
export { InputError } from "./input-error.ts";
export type { Journal, JournalDetail, JournalEntry, JournalFilter } from "./journal.ts";
export type { ApiKeyOptions, Keys, TokenOptions } from "./keys.ts";
export type { Policies } from "./policies.ts";
export { createSandboxes, type Sandboxes, type SandboxesOptions } from "./sandboxes.ts";
export { type Seed, seedSchema } from "./seed.ts";
export type { Snapshot } from "./snapshot.ts";
export type {
  AccountRecord,
  ApiKeyRecord,
  CallRecord,
  ContactRecord,
  DestinationRecord,
  FlowRecord,
  GroupRecord,
  MemberRecord,
  NumberRecord,
  ProviderRecord,
  State,
  UserRecord,
} from "./state.ts";
export type { NewTransfer, ScriptEntry } from "./transfer-input.ts";
export type { RingRecord, TransferRecord } from "./transfer-record.ts";
export type { Transfers } from "./transfers.ts";
export type { Asked, Handled, PlainAnswer, TransportFault } from "./transport.ts";
