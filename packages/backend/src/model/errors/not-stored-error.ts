import { messageOf } from "../values/message-of.ts";

/** Thrown when a change could not be stored. Its message is for the client. */
export class NotStoredError extends Error {
  constructor(cause: unknown) {
    super(`Changes could not be stored and were undone: ${messageOf(cause)}`, { cause });
    this.name = "NotStoredError";
  }
}
