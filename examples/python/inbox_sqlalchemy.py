"""The inbox over SQLAlchemy with psycopg. With an AsyncEngine, query is async."""

from typing import Any

from call_transfer.webhooks.postgres import PostgresInbox, postgres_inbox
from sqlalchemy import Connection, Engine


def inbox_of(engine: Engine, **options: Any) -> PostgresInbox[Connection]:
    return postgres_inbox(
        transaction=engine.begin,
        query=lambda connection, sql, args: connection.exec_driver_sql(
            sql, tuple(args)
        ).fetchall(),
        **options,
    )
