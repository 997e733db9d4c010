// Entry point for the client of the control plane. It runs in pages too. Only this repository can import it
// (docs/decisions/0036). A command loads all of it, so it must not lead to the rest of the backend (docs/decisions/0069).
export { controlAnswers } from "./control-client/answers.gen.ts";
export {
  type ControlAddress,
  type ControlClient,
  createControlClient,
  dataAs,
  dataOf,
  headersOf,
  messageOf,
  type Schema,
} from "./control-client/client.ts";
export { type EventFeed, followEvents, RejectedStream } from "./control-client/follow-events.ts";
export {
  type DocumentedOperation,
  type JsonObject,
  operationsIn,
  type Parameter,
} from "./control-client/operations.ts";
export { argumentName, inputSchemaOf, outputSchemaOf, partsOf, type RequestParts } from "./control-client/schemas.ts";
export { formatDuration, longUnits } from "./model/values/format-duration.ts";
export { maskNumbers } from "./model/values/mask-numbers.ts";
export { editsBetween, suggestion } from "./model/values/spelling.ts";
