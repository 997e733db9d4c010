// Entry point for the parts that servers and pages around a backend are made of. They may change in any release
// (docs/decisions/0006).

export { bodyLimit, serveSandboxes } from "./control/control.ts";
export type { ManagedSandboxes, SandboxState } from "./control/exchange.ts";
export { controlError } from "./control/exchange.ts";
export { sandboxState } from "./control/sandbox-handlers.ts";
export { demoSeed } from "./data/demo-seed.ts";
export type { ScenarioName } from "./data/scenarios.ts";
export type { FaultAction } from "./faults/fault.ts";
export { parseFault } from "./faults/parse-fault.ts";
export type { Delivery, WebhookFaultAction } from "./generated/models.gen.ts";
export type { AskElsewhere, ForeignAnswer } from "./http/exchange.ts";
export type { RequestDetail } from "./http/request-detail.ts";
export { errorResponse } from "./http/respond.ts";
export { isSandboxName, selectSandbox, unknownSandbox } from "./http/select-sandbox.ts";
export type {
  IncomingRequest,
  PlainResponse,
  RequestHeaders,
  TransportFault,
} from "./http/transport.ts";
export type { WallClock } from "./model/clock.ts";
export {
  addressOf,
  argumentName,
  type DocumentedOperation,
  inputSchemaOf,
  type JsonObject,
  operationsIn,
  outputSchemaOf,
  type Parameter,
  partsOf,
  type RequestParts,
} from "./utils/documented-operations.ts";
export { clearTimeout, elapsed, endOfTurn, letProcessEnd, realNow, setTimeout } from "./utils/real-time.ts";
export { recordForLog, redactedHeaders, replacement } from "./utils/redact.ts";
export { formatDuration, maskNumbers } from "./utils/text.ts";
export { errorMessage } from "./utils/values.ts";
