"""A handler whose effects and responses are committed together."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from call_transfer.webhooks import (
    TransferOffer,
    WebhookEvent,
    WebhookHandler,
    WebhookResponse,
)
from call_transfer.webhooks.postgres import inbox_table_sql, postgres_inbox
from offers import decide, secrets
from psycopg import Connection
from psycopg_pool import ConnectionPool

# A connection that is lost must be noticed.
limits = {
    "connect_timeout": 2,
    "tcp_user_timeout": 2000,
    "options": "-c statement_timeout=5000",
}
pool = ConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=1,
    max_size=10,
    timeout=2,
    kwargs=limits,
    open=True,
)
# For one process. With several, put both into a migration: two that create a table at once may fail.
with pool.connection() as connection:
    connection.execute(inbox_table_sql().encode())
    connection.execute("create table if not exists tickets (offer text)")


@contextmanager
def transaction() -> Iterator[Connection]:
    # The second one refuses a commit or rollback in on_event.
    with pool.connection() as connection, connection.transaction():
        yield connection


def on_event(
    event: WebhookEvent, connection: Connection
) -> WebhookResponse | None:
    if isinstance(event, TransferOffer):
        connection.execute("insert into tickets values (%s)", [event.id])
    return decide(event)


inbox = postgres_inbox(
    transaction=transaction,
    query=lambda connection, sql, args: connection.execute(
        sql, args
    ).fetchall(),
)
handler = WebhookHandler(secret=secrets, on_event=on_event, inbox=inbox)


def clean() -> None:
    """Deletes what expired. Call it about once an hour."""
    with pool.connection() as connection:
        connection.execute(
            "delete from call_transfer_events where expires_at <= now()"
        )
