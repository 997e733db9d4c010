// Entry point for the parts that servers and pages around a backend are made of. They may change in any release
// (docs/decisions/0040).

export { demoSeed } from "./contents/demo-seed.ts";
export { type ScenarioName, scenarios } from "./contents/scenarios.ts";
export { bodyLimit, serveSandboxes } from "./control/control.ts";
export { sandboxState } from "./control/operations/sandboxes.ts";
export type { SandboxRegistry, SandboxState } from "./control/parts/exchange.ts";
export { controlError } from "./control/parts/reply.ts";
export {
  type DocumentedOperation,
  type JsonObject,
  operationsIn,
  type Parameter,
} from "./control-client/operations.ts";
export { argumentName, inputSchemaOf, outputSchemaOf, partsOf, type RequestParts } from "./control-client/schemas.ts";
export type { FaultAction } from "./faults/fault.ts";
export { parseFault } from "./faults/parse-fault.ts";
export type { Delivery, WebhookFaultAction } from "./generated/models.gen.ts";
export type { AskElsewhere, ForeignAnswer } from "./http/elsewhere.ts";
export type { JournalDetail } from "./http/journal/journal-detail.ts";
export { errorResponse } from "./http/respond.ts";
export { isSandboxName, selectSandbox, unknownSandbox } from "./http/transport/select-sandbox.ts";
export type {
  IncomingRequest,
  PlainResponse,
  RequestHeaders,
  TransportFault,
} from "./http/transport/transport.ts";
export type { WallClock } from "./model/time/clock.ts";
export { clearTimeout, elapsed, endOfTurn, letProcessEnd, realNow, setTimeout } from "./model/time/real-time.ts";
export type { TimerPurpose } from "./model/time/timer-queue.ts";
export { formatDuration } from "./model/values/format-duration.ts";
export { recordForLog, redactedHeaders, replacement } from "./model/values/redact.ts";
