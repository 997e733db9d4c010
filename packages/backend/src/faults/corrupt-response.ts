import * as schemas from "@call-transfer/spec/schemas";
import { z } from "zod";
import type { Clock } from "../model/clock.ts";

/** A value that no version of the contract knows. */
const unknownValue = "value_of_a_newer_version";

let known: ReadonlySet<string> | undefined;

/** The body with a value that is not in the contract wherever a field is limited to a list of values. */
export function withUnknownEnums(text: string): string {
  known ??= enumFields();
  const names = known;
  return JSON.stringify(
    JSON.parse(text, (name, value: unknown) => (names.has(name) && typeof value === "string" ? unknownValue : value)),
  );
}

/** The body in parts that come one second of the clock after the other. */
export function dripping(text: string, clock: Clock): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const size = Math.max(1, Math.ceil(bytes.length / parts));
  let sent = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const wait = clock.sleep(1000, "slowBody");
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

const parts = 6;

/** The names of all fields that a schema of the contract limits to a list of values. */
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
