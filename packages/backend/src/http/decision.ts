import type { ErrorCode, OperationDescription } from "@call-transfer/spec";
import type { Decision, RequestCaller } from "../generated/models.gen.ts";
import type { Effects } from "../model/change-log.ts";
import type { AccountRecord } from "../model/records.ts";
import type { IndexedState } from "../model/state.ts";
import type { Answer } from "../utils/problem.ts";
import { forLog } from "../utils/redact.ts";
import { type Caller, roleIn } from "./authenticate.ts";

/** What decides a response: a check in the fixed order, or what took its place. */
export type DecidingStep = Decision["step"];

/** The answer to a request, and the step that decided it. */
export interface Processed {
  readonly step: DecidingStep;
  readonly answer: Answer;
  /** Absent if the credential is refused. */
  readonly caller?: Caller;
  /** Absent if no account was selected. */
  readonly account?: AccountRecord | undefined;
  /** What the handler threw. */
  readonly error?: string;
  /** What the handler changed; absent if it was not called or changed nothing. */
  readonly effects?: Effects | undefined;
}

/** Why a response is as it is. */
export interface Reasons {
  readonly decidedBy: Decision;
  readonly caller?: RequestCaller;
  /** What a handler threw; never part of the response. */
  readonly error?: string;
  readonly effects?: Effects;
}

const sectionOfStep: Partial<Record<DecidingStep, string>> = {
  route: "§4",
  credentials: "§5.4",
  api_key: "§5.3",
  account: "§5.2",
  rate_limit: "§8.1",
  path: "§7.2",
  query: "§7.1",
  body: "§7.1",
};

/** Says what the request log shows of an answer and its caller; `named` is the account that the request names. */
export function reasonsOf(
  { step, answer, caller, account, error, effects }: Processed,
  operation: SpecifiedOperation,
  named: string | null,
  state: IndexedState,
): Reasons {
  const reasons: { -readonly [Name in keyof Reasons]: Reasons[Name] } = {
    decidedBy: decisionOf(step, answer, operation),
  };
  if (caller !== undefined) reasons.caller = describeCaller(caller, account?.id ?? named ?? undefined, state);
  if (error !== undefined) reasons.error = forLog(error);
  if (effects !== undefined) reasons.effects = effects;
  return reasons;
}

/** The decision about each request to an operation or a stub that succeeded, so that the request log holds one of them. */
const successes = new WeakMap<SpecifiedOperation, Decision>();

function successOf(step: DecidingStep, operation: SpecifiedOperation): Decision {
  const { section } = operation;
  const decision = Object.freeze<Decision>({ step, ...(section && { section }) });
  successes.set(operation, decision);
  return decision;
}

/** Describes the decision of a step about a request to an operation, with its section and the reason for an error. */
export function decisionOf(step: DecidingStep, answer: Answer, operation: SpecifiedOperation = {}): Decision {
  if (answer.problem === undefined) return successes.get(operation) ?? successOf(step, operation);
  const { code, detail, errors } = answer.problem;
  const section = sectionOf(step, code, operation);
  const reasons = errors?.map(({ field, message }) => `${field} ${message}`).join("; ");
  return { step, ...(section && { section }), detail: forLog(reasons ? `${reasons}.` : detail) };
}

type SpecifiedOperation = Pick<OperationDescription, "section">;

/** The section that explains an error code of a step; where it explains the whole step, that of the step. */
function sectionOf(step: DecidingStep, code: ErrorCode, operation: SpecifiedOperation): string | undefined {
  if (step === "credentials" && code.startsWith("api_key_")) return "§5.3";
  if (step === "account" && code !== "account_header_missing")
    return code === "insufficient_permissions" ? "§5.5" : "§7.2";
  if (code === "queue_full") return "§8.2";
  return step === "operation" ? operation.section : sectionOfStep[step];
}

/** How the callers with a key were described last. The record of a key is replaced when it changes. */
const described = new WeakMap<object, { readonly accountId: string; readonly caller: RequestCaller }>();

/** Describes the caller of a request without the credential; `named` is the account that the request names. */
function describeCaller(caller: Caller, named: string | undefined, state: IndexedState): RequestCaller {
  if (caller.kind === "user") return { kind: "user", userId: caller.userId, ...accessOf(caller, named, state) };
  const { key, credential } = caller;
  const accountId = named ?? key.accountId;
  const before = described.get(key);
  if (before?.accountId === accountId) return before.caller;
  const access = accessOf(caller, accountId, state);
  const description = Object.freeze<RequestCaller>({ kind: "key", key: credential.slice(-4), ...access });
  described.set(key, { accountId, caller: description });
  return description;
}

function accessOf(
  caller: Caller,
  accountId: string | undefined,
  state: IndexedState,
): Pick<RequestCaller, "role" | "accountId"> {
  if (accountId === undefined) return {};
  const role = roleIn(accountId, caller, state);
  return { ...(role !== undefined && { role }), accountId: forLog(accountId) };
}
