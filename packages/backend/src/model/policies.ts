import { longestSecs, type Policies, policyTable } from "../generated/policies.gen.ts";
import { InputError, withPathPrefix } from "../utils/input-error.ts";
import { isObject } from "../utils/values.ts";
import { isTimeZone } from "./hours.ts";

export { type Policies, policyTable } from "../generated/policies.gen.ts";

/** The value of `defaultRecipientTimeZone` for no time zone. */
export const unknownTimeZone = "unknown";

/** What a policy takes, as the table says it. */
type PolicyType = "count" | "seconds" | "boolean" | "time-zone" | readonly string[] | PolicyTypes;
interface PolicyTypes {
  readonly [name: string]: PolicyType;
}

const policyTypes: PolicyTypes = Object.fromEntries(
  Object.entries(policyTable).map(([name, { type }]) => [name, type]),
);

/** The default policies. */
export function defaultPolicies(): Policies {
  const defaults = Object.entries(policyTable).map(([name, row]) => [name, structuredClone(row.default)]);
  return Object.fromEntries(defaults) as unknown as Policies;
}

/** Checks changes to policies. Throws InputError for an unknown policy or a value that does not fit. */
export function checkPolicies(changes: unknown, types = policyTypes): void {
  if (!isObject(changes) || Array.isArray(changes)) throw new InputError("", "must be an object");
  for (const [name, value] of Object.entries(changes)) {
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined) throw new InputError(name, `is not a policy. Policies: ${Object.keys(types).join(", ")}`);
    if (typeof type === "string" || isWords(type)) {
      const mistake = mistakeIn(type, value);
      if (mistake !== undefined) throw new InputError(name, mistake);
      continue;
    }
    withPathPrefix(name, () => checkPolicies(value, type));
    for (const part of Object.keys(type))
      if (!(part in Object(value))) throw new InputError(`${name}.${part}`, "is missing");
  }
}

/** What is wrong with a value of a type that has no parts. */
function mistakeIn(type: string | readonly string[], value: unknown): string | undefined {
  if (typeof type !== "string")
    return type.some((word) => word === value) ? undefined : `must be one of ${type.join(", ")}`;
  const fits = typeof value === "number" && value >= 0;
  if (type === "count") return fits && Number.isSafeInteger(value) ? undefined : "must be a whole number, 0 or more";
  if (type === "seconds") return fits && value <= longestSecs ? undefined : `must be seconds from 0 to ${longestSecs}`;
  if (type === "boolean") return typeof value === "boolean" ? undefined : "must be true or false";
  if (typeof value !== "string") return "must be a string";
  if (value === unknownTimeZone || isTimeZone(value)) return undefined;
  return `must be an IANA time zone, such as Europe/Berlin, or ${unknownTimeZone}`;
}

function isWords(type: PolicyType): type is readonly string[] {
  return Array.isArray(type);
}
