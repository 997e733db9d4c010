export { type AttackOptions, attackReceiver, type HandledCounts } from "./attack/attack.ts";
export {
  AttackFindingsError,
  type AttackReport,
  type CheckGroup,
  type CheckResult,
  expectNoFindings,
  type Finding,
  type FindingKind,
  formatReport,
  type Severity,
} from "./attack/report.ts";
