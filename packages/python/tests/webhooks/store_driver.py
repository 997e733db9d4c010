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
from pathlib import Path
from typing import Any

from redis import Redis, RedisCluster
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster

from call_transfer.webhooks import EventClaim
from call_transfer.webhooks.redis import redis_event_store

# The types of from_url() are incomplete.
_from_url: dict[str, Callable[..., Any]] = {
    "redis": Redis.from_url,
    "redis, async": AsyncRedis.from_url,
    "redis, a cluster": RedisCluster.from_url,
    "redis, a cluster, async": AsyncRedisCluster.from_url,
}

clients: list[Any] = []


def _redis(kind: str, *, is_decoding: bool = False) -> Callable[..., Any]:
    def open_store(url: str, **options: Any) -> Any:
        client = _from_url[kind](url, decode_responses=is_decoding)
        clients.append(client)
        return redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args), **options)

    return open_store


OPENERS: dict[str, Callable[..., Any]] = {kind: _redis(kind) for kind in _from_url} | {
    "redis, decoding": _redis("redis", is_decoding=True)
}


def _shown(_url: str) -> Any:
    """The store that a page shows."""
    sys.path.append(str(Path(__file__).parents[4] / "examples/python"))
    return importlib.import_module("own_store").SqliteEventStore(":memory:")


OPENERS["shown"] = _shown

stores: list[tuple[Any, bool]] = []
"""Each with whether it belongs to this event loop."""
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
        kind = request["open"]
        stores.append((OPENERS[kind](request["url"], **request.get("options", {})), kind.endswith("async")))
        return len(stores) - 1
    store, is_async = stores[request["store"]]
    method = getattr(store, request["method"])
    args = _seconds(request["args"])
    result = await (method(*args) if is_async else _call(lambda: _blocking(method(*args))))
    return {"state": result.state, "response": result.response} if isinstance(result, EventClaim) else result


def _blocking(given: Any) -> Any:
    """The result of a method that never waits for an event loop, as a thread gets it."""
    if not inspect.iscoroutine(given):
        return given
    try:
        given.send(None)
    except StopIteration as end:
        return end.value
    raise TypeError("It waits for an event loop.")


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
    for client in clients:
        await (client.aclose() if hasattr(client, "aclose") else _call(client.close))


if __name__ == "__main__":
    asyncio.run(main())
