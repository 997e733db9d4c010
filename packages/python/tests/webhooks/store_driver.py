"""
Lets the cases of `@call-transfer/contract/webhooks` run through the stores of this package: reads a request of JSON from each line of
standard input and writes a line for each response, in any order.

`{"id", "open", "url", "options"}` opens a store and returns its number. `{"id", "store", "method", "args"}` calls a method of it;
times are in milliseconds. The response has the `id`, and `result` or `error`.
"""

import asyncio
import importlib
import inspect
import json
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from redis import Redis, RedisCluster
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster

from call_transfer.webhooks import AsyncMemoryEventStore, EventClaim, MemoryEventStore
from call_transfer.webhooks.postgres import AsyncPostgresEventStore, PostgresEventStore
from call_transfer.webhooks.redis import AsyncRedisEventStore, RedisEventStore

# A pool that connects anew when the event loop ends never lets it end.
closing = AsyncExitStack()


async def _async_postgres(url: str, **options: Any) -> AsyncPostgresEventStore:
    pool: AsyncConnectionPool[Any] = AsyncConnectionPool(url, min_size=1, max_size=4, open=False, kwargs=options)
    return AsyncPostgresEventStore(await closing.enter_async_context(pool))


def _postgres(url: str, **options: Any) -> PostgresEventStore:
    # Rows of another kind than those of psycopg, as many programs have them.
    given = {"row_factory": dict_row, **options}
    pool = ConnectionPool(url, min_size=1, max_size=4, open=True, kwargs=given)
    return PostgresEventStore(closing.enter_context(pool))


# The types of from_url() are incomplete.
_from_url: dict[str, Callable[..., Any]] = {
    "redis": Redis.from_url,
    "async": AsyncRedis.from_url,
    "cluster": RedisCluster.from_url,
    "async cluster": AsyncRedisCluster.from_url,
}


def _redis(kind: str, *, is_decoding: bool = False) -> Callable[..., Any]:
    store = AsyncRedisEventStore if kind.startswith("async") else RedisEventStore

    def open_store(url: str, **options: Any) -> Any:
        return store(_from_url[kind](url, decode_responses=is_decoding), **options)

    return open_store


def _shared(store: object) -> Callable[..., Any]:
    def open_store(_url: str) -> Any:
        return store

    return open_store


OPENERS: dict[str, Callable[..., Any]] = {
    "memory": _shared(MemoryEventStore()),
    "memory, async": _shared(AsyncMemoryEventStore()),
    "redis": _redis("redis"),
    "redis, decoding": _redis("redis", is_decoding=True),
    "redis, async": _redis("async"),
    "redis, a cluster": _redis("cluster"),
    "redis, a cluster, async": _redis("async cluster"),
    "postgres": _postgres,
    "postgres, async": _async_postgres,
}


def _shown(_url: str) -> Any:
    """The store that a page shows."""
    sys.path.append(str(Path(__file__).parents[4] / "examples/python"))
    return importlib.import_module("own_store").SqliteEventStore(":memory:")


OPENERS["shown"] = _shown

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
    async with closing:
        while line := await _call(sys.stdin.readline):
            task = asyncio.create_task(respond(line))
            tasks.add(task)
            task.add_done_callback(tasks.discard)


if __name__ == "__main__":
    asyncio.run(main())
