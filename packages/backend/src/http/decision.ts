import type { ErrorCode } from "@call-transfer/spec";
import { type Answer, isProblem } from "../model/problem.ts";
import type { State } from "../model/state.ts";
import { type Caller, roleIn } from "./authenticate.ts";
import { withoutCredentials } from "./redact.ts";

/**
 * What decides a response: a check in the fixed order, the operation itself, a fault, or something in front of the
 * backend (`gate`, `proxy`).
 */
export type DecidingStep =
  | "gate"
  | "route"
  | "fault"
  | "credentials"
  | "key"
  | "account"
  | "rateLimit"
  | "path"
  | "query"
  | "body"
  | "operation"
  | "proxy";

/** What decided a response, and why. */
export interface Decision {
  readonly step: DecidingStep;
  /** The section of the specification with the rule, such as `§5.4`. */
  readonly section?: string;
  /** The reason for an error, in a sentence. */
  readonly detail?: string;
}

/** The authenticated sender of a request, without the credential. */
export interface RequestCaller {
  readonly kind: "key" | "user";
  /** The last 4 characters of the API key. */
  readonly key?: string;
  readonly userId?: string;
  /** The caller's role in the account. */
  readonly role?: string;
  /** The account that the request selects, even if the caller has no access to it. */
  readonly accountId?: string;
}

const sectionOfStep: Partial<Record<DecidingStep, string>> = {
  route: "§4",
  credentials: "§5.4",
  key: "§5.3",
  account: "§5.2",
  rateLimit: "§8.1",
  path: "§7.2",
  query: "§7.1",
  body: "§7.1",
};

/** Codes with a section of their own, whichever step returns them. */
const sectionOfCode: Partial<Record<ErrorCode, string>> = {
  api_key_expired: "§5.3",
  api_key_invalid: "§5.3",
  api_key_revoked: "§5.3",
  account_access_denied: "§7.2",
  account_suspended: "§7.2",
  insufficient_permissions: "§5.5",
  daily_call_limit_exceeded: "§8",
  outside_callable_hours: "§8",
  queue_full: "§8.2",
};

const sectionOfOperation: Readonly<Record<string, string>> = {
  rotateDestinationSecret: "§4.1",
  createDestinationGroup: "§4.2",
  deleteMemberHours: "§4.3",
  getMemberAvailability: "§4.4",
  listRoles: "§4.5",
  createCall: "§4.6",
  listCalls: "§4.6",
  listAccounts: "§4.6",
};

/** Describes the decision of a step, with its section and the reason for an error. */
export function decisionOf(step: DecidingStep, answer: Answer, operationId = ""): Decision {
  if (!isProblem(answer)) return { step, ...sectionFor(sectionOfOperation[operationId]) };
  const { code, detail, errors } = answer.problem;
  const section = sectionOfCode[code] ?? (step === "operation" ? sectionOfOperation[operationId] : sectionOfStep[step]);
  const reasons = errors?.map(({ field, message }) => `${field} ${message}`).join("; ");
  return { step, ...sectionFor(section), detail: withoutCredentials(reasons ? `${reasons}.` : detail) };
}

function sectionFor(section: string | undefined): { section?: string } {
  return section === undefined ? {} : { section };
}

/** Describes the caller of a request without the credential; `named` is the account that the request names. */
export function describeCaller(caller: Caller, named: string | undefined, state: State): RequestCaller {
  const accountId = named ?? (caller.kind === "key" ? caller.key.accountId : undefined);
  const role = accountId === undefined ? undefined : roleIn(accountId, caller, state);
  return {
    ...(caller.kind === "user"
      ? { kind: "user", userId: caller.userId }
      : { kind: "key", key: caller.credential.slice(-4) }),
    ...(role !== undefined && { role }),
    ...(accountId !== undefined && { accountId: withoutCredentials(accountId) }),
  };
}
