export { type ClaimedCell, type ContractCase, hindrance } from "./case.ts";
export { cases } from "./cases.ts";
export type { Finding } from "./check.ts";
export { type Cell, type Coverage, coverageOf, gapsOf, type Row, type Way } from "./coverage.ts";
export type { Exchange } from "./recorder.ts";
export { coverageJson, coverageMarkdown } from "./report.ts";
export { type Run, runCase } from "./run.ts";
export type {
  Capability,
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
