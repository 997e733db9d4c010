export { type Backend, type BackendOptions, createBackend, type Peer } from "./backend.ts";
export type { Clock, ClockMode, Step, WallClock } from "./clock.ts";
export type { Deliveries, Delivery, Trigger } from "./deliveries.ts";
export { demo, demoSeed } from "./demo-seed.ts";
export { refuse } from "./dispatch.ts";
export type { Fault, Faults } from "./faults.ts";
export { InputError } from "./input-error.ts";
export type { Journal, JournalEntry } from "./journal.ts";
export type { ApiKeyOptions, Keys, TokenOptions } from "./keys.ts";
export type { Policies } from "./policies.ts";
export { createSandboxes, type Sandboxes, type SandboxesOptions } from "./sandboxes.ts";
export type { Seed } from "./seed.ts";
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
export type { Handled, TransportFault } from "./transport.ts";
