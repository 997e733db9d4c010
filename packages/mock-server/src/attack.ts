export { type AttackOptions, attackReceiver } from "./attack/attack.ts";
export type { HandledCounts } from "./attack/handled-counts.ts";
export {
  AttackFindingsError,
  type AttackReport,
  type CheckGroup,
  type CheckResult,
  expectNoFindings,
  type Finding,
  type FindingKind,
  formatReport,
} from "./attack/report.ts";
