import { expect, test } from "vitest";
import { act } from "../src/data/session/act.ts";
import type { Session } from "../src/data/session/session.ts";

/** Runs a task that fails, and returns the notice. */
async function noticeOf(error: unknown): Promise<string> {
  const notices: string[] = [];
  const notify: Session["notify"] = (_tone, text) => void notices.push(text);
  await act({ notify }, Promise.reject(error));
  return notices.join();
}

test("only a request that got no answer says that the server could not be reached", async () => {
  expect(await noticeOf(new TypeError("Failed to fetch"))).toBe("The server could not be reached. Failed to fetch");
  expect(await noticeOf(new Error("There is no owner."))).toBe("There is no owner.");
});
