import type { ControlClient } from "@call-transfer/backend/control-client";
import { type ControlResult, type Live, useLive } from "../session/live.ts";

/** A destination as the page needs it. */
export interface KnownDestination {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly kind: string;
  readonly enabled?: boolean;
}

/** A group as the page needs it. */
export interface KnownGroup {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly totalTimeoutSecs?: number;
  readonly members: readonly { readonly destinationId: string; readonly ringTimeoutSecs?: number }[];
}

/** A member with the name of the user. */
export interface KnownMember {
  readonly id: string;
  readonly accountId: string;
  readonly userId: string;
  readonly name: string;
  readonly role: string;
}

/** The names behind the ids of a sandbox. */
export interface Directory {
  readonly accounts: readonly { readonly id: string; readonly name: string }[];
  readonly members: readonly KnownMember[];
  readonly destinations: readonly KnownDestination[];
  readonly groups: readonly KnownGroup[];
  /** The name of a record, or the beginning of an id that has none. */
  nameOf(id: string): string;
}

/** A directory without records, for the time before it is read. */
export const emptyDirectory: Directory = createDirectory({
  accounts: [],
  users: [],
  members: [],
  destinations: [],
  groups: [],
});

interface Records {
  readonly accounts: Directory["accounts"];
  readonly users: readonly { readonly id: string; readonly name: string }[];
  readonly members: readonly Omit<KnownMember, "name">[];
  readonly destinations: Directory["destinations"];
  readonly groups: Directory["groups"];
}

/** Creates a directory of records. */
export function createDirectory({ accounts, users, members, destinations, groups }: Records): Directory {
  const names = new Map([...accounts, ...users, ...destinations, ...groups].map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? id.slice(0, 8);
  const named = members.map((member) => ({ ...member, name: nameOf(member.userId) }));
  for (const { id, name } of named) names.set(id, name);
  return { accounts, members: named, destinations, groups, nameOf };
}

const collections = ["accounts", "users", "members", "destinations", "groups"] as const;

/** Reads the names of the sandbox's records, and again when one changes. */
export function useDirectory(): Live<Directory> {
  return useLive<Directory>(
    readDirectory,
    ({ type, method }) => type === "record.changed" || (type === "request.completed" && method !== "GET"),
  );
}

async function readDirectory(control: ControlClient): Promise<ControlResult> {
  const results = await Promise.all(
    collections.map((collection) =>
      control.GET("/_control/v1/records/{collection}", { params: { path: { collection }, query: { redact: true } } }),
    ),
  );
  const [last] = results.toSorted((a, b) => Number(a.response.ok) - Number(b.response.ok));
  if (last === undefined || !last.response.ok) return last ?? { response: Response.error() };
  const lists = collections.map((name, index) => [name, Object(results[index]?.data).records]);
  return { data: createDirectory(Object.fromEntries(lists)), response: last.response };
}
