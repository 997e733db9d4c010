import { messageOf } from "@call-transfer/backend/control-client";
import { messageIn } from "../values/format.ts";
import type { ControlResult } from "./live.ts";
import type { Session } from "./session.ts";

/**
 * Runs an operation of the control plane for a button, and shows its error, or `done` after success. Returns whether it
 * succeeded.
 */
export async function act(
  session: Pick<Session, "notify">,
  task: Promise<ControlResult>,
  done?: string,
): Promise<boolean> {
  try {
    const { error, response } = await task;
    if (!response.ok) {
      session.notify("bad", messageOf(error));
      return false;
    }
  } catch (error) {
    // `fetch` throws a TypeError; other errors say what is wrong.
    const isUnreached = error instanceof TypeError;
    session.notify("bad", isUnreached ? `The server could not be reached. ${error.message}` : messageIn(error));
    return false;
  }
  if (done !== undefined) session.notify("ok", done);
  return true;
}

/** Runs a task and shows its error. */
export async function orNotice(session: Session, task: () => Promise<unknown>): Promise<void> {
  try {
    await task();
  } catch (error) {
    session.notify("bad", messageIn(error));
  }
}
