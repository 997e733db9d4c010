import type { AccountRecord } from "../model/records.ts";
import { type Problem, problem } from "../utils/problem.ts";

/** The problem of a suspended account; undefined for any other. */
export function checkSuspended(account: Pick<AccountRecord, "suspended">): Problem | undefined {
  return account.suspended ? problem("account_suspended") : undefined;
}
