export { cases } from "./cases/index.ts";
export { type Coverage, coverageOf, gapsOf } from "./coverage/coverage.ts";
export type { ContractCase } from "./suite/case.ts";
export type { Finding } from "./suite/check.ts";
export type { Exchange } from "./suite/recorder.ts";
export { type Hindrance, type Run, runCase } from "./suite/run.ts";
export { type OpenTarget, perCase, type Shared, type TargetRunner, withShared } from "./suite/runner.ts";
export type {
  BrokenAnswer,
  Capability,
  CaseName,
  Credentials,
  Delivery,
  Fault,
  KeyHolder,
  Limits,
  Target,
  TargetWith,
  TokenHolder,
  Who,
} from "./suite/target.ts";
export { type Seed, world } from "./suite/world.ts";
