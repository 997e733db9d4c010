export type { ContractCase } from "./case.ts";
export { cases } from "./cases.ts";
export type { Finding } from "./check.ts";
export { type Coverage, coverageOf, gapsOf } from "./coverage.ts";
export type { Exchange } from "./recorder.ts";
export { type Hindrance, type Run, runCase } from "./run.ts";
export { type OpenTarget, perCase, type Shared, type TargetRunner, withShared } from "./runner.ts";
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
} from "./target.ts";
export { type Seed, world } from "./world.ts";
