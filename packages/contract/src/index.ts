export { cases } from "./cases/index.ts";
export { type Coverage, coverageGaps, measureCoverage } from "./coverage/coverage.ts";
export type { ContractCase } from "./suite/case.ts";
export { type CaseResult, runCase } from "./suite/run.ts";
export type { Target } from "./suite/target.ts";
