import type { OperationId } from "@call-transfer/spec";
import type { ErrorObject } from "ajv/dist/2020.js";
import { assumptionAbove, bodyErrors, errorText } from "./schema-check.ts";
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

/** The assumption for an error, if the document names one; the specification says ISO 8601, of which `format` is a part. */
const assumptionOf = ({ keyword, parentSchema }: ErrorObject): string | undefined =>
  keyword === "format" ? "A-11" : assumptionAbove.get(parentSchema ?? {});

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
