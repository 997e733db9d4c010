import { type ErrorCode, errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { operationIds } from "./document.ts";
import { bodyViolations } from "./schema-check.ts";
import type { BrokenResponse, Fault, Target } from "./target.ts";
import { describeValue, requestLine, responseLine } from "./trace.ts";

/** One request and its answer, as far as the coverage counts them. */
export interface Exchange {
  /** Absent for a path and method that no operation has. */
  readonly operation?: OperationId;
  readonly status: number;
  /** The error body's code. */
  readonly code?: string;
  /** Whether a fault gave the answer, and not the platform's own behaviour. */
  readonly byFault: boolean;
}

/** A target of which every answer is held against the contract. */
export interface Recording {
  readonly target: Target;
  readonly exchanges: readonly Exchange[];
  /** What the answers broke of the contract; empty when nothing. */
  readonly violations: readonly string[];
  /** Each request and each answer in words, without credentials and secrets. */
  readonly trace: readonly string[];
}

const patterns = operationIds.map((id) => ({
  id,
  method: operations[id].method as string,
  path: new RegExp(`^${operations[id].path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`),
}));

/** The operation that a request is for; undefined when none is. */
export function operationOf(method: string, pathname: string): OperationId | undefined {
  const path = pathname.slice(Math.max(0, pathname.indexOf("/api/")));
  return patterns.find((pattern) => pattern.method === method && pattern.path.test(path))?.id;
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorCodes, code);

/** What every error has besides its schema: the table's pair of code and status, and the request's id (§2.6, §7). */
function problemViolations(status: number, requestId: string | null, body: unknown): string[] {
  if (typeof body !== "object" || body === null) return ["the error body is no object"];
  const { code, status: mirrored, requestId: named, errors } = body as Record<string, unknown>;
  const broken: string[] = [];
  if (mirrored !== status) broken.push(`the body's status ${describeValue(mirrored)} is not the status line's`);
  if (named !== requestId) broken.push(`requestId ${describeValue(named)} is not X-Request-Id ${requestId}`);
  if (!isErrorCode(code)) return [...broken, `${describeValue(code)} is no code of the table`];
  const row = errorCodes[code];
  if (row.status !== null && row.status !== status) broken.push(`the table gives ${code} the status ${row.status}`);
  if (row.hasFieldErrors && !(Array.isArray(errors) && errors.length > 0)) broken.push(`${code} names no fields`);
  return broken;
}

function inspect(
  operation: OperationId | undefined,
  { status, headers }: Response,
  text: string,
  allowNewValues: boolean,
) {
  const requestId = headers.get("X-Request-Id");
  const broken = requestId ? [] : ["X-Request-Id is missing"];
  if (status === 204) {
    if (text !== "") broken.push("a 204 has no body");
    return { body: undefined, broken };
  }
  const type = headers.get("Content-Type")?.split(";")[0]?.trim();
  if (type !== "application/json") return { body: undefined, broken: [...broken, `the content type is ${type}`] };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { body: undefined, broken: [...broken, "the body is no JSON"] };
  }
  if (status >= 400) broken.push(...problemViolations(status, requestId, body));
  if (operation) broken.push(...bodyViolations(operation, status, body, allowNewValues));
  return { body, broken };
}

type Wording = Exclude<Fault["do"], BrokenResponse>;

/** Whether one of the armed faults explains an answer. */
const isForced = (wordings: readonly Wording[], status: number, code: unknown): boolean =>
  wordings.some((wording) => ("code" in wording ? wording.code === code : wording.status === status));

/** Answers that a fault words by itself, e.g. a proxy's page: they cannot keep the contract. */
const isRaw = (wordings: readonly Wording[], status: number): boolean =>
  wordings.some((wording) => "status" in wording && wording.status === status);

/** Wraps a target so that each answer is checked and counted. */
export function record(target: Target): Recording {
  const exchanges: Exchange[] = [];
  const violations: string[] = [];
  const trace: string[] = [];
  const wordings: Wording[] = [];
  /** How many answers are still to be broken. */
  let breakages = 0;

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const asked = new Request(input instanceof Request ? input.clone() : input, init);
    trace.push(requestLine(asked, await asked.clone().text()));
    if (breakages > 0) {
      // What comes back, if anything, cannot keep the contract, and reading it may never end.
      breakages -= 1;
      trace.push("→ broken on purpose");
      return target.fetch(input, init);
    }
    const response = await target.fetch(input, init);
    const text = await response.clone().text();
    trace.push(responseLine(asked, response, text));
    const { pathname } = new URL(asked.url);
    const operation = operationOf(asked.method, pathname);
    const { body, broken } = inspect(operation, response, text, target.allowsNewValues ?? false);
    const code: unknown =
      typeof body === "object" && body !== null && response.status >= 400 && Reflect.get(body, "code");
    if (!isRaw(wordings, response.status)) {
      const place = `${asked.method} ${pathname} → ${response.status}`;
      violations.push(...broken.map((what) => `${place}: ${what}`));
    }
    exchanges.push({
      ...(operation === undefined ? {} : { operation }),
      status: response.status,
      ...(typeof code === "string" ? { code } : {}),
      byFault: isForced(wordings, response.status, code),
    });
    return response;
  };

  const { faults } = target;
  const recorded: Target = { ...target, fetch };
  if (!faults) return { target: recorded, exchanges, violations, trace };
  const add = (fault: Fault) => {
    if (typeof fault.do === "string") breakages += fault.times ?? 1;
    else wordings.push(fault.do);
    return faults.add(fault);
  };
  return { target: { ...recorded, faults: { add } }, exchanges, violations, trace };
}
