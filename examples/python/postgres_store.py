"""A receiver whose processes share PostgreSQL."""

import os
import threading

from call_transfer.webhooks import WebhookReceiver
from call_transfer.webhooks.postgres import (
    PostgresEventStore,
    create_event_table,
)
from offers import decide, secrets
from psycopg_pool import ConnectionPool

# A pool of its own, whose size says how many steps run at once. A connection that is lost must be noticed.
limits = {
    "connect_timeout": 2,
    "tcp_user_timeout": 2000,
    "options": "-c statement_timeout=1000",
}
pool = ConnectionPool(
    os.environ["DATABASE_URL"],
    min_size=1,
    max_size=10,
    timeout=1,
    kwargs=limits,
    open=True,
)
# For one process. With several, put its text into a migration: two that create the table at once may fail.
with pool.connection() as connection:
    connection.execute(create_event_table().encode())

store = PostgresEventStore(pool)
receiver = WebhookReceiver(secret=secrets, on_event=decide, store=store)


def clean() -> None:
    """Deletes what ran out, once an hour."""
    store.delete_expired()
    timer = threading.Timer(3600, clean)
    timer.daemon = True
    timer.start()


clean()
