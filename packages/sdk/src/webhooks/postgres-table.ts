// The table of the event store and of the inbox, and the statements on it.
export const defaultTable = "call_transfer_events";

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quotes the name of a table, with or without its schema. */
export function quotedTable(table: unknown): string {
  const parts = typeof table === "string" ? table.split(".") : [];
  const isName = parts.length >= 1 && parts.length <= 2 && parts.every((part) => part !== "" && !part.includes("\0"));
  if (!isName) throw new TypeError("table must be the name of a table, or schema.table");
  return parts.map(quoted).join(".");
}

/**
 * Returns the statements that create the table of `postgresEventStore` and of inboxes, for a migration. They change nothing
 * if it exists. Run them once, before the receivers start: where two processes create a table at the same moment, one fails.
 *
 * @param options.table The table's name, also with a schema; `call_transfer_events` by default.
 * @throws {TypeError} The name is invalid.
 */
export function createEventTable(options: { table?: string } = {}): string {
  // A name alone would be ignored, and another table created.
  if (typeof options !== "object") throw new TypeError("createEventTable takes { table }");
  const { table = defaultTable } = options;
  const index = quoted(`${table.split(".").at(-1)}_expires_at`);
  return `create table if not exists ${quotedTable(table)} (
  key text collate "C" primary key,
  owner text not null,
  answer text,
  expires_at timestamptz not null
);
create index if not exists ${index} on ${quotedTable(table)} (expires_at);
`;
}

// Not now(), which is the start of the transaction: an inbox stores its answer after `onEvent`.
const afterMs = (parameter: string): string => `clock_timestamp() + ${parameter}::float8 * interval '1 millisecond'`;

/** One row, or none, of each statement. What ran out counts as if it were not there. */
export const statementsFor = (table: string) => ({
  // The second part reads a row as it was before the statement. No row: another claim came between.
  claim: `with taken as (
  insert into ${table} as held (key, owner, expires_at) values ($1, $2, ${afterMs("$3")})
  on conflict (key) do update set owner = excluded.owner, answer = null, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning 'mine' as state, null::text as answer
)
select state, answer from taken
union all
select 'done', answer from ${table}
where key = $1 and answer is not null and expires_at > now() and not exists (select from taken)`,
  complete: `insert into ${table} as held (key, owner, answer, expires_at) values ($1, $2, $3, ${afterMs("$4")})
on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
returning key`,
  release: `delete from ${table} where key = $1 and owner = $2 and answer is null`,
  // Needs what a claim needs, and changes nothing.
  check: `insert into ${table} (key, owner, answer, expires_at) select '', '', '', now() where false
on conflict (key) do update set owner = excluded.owner`,
  deleteExpired: `with gone as (delete from ${table} where expires_at <= now() returning key) select count(*)::int from gone`,
});
