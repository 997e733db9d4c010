export { type AttackOptions, attackReceiver, type HandledCounts } from "./attack/attack.ts";
export { type AttackReport, type Finding, formatReport } from "./attack/report.ts";
