export { attackReceiver } from "./attack/attack.ts";
export type { AttackOptions } from "./attack/attack-options.ts";
export { formatReport } from "./attack/format-report.ts";
export type { HandledCounts } from "./attack/handled-counts.ts";
export {
  AttackFindingsError,
  type AttackReport,
  type CheckGroup,
  type CheckResult,
  expectNoFindings,
  type Finding,
  type FindingKind,
  type Severity,
} from "./attack/report.ts";
