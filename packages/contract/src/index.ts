export { cases } from "./cases/index.ts";
export { type Coverage, coverageGaps, measureCoverage } from "./coverage/coverage.ts";
export type { ContractCase } from "./suite/case.ts";
export type { Finding } from "./suite/check.ts";
export type { Exchange } from "./suite/recorder.ts";
export { type CaseResult, type MissingCapability, runCase } from "./suite/run.ts";
export { type OpenTarget, perCase, type SharedSetup, type TargetRunner, withSharedSetup } from "./suite/runner.ts";
export type {
  BrokenResponse,
  Caller,
  Capability,
  CaseName,
  Credentials,
  Delivery,
  Fault,
  KeyHolder,
  PolicyChanges,
  Target,
  TargetWith,
  TokenHolder,
} from "./suite/target.ts";
export type { Seed } from "./world/seed.ts";
export { world } from "./world/world.ts";
