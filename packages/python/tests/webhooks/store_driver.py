"""
Lets the cases of `@call-transfer/contract/webhooks` run through the stores of this package: reads a request of JSON from each line of
standard input and writes a line for each response, in any order.

`{"id", "open", "url", "options"}` opens a store and returns its number. `{"id", "store", "method", "args"}` calls a method of it;
times are in milliseconds. The response has the `id`, and `result` or `error`.
"""

import asyncio
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from call_transfer.webhooks import AsyncMemoryEventStore, EventClaim, MemoryEventStore
from call_transfer.webhooks.postgres import AsyncPostgresEventStore, PostgresEventStore
from call_transfer.webhooks.redis import AsyncRedisEventStore, RedisEventStore
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from redis import Redis, RedisCluster
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster

_memory, _async_memory = MemoryEventStore(), AsyncMemoryEventStore()


async def _async_postgres(url: str, **options: Any) -> AsyncPostgresEventStore:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(url, min_size=1, max_size=10, open=False, kwargs=options)
    await pool.open()
    return AsyncPostgresEventStore(pool)


def _postgres(url: str, **options: Any) -> PostgresEventStore:
    return PostgresEventStore(ConnectionPool(url, min_size=1, max_size=10, open=True, kwargs=options))


OPENERS: dict[str, Callable[..., Any]] = {
    "memory": lambda url: _memory,
    "memory, async": lambda url: _async_memory,
    "redis": lambda url, **options: RedisEventStore(Redis.from_url(url), **options),
    "redis, decoding": lambda url: RedisEventStore(Redis.from_url(url, decode_responses=True)),
    "redis, async": lambda url, **options: AsyncRedisEventStore(AsyncRedis.from_url(url), **options),
    "redis, a cluster": lambda url: RedisEventStore(RedisCluster.from_url(url)),
    "redis, a cluster, async": lambda url: AsyncRedisEventStore(AsyncRedisCluster.from_url(url)),
    "postgres": _postgres,
    "postgres, async": _async_postgres,
}

stores: list[Any] = []
threads = ThreadPoolExecutor(50)


def _seconds(args: list[Any]) -> list[Any]:
    return [one / 1000 if isinstance(one, int | float) else one for one in args]


async def _call(call: Callable[[], Any]) -> Any:
    result: Any = await asyncio.get_running_loop().run_in_executor(threads, call)
    return result


async def answer(request: dict[str, Any]) -> Any:
    """Returns the result of one request."""
    if "open" in request:
        # On this event loop, which the async stores belong to.
        opened = OPENERS[request["open"]](request["url"], **request.get("options", {}))
        stores.append(await opened if inspect.isawaitable(opened) else opened)
        return len(stores) - 1
    method = getattr(stores[request["store"]], request["method"])
    args = _seconds(request["args"])
    result = await (method(*args) if inspect.iscoroutinefunction(method) else _call(lambda: method(*args)))
    return {"state": result.state, "answer": result.answer} if isinstance(result, EventClaim) else result


async def respond(line: str) -> None:
    """Writes the response to one line."""
    request = json.loads(line)
    try:
        response = {"id": request["id"], "result": await answer(request)}
    except Exception as error:
        response = {"id": request["id"], "error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(response) + "\n")
    sys.stdout.flush()


async def main() -> None:
    """Answers until the input ends."""
    tasks: set[Awaitable[None]] = set()
    while line := await _call(sys.stdin.readline):
        task = asyncio.create_task(respond(line))
        tasks.add(task)
        task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main())
