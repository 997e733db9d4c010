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
export { editsBetween, formatDuration, longUnits, maskNumbers, suggestion } from "./utils/text.ts";
