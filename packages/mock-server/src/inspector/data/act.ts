import { messageOf } from "../../control/client.ts";
import type { ControlResult } from "./live.ts";
import type { Session } from "./session.ts";

/**
 * Runs an operation of the control plane for a button, and shows its error, or `done` after success. Returns whether it
 * succeeded.
 */
export async function act(session: Session, task: Promise<ControlResult>, done?: string): Promise<boolean> {
  try {
    const { error, response } = await task;
    if (!response.ok) {
      session.notify("bad", messageOf(error));
      return false;
    }
  } catch (error) {
    session.notify("bad", `The server could not be reached. ${String(error)}`);
    return false;
  }
  if (done !== undefined) session.notify("ok", done);
  return true;
}
