export { type ClaimedCell, type ContractCase, contractCase } from "./case.ts";
export { cases } from "./cases.ts";
export { type Cell, keyOf, type Way } from "./cells.ts";
export type { Finding } from "./check.ts";
export { type Coverage, coverageOf, gapsOf, type Row, type Tally } from "./coverage.ts";
export type { Exchange } from "./recorder.ts";
export { coverageJson, coverageMarkdown } from "./report.ts";
export { type Hindrance, type Run, runCase } from "./run.ts";
export { type OpenTarget, perCase, type Shared, type TargetRunner, withShared } from "./runner.ts";
export { runsText, totalsOf } from "./summary.ts";
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
