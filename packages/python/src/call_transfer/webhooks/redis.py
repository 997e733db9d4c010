"""The event store in Redis and Valkey, over any client. Handlers in TypeScript share it (`redisEventStore`)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from ._runtime import value_of
from ._store import EventClaim, EventStore

_READ = """local held = redis.call("HMGET", KEYS[1], "owner", "answer")
local owner, answer = held[1], held[2]
"""

# The second part of the last reply shows at once whether a client parses replies.
_CLAIM = f"""{_READ}if answer then return {{"completed", answer}} end
if owner and owner ~= ARGV[1] then return {{"in_progress", "1"}} end
redis.call("HSET", KEYS[1], "owner", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {{"claimed", "1"}}"""

# The same owner may complete it again after an error.
_COMPLETE = f"""{_READ}if owner and owner ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "answer", answer or ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1"""

_RELEASE = f"""{_READ}if owner == ARGV[1] and not answer then redis.call("DEL", KEYS[1]) end
return 0"""

Eval = Callable[[str, str, Sequence[str]], Any | Awaitable[Any]]


def redis_event_store(eval_script: Eval, *, key_prefix: str = "call-transfer:", retention: float = 86_400.0) -> EventStore:
    """Creates a store in Redis or Valkey. Each step is one script with one key, so it works in a cluster.

    Args:
        eval_script: Runs a Lua script with one key and arguments: `lambda script, key, args: client.eval(script, 1, key, *args)`. The
            client is of `redis`, `valkey` or another package: a blocking one for `WebhookHandler`, an async one for
            `AsyncWebhookHandler`. It needs a timeout, or it hangs as long as its server does.
        key_prefix: Starts every key. Handlers with different secrets need different ones.
        retention: Seconds to keep a response: at least twice `tolerance` of the handler; 86,400 (one day) by default.

    """
    return _RedisEventStore(eval_script, key_prefix, retention)


class _RedisEventStore:
    def __init__(self, eval_script: Eval, key_prefix: str, retention: float) -> None:
        self.retention = retention
        self._eval_script = eval_script
        self._key_prefix = key_prefix

    async def claim(self, key: str, owner: str, lease_duration: float, /) -> EventClaim:
        state, response = map(_text_of, await self._run(_CLAIM, key, owner, _whole_ms(lease_duration)))
        return EventClaim(cast("Any", state), response if state == "completed" else None)

    async def complete(self, key: str, owner: str, response: str, /) -> bool:
        return int(await self._run(_COMPLETE, key, owner, response, _whole_ms(self.retention))) == 1

    async def release(self, key: str, owner: str, /) -> None:
        await self._run(_RELEASE, key, owner)

    async def _run(self, script: str, key: str, *args: str) -> Any:
        given = self._eval_script(script, self._key_prefix + key, args)
        return await value_of(given, "eval_script", is_async=_has_event_loop())


def _has_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _text_of(value: object) -> str:
    """Text of a reply: bytes, unless the client decodes, but nothing that the client has parsed."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise TypeError("eval_script must return replies as Redis sends them, in bytes or text. Turn off what parses them.")
    return value


def _whole_ms(seconds: float) -> str:
    """Whole milliseconds, as Redis requires."""
    return str(math.ceil(seconds * 1000))
