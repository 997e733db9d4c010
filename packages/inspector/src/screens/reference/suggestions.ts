import type { Schema } from "@call-transfer/backend/control-client";
import type { Operation } from "./document.ts";

/** A value of the sandbox that fits a field, and what it is called. */
export interface Suggestion {
  readonly value: string;
  readonly label: string;
}

/** The name of a collection. */
export type Collection = Schema<"Collection">;

/** Records of a sandbox by collection. */
export type Records = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;

/** The collection that a field names a record of. */
const collections: Readonly<Record<string, Collection>> = {
  memberId: "members",
  userId: "users",
  accountId: "accounts",
  destinationId: "destinations",
  groupId: "groups",
  flowId: "flows",
  providerId: "providers",
  callId: "calls",
  fromNumber: "numbers",
};

/** The collections that the reference reads for its suggestions. */
export const suggestedCollections: readonly Collection[] = [...new Set(Object.values(collections))];

/** The values of the sandbox that fit a parameter or a field of an operation's body, the most useful first. */
export function suggestionsFor(operation: Operation, name: string, records: Records): readonly Suggestion[] {
  const isOfDestination = name === "id" && operation.path.includes("/destinations/");
  const collection = isOfDestination ? "destinations" : collections[name];
  const found = collection === undefined ? [] : (records[collection] ?? []);
  return found
    .filter((record) => isOfFirstAccount(record, records))
    .toSorted((one, other) => rank(operation, one) - rank(operation, other))
    .map((record) => ({
      value: String(record[name === "fromNumber" ? "number" : "id"]),
      label: labelOf(record, records),
    }));
}

/** Puts values of the sandbox into an example, so that it can be sent as it is. */
export function withSuggestions(operation: Operation, example: unknown, records: Records): unknown {
  if (Array.isArray(example)) {
    const distinct = new Set<string>();
    return example.map((item) => {
      const next = withSuggestions(operation, item, { ...records, destinations: without(records, distinct) });
      const { destinationId } = Object(next) as { readonly destinationId?: unknown };
      if (typeof destinationId === "string") distinct.add(destinationId);
      return next;
    });
  }
  if (typeof example !== "object" || example === null) return example;
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => {
      const first = typeof value === "string" ? suggestionsFor(operation, name, records)[0]?.value : undefined;
      return [name, first ?? withSuggestions(operation, value, records)];
    }),
  );
}

function without({ destinations = [] }: Records, used: ReadonlySet<string>) {
  return destinations.filter(({ id }) => !used.has(String(id)));
}

/** Callers act for the first account, so records of others would be refused. */
function isOfFirstAccount({ accountId }: Readonly<Record<string, unknown>>, { accounts }: Records): boolean {
  return accountId === undefined || accountId === accounts?.[0]?.id;
}

const refusing = ["enabled", "published", "active", "verified", "canInitiateCalls"];

/** 0 for a record that an operation works with; more for one that it would refuse. */
function rank({ id }: Operation, record: Readonly<Record<string, unknown>>): number {
  if (record.rejects === true || refusing.some((flag) => record[flag] === false)) return 2;
  return id === "rotateDestinationSecret" && record.kind !== "app" ? 1 : 0;
}

function labelOf(record: Readonly<Record<string, unknown>>, { users = [] }: Records): string {
  const user = users.find(({ id }) => id === record.userId)?.name;
  return [user ?? record.name ?? record.number, record.role ?? record.kind].filter(Boolean).join(", ");
}
