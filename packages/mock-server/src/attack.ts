export { type AttackOptions, attackReceiver, type HandledCounts } from "./attack/attack.ts";
export {
  AttackFindingsError,
  type AttackReport,
  assertNoFindings,
  type CheckGroup,
  type CheckResult,
  type Finding,
  type FindingKind,
  formatReport,
  type Severity,
} from "./attack/report.ts";
