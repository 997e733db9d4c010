"""The inbox over Django's default database. In on_event, models write in the same transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from call_transfer.webhooks.postgres import PostgresInbox, postgres_inbox
from django.db import connection, transaction


@contextmanager
def begin() -> Iterator[Any]:
    # Durable: never inside the transaction of a request (ATOMIC_REQUESTS).
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        yield cursor


def query(cursor: Any, sql: str, args: Any) -> Any:
    cursor.execute(sql, args)
    return cursor.fetchall()


def inbox_of(**options: Any) -> PostgresInbox[Any]:
    return postgres_inbox(transaction=begin, query=query, **options)
