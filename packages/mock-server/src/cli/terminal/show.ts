import { longUnits } from "@call-transfer/backend/control-client";
import { shortIds as shortened } from "../../log/columns.ts";
import type { Terminal } from "./terminal.ts";

const units = [...longUnits, [1000, "s"]] as const;

/** A time relative to another one, e.g. `3 s ago` or `in 15 min`. */
export function relativeTime(time: string, now: number): string {
  const distance = Date.parse(time) - now;
  const ms = Math.abs(distance);
  // A unit is used from twice its length on, so that no digit is lost that matters.
  const [length, unit] = units.find(([one]) => ms >= 2 * one) ?? [1000, "s"];
  const amount = `${Math.round(ms / length)} ${unit}`;
  if (ms < 500) return "now";
  return distance < 0 ? `${amount} ago` : `in ${amount}`;
}

/**
 * Returns a function that shortens the ids of records in a terminal, as the log does: `432a…7c56`. Commands accept that form.
 * Ids that would look the same stay whole, and so do all ids outside a terminal.
 */
export function shortIds(
  records: readonly { readonly id?: string | undefined }[],
  { width }: Pick<Terminal, "width">,
): (id: string) => string {
  const distinct = [...new Set(records.map(({ id = "" }) => id))];
  const isUnique = new Set(distinct.map(shortened)).size === distinct.length;
  return width !== undefined && isUnique ? shortened : (id) => id;
}

/** An object as lines: nested fields by their path, e.g. `availability.status`. */
export function flatFields(value: object, prefix = ""): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, field]: [string, unknown]) => {
      const path = `${prefix}${name}`;
      if (typeof field === "object" && field !== null && !Array.isArray(field) && Object.keys(field).length > 0)
        return flatFields(field, `${path}.`);
      return { [path]: compact(field) };
    }),
  );
}

/** A value in short: a text as it is, anything else as JSON. */
export function compact(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
