export { cases } from "./cases/index.ts";
export { type Coverage, coverageGaps as gapsOf, measureCoverage as coverageOf } from "./coverage/coverage.ts";
export type { ContractCase } from "./suite/case.ts";
export type { Finding } from "./suite/check.ts";
export type { Exchange } from "./suite/recorder.ts";
export { type CaseResult as Run, type MissingCapability as Hindrance, runCase } from "./suite/run.ts";
export {
  type OpenTarget,
  perCase,
  type SharedSetup as Shared,
  type TargetRunner,
  withSharedSetup as withShared,
} from "./suite/runner.ts";
export type {
  BrokenResponse as BrokenAnswer,
  Caller as Who,
  Capability,
  CaseName,
  Credentials,
  Delivery,
  Fault,
  KeyHolder,
  PolicyChanges as Limits,
  Target,
  TargetWith,
  TokenHolder,
} from "./suite/target.ts";
export { type Seed, world } from "./suite/world.ts";
