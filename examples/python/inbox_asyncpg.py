"""The inbox over a pool of asyncpg, for AsyncWebhookHandler."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from call_transfer.webhooks.postgres import PostgresInbox, postgres_inbox


def inbox_of(pool: Any, **options: Any) -> PostgresInbox[Any]:
    @asynccontextmanager
    async def transaction() -> AsyncIterator[Any]:
        async with pool.acquire() as connection, connection.transaction():
            yield connection

    return postgres_inbox(
        transaction=transaction,
        query=lambda connection, sql, args: connection.fetch(sql, *args),
        paramstyle="numeric_dollar",
        **options,
    )
