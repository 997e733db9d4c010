// Puts limits into the texts of openapi/ that name them, so that each stands there once.
import type { Place, Problem } from "./source.ts";

const keywords: ReadonlySet<string> = new Set([
  ...["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "default"],
]);

type Node = Readonly<Record<string, unknown>>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null;

const hourText = (hour: number): string => `${hour % 12 || 12} ${hour < 12 ? "AM" : "PM"}`;

/** A limit as texts say it, such as `8 AM` for an hour of the day. */
export const limitText = (name: string, value: unknown): string =>
  name.endsWith("Hour") ? hourText(Number(value)) : String(value);

/**
 * Replaces `$maximum` and the like by the keyword of the node or of its schema, and `$callableFromHour` and the like by the entry
 * of `x-limits`, in every text below a node. A name for which there is neither stays.
 */
export function fillLimits<T>(node: T, limits: Node): T {
  if (!isNode(node)) return node;
  const own: Node = { ...limits, ...(isNode(node.schema) ? node.schema : {}), ...node };
  const filled = (text: string): string =>
    text.replaceAll(/\$(\w+)/g, (found, name: string) => {
      const isKnown = own[name] !== undefined && (keywords.has(name) || Object.hasOwn(limits, name));
      return isKnown ? limitText(name, own[name]) : found;
    });
  for (const [key, value] of Object.entries(node))
    Object.assign(node, { [key]: typeof value === "string" ? filled(value) : fillLimits(value, limits) });
  return node;
}

/** Texts that name a keyword which does not stand beside them, at any depth of a file. */
export function limitProblems(place: Place): Problem[] {
  const own: Node = { ...Object(place.fields.schema), ...place.fields };
  return Object.entries(place.fields).flatMap(([key, value]) => {
    if (typeof value !== "string") return limitProblems(place.at(key));
    const missing = [...value.matchAll(/\$(\w+)/g)].filter(
      ([, name = ""]) => keywords.has(name) && own[name] === undefined,
    );
    return missing.map(([name]) =>
      place
        .at(key)
        .problem(`The text names ${name}, and there is no such keyword beside it. Add it, or correct the text.`),
    );
  });
}
