import { type ErrorCode, type ErrorResponseMeta, errorCodes } from "@call-transfer/spec";
import * as schemas from "@call-transfer/spec/schemas";
import * as z from "zod";
import type { BackendClock } from "../model/clock.ts";
import { type Problem, problem } from "../utils/problem.ts";
import { omitUndefined } from "../utils/values.ts";
import type { FaultAction } from "./fault.ts";

/** The error response of a fault with an error code, with the default `errors` and `meta` of that code. */
export function faultProblem(action: Extract<FaultAction, { code: ErrorCode }>, now: number): Problem {
  const { code, meta = defaultMeta(code, now) } = action;
  const {
    errors = errorCodes[code].hasFieldErrors ? [{ field: "body", code: "invalid_format" as const }] : undefined,
  } = action;
  return problem(code, {
    ...(meta && { meta }),
    ...(errors && { errors: errors.map((error) => ({ message: "is rejected by a fault", ...omitUndefined(error) })) }),
  });
}

function defaultMeta(code: ErrorCode, now: number): ErrorResponseMeta | undefined {
  if (code === "rate_limit_exceeded" || code === "queue_full") return { retryAfterSecs: 1 };
  if (code === "assistant_quota_exceeded") return { resetsAt: new Date(now + 3_600_000).toISOString() };
  return undefined;
}

/** An enum value that no version of the API defines. */
const unknownValue = "value_of_a_newer_version";

let enumNames: ReadonlySet<string> | undefined;

/** Replaces the value of every enum field in a JSON body with an unknown value. */
export function withUnknownEnums(text: string): string {
  enumNames ??= enumFields();
  const names = enumNames;
  return JSON.stringify(
    JSON.parse(text, (name, value: unknown) => (names.has(name) && typeof value === "string" ? unknownValue : value)),
  );
}

/** How many parts a slow body is sent in, one per second of the clock. */
const slowBodyParts = 6;

/** Streams a body in parts, one per second of the clock. */
export function slowBody(text: string, clock: BackendClock): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const size = Math.max(1, Math.ceil(bytes.length / slowBodyParts));
  let sent = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const wait = clock.sleep(1000, "slow_body");
        clock.track(wait);
        await wait;
        controller.enqueue(bytes.slice(sent, sent + size));
        sent += size;
        if (sent >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** The names of all fields that the API restricts to an enum. */
function enumFields(): Set<string> {
  const names = new Set<string>();
  for (const schema of Object.values(schemas))
    if (schema instanceof z.ZodObject)
      for (const [name, field] of Object.entries(schema.shape)) if (isEnum(field)) names.add(name);
  return names;
}

function isEnum(field: unknown): boolean {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault)
    return isEnum(field.unwrap());
  return field instanceof z.ZodEnum;
}
