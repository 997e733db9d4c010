# ruff: noqa: S608 - the name of the table is quoted, and every value is a parameter
"""Event stores in PostgreSQL, over `psycopg` 3 with `psycopg_pool`. Receivers in TypeScript share them
(`postgresEventStore`, `pgInbox`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._stores import EventClaim

if TYPE_CHECKING:
    from psycopg_pool import AsyncConnectionPool, ConnectionPool

_DEFAULT_TABLE = "call_transfer_events"
_CONFLICT_RETRIES = 10


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted_table(table: str) -> str:
    """Quotes the name of a table, with or without its schema."""
    parts = table.split(".")
    if len(parts) > 2 or "" in parts or "\0" in table:
        raise ValueError("table must be the name of a table, or schema.table")
    return ".".join(map(_quoted, parts))


def create_event_table(table: str = _DEFAULT_TABLE) -> str:
    """Returns the statements that create the table of stores, for a migration. They change nothing if it exists. Run
    them once, before the receivers start: where two processes create a table at the same moment, one fails.

    Args:
        table: The table, also with its schema, such as `app.events`. Case counts.

    Raises:
        ValueError: The name is invalid.

    """
    index = _quoted(table.split(".")[-1] + "_expires_at")
    return f"""create table if not exists {_quoted_table(table)} (
  key text collate "C" primary key,
  owner text not null,
  answer text,
  expires_at timestamptz not null
);
create index if not exists {index} on {_quoted_table(table)} (expires_at);
"""


class _Statements:
    """One row, or none, of each statement. What ran out counts as if it were not there."""

    def __init__(self, table: str) -> None:
        # In a statement of psycopg, a percent sign begins a parameter.
        table = _quoted_table(table).replace("%", "%%")
        after = "clock_timestamp() + %(ms)s::float8 * interval '1 millisecond'"
        # The second part reads a row as it was before the statement. No row: another claim came between.
        self.claim = f"""with taken as (
  insert into {table} as held (key, owner, expires_at) values (%(key)s, %(owner)s, {after})
  on conflict (key) do update set owner = excluded.owner, answer = null, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning 'mine' as state, null::text as answer
)
select state, answer from taken
union all
select 'done', answer from {table}
where key = %(key)s and answer is not null and expires_at > now() and not exists (select from taken)"""
        self.complete = f"""insert into {table} as held (key, owner, answer, expires_at)
values (%(key)s, %(owner)s, %(answer)s, {after})
on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
returning key"""
        self.release = f"delete from {table} where key = %(key)s and owner = %(owner)s and answer is null"
        self.delete_expired = (
            f"with gone as (delete from {table} where expires_at <= now() returning key) select count(*)::int from gone"
        )


def _claim_of(row: Any) -> EventClaim:
    if row is None:
        return EventClaim("busy")
    return EventClaim("done", row[1]) if row[0] == "done" else EventClaim("mine")


def _is_conflict(error: Exception) -> bool:
    """Whether PostgreSQL asks to run the statement again, as it does above the isolation level `read committed`."""
    return getattr(error, "sqlstate", None) == "40001"


def _connections_of(pool: Any) -> int:
    return int(pool.max_size)


class PostgresEventStore:
    """A store in PostgreSQL, for `WebhookReceiver`. `create_event_table` returns its table. Each method is one
    statement that is not prepared, without session settings, so it works behind PgBouncer's transaction pooling. Times
    are the database's.

    Args:
        pool: A `psycopg_pool.ConnectionPool`. The store takes all its connections, and no more steps run at once: in a
            burst, the others wait in the receiver, where they do not look like a database that is down. So let the
            store have a pool of its own.
        table: The table, also with its schema, such as `app.events`. Case counts.

    Raises:
        ValueError: The name of the table is invalid.

    """

    def __init__(self, pool: ConnectionPool[Any], *, table: str = _DEFAULT_TABLE) -> None:
        from psycopg.rows import tuple_row

        self._pool = pool
        # Connections may have been created with rows of another kind.
        self._rows = tuple_row
        self._statements = _Statements(table)

    @property
    def steps_at_once(self) -> int:
        """How many connections the pool has at most."""
        return _connections_of(self._pool)

    def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        return _claim_of(self._row(self._statements.claim, {"key": key, "owner": owner, "ms": lease_time * 1000.0}))

    def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        values = {"key": key, "owner": owner, "answer": answer, "ms": keep_time * 1000.0}
        return self._row(self._statements.complete, values) is not None

    def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        self._row(self._statements.release, {"key": key, "owner": owner})

    def delete_expired(self) -> int:
        """Deletes leases and answers that ran out, which the table keeps otherwise. Call it about once an hour. Returns
        how many.
        """
        row = self._row(self._statements.delete_expired, {})
        return int(row[0]) if row else 0

    def _row(self, statement: str, values: dict[str, Any]) -> Any:
        for retries_left in reversed(range(_CONFLICT_RETRIES + 1)):
            try:
                with self._pool.connection() as connection, connection.cursor(row_factory=self._rows) as cursor:
                    cursor.execute(statement.encode(), values, prepare=False)
                    return cursor.fetchone() if cursor.description else None
            except Exception as error:
                if retries_left == 0 or not _is_conflict(error):
                    raise
        return None


class AsyncPostgresEventStore:
    """A store in PostgreSQL, for `AsyncWebhookReceiver`. See `PostgresEventStore` for the arguments.

    Args:
        pool: A `psycopg_pool.AsyncConnectionPool`.
        table: As there.

    Raises:
        ValueError: The name of the table is invalid.

    """

    def __init__(self, pool: AsyncConnectionPool[Any], *, table: str = _DEFAULT_TABLE) -> None:
        from psycopg.rows import tuple_row

        self._pool = pool
        # Connections may have been created with rows of another kind.
        self._rows = tuple_row
        self._statements = _Statements(table)

    @property
    def steps_at_once(self) -> int:
        """How many connections the pool has at most."""
        return _connections_of(self._pool)

    async def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        values = {"key": key, "owner": owner, "ms": lease_time * 1000.0}
        return _claim_of(await self._row(self._statements.claim, values))

    async def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        values = {"key": key, "owner": owner, "answer": answer, "ms": keep_time * 1000.0}
        return await self._row(self._statements.complete, values) is not None

    async def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        await self._row(self._statements.release, {"key": key, "owner": owner})

    async def delete_expired(self) -> int:
        """See `PostgresEventStore.delete_expired`."""
        row = await self._row(self._statements.delete_expired, {})
        return int(row[0]) if row else 0

    async def _row(self, statement: str, values: dict[str, Any]) -> Any:
        for retries_left in reversed(range(_CONFLICT_RETRIES + 1)):
            try:
                async with self._pool.connection() as connection, connection.cursor(row_factory=self._rows) as cursor:
                    await cursor.execute(statement.encode(), values, prepare=False)
                    return await cursor.fetchone() if cursor.description else None
            except Exception as error:
                if retries_left == 0 or not _is_conflict(error):
                    raise
        return None
