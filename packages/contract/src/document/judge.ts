import type { OperationId } from "@call-transfer/spec";
import type { ErrorObject } from "ajv/dist/2020.js";
import { at } from "./document.ts";
import { bodyErrors, errorText } from "./schema-check.ts";
import { statedViolations } from "./stated.ts";

/** A difference from an assumption, where the specification states nothing. */
export interface Difference {
  /** The assumption's id in docs/assumptions.md. */
  readonly assumption: string;
  readonly text: string;
}

/** What is wrong with a body, and what only differs from an assumption. */
export interface Judgement {
  readonly violations: readonly string[];
  readonly differences: readonly Difference[];
}

/** The place in the body that an error is about. */
const placeOf = ({ instancePath, keyword, params }: ErrorObject): string =>
  keyword === "required" ? `${instancePath}/${String(params.missingProperty)}` : instancePath;

/** The assumption that the document names nearest above the keyword of an error. */
function assumptionOf({ schemaPath, keyword }: ErrorObject): string | undefined {
  // The specification says ISO 8601, of which the format of JSON Schema is a part.
  if (keyword === "format") return "A-11";
  const steps = schemaPath.replace(/^.*#\/\$defs\//, "#/components/schemas/").split("/");
  for (let length = steps.length - 1; length > 0; length -= 1) {
    const mark = Reflect.get(Object(at(steps.slice(0, length).join("/"))), "x-assumption");
    if (typeof mark === "string") return mark;
  }
  return undefined;
}

const isWithin = (place: string, outer: string): boolean => place === outer || place.startsWith(`${outer}/`);

/**
 * Judges the body of a response by the specification. What breaks only the document differs, if the document names an
 * assumption there; everything else in the document is stated.
 */
export function judge(operation: OperationId, status: number, body: unknown): Judgement {
  const stated = [...statedViolations(operation, status, body)];
  const others = bodyErrors(operation, status, body)
    .map((error) => ({ at: placeOf(error), assumption: assumptionOf(error), text: errorText(error) }))
    .filter((error) => !stated.some((violation) => isWithin(error.at, violation.at)));
  const differences = others.flatMap(({ assumption, ...rest }) => (assumption ? [{ assumption, ...rest }] : []));
  const unmarked = others.filter(
    (error) => !error.assumption && ![...stated, ...differences].some((inner) => isWithin(inner.at, error.at)),
  );
  return { violations: [...stated, ...unmarked].map(({ text }) => text), differences };
}
