import { errorCodes, type OperationId, operations } from "@call-transfer/spec";
import { codesOutsideOperations } from "../document/document.ts";
import { bodyViolations } from "../document/schema-check.ts";
import type { Finding } from "../suite/check.ts";
import { describeValue } from "../suite/trace.ts";

/** A response, for observations across all cases. */
export interface ReceivedResponse {
  readonly operation: OperationId | undefined;
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined for other bodies. */
  readonly body: unknown;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

const rowOf = (code: unknown) =>
  typeof code === "string" && Object.hasOwn(errorCodes, code) ? errorCodes[code as keyof typeof errorCodes] : undefined;

function* ofError({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (status < 400 || !isRecord(body)) return;
  const { code, title, errors, meta } = body;
  const row = rowOf(code);
  const what = `${describeValue(code)} (${status})`;
  if (isRecord(meta)) {
    const { retryAfterSecs } = meta;
    const fits = retryAfterSecs === undefined || (typeof retryAfterSecs === "number" && retryAfterSecs >= 0);
    yield {
      assumption: "A-2",
      subject: `meta of ${what}`,
      observed: Object.keys(meta).join(", ") || "no field",
      holds: fits,
    };
  }
  if (row) {
    yield {
      assumption: "A-3",
      subject: `title of ${what}`,
      observed: describeValue(title),
      holds: title === row.title,
    };
    const names = Array.isArray(errors) && errors.length > 0;
    yield {
      assumption: "A-4",
      subject: `errors of ${what}`,
      observed: names ? "named" : "none",
      holds: names === row.hasFieldErrors,
    };
  }
  const listed = operation ? (operations[operation].errorCodes as readonly unknown[]) : codesOutsideOperations;
  // Any code is allowed, so an unlisted one is only reported.
  const place = operation ?? "a path without an operation";
  if (!listed.includes(code))
    yield { assumption: "A-5", subject: `unlisted code of ${place}`, observed: what, holds: true };
  if (status === 401) {
    const challenge = headers.get("WWW-Authenticate");
    yield {
      assumption: "A-50",
      subject: `WWW-Authenticate of ${what}`,
      observed: challenge === null ? "missing" : describeValue(challenge),
      holds: /^bearer\b/i.test(challenge ?? ""),
    };
  }
  if (status === 429) {
    const places = [
      ...(isRecord(meta) && typeof meta.retryAfterSecs === "number" ? ["meta.retryAfterSecs"] : []),
      ...(headers.has("Retry-After") ? ["Retry-After"] : []),
    ];
    yield {
      assumption: "A-40",
      subject: `the wait of ${what}`,
      observed: places.join(", ") || "missing",
      holds: places.length > 0,
    };
    yield { assumption: "A-38", subject: "a limit", observed: what, holds: true };
  }
}

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** All strings in a body. Without recursion, because deep nesting would overflow the stack. */
function* textsIn(body: unknown): Generator<string> {
  const left = [body];
  while (left.length > 0) {
    const node = left.pop();
    if (typeof node === "string") yield node;
    else if (isRecord(node)) for (const child of Object.values(node)) left.push(child);
  }
}

function* ofSuccess({ operation, status, headers, body }: ReceivedResponse): Generator<Finding> {
  if (operation && (headers.has("Deprecation") || headers.has("Sunset")))
    yield { assumption: "A-41", subject: operation, observed: "deprecated by its headers", holds: true };
  if (!operation || status >= 400 || body === undefined) return;
  if (isRecord(body) && typeof body.signingSecret === "string") {
    const caching = headers.get("Cache-Control");
    yield {
      assumption: "A-51",
      subject: operation,
      observed: caching === null ? "no Cache-Control" : describeValue(caching),
      holds: /\bno-store\b/i.test(caching ?? ""),
    };
  }
  const strict = bodyViolations(operation, status, body);
  const lenient = new Set(bodyViolations(operation, status, body, true));
  for (const added of strict.filter((violation) => !lenient.has(violation)))
    yield {
      assumption: "A-7",
      subject: operation,
      observed: `a value that the contract does not list: ${added}`,
      holds: true,
    };
  if (strict.length === 0)
    yield { assumption: "A-7", subject: operation, observed: "only values that the contract lists", holds: true };
  for (const form of new Set([...textsIn(body)].flatMap((text) => dateTime.exec(text)?.[2] ?? [])))
    yield { assumption: "A-11", subject: `times of ${operation}`, observed: form, holds: form === "Z" };
}

/** What all responses show about the assumptions. */
export const findingsOf = (answers: readonly ReceivedResponse[]): Finding[] =>
  answers.flatMap((answer) => [...ofError(answer), ...ofSuccess(answer)]);
