"""Event stores in Redis and Valkey, over the package `redis`. Receivers in TypeScript share them
(`redisEventStore`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._stores import EventClaim

if TYPE_CHECKING:
    from redis import Redis, RedisCluster
    from redis.asyncio import Redis as AsyncRedis
    from redis.asyncio import RedisCluster as AsyncRedisCluster

_READ = """local held = redis.call("HMGET", KEYS[1], "owner", "answer")
local owner, answer = held[1], held[2]
"""

_CLAIM = f"""{_READ}if answer then return {{"done", answer}} end
if owner and owner ~= ARGV[1] then return {{"busy"}} end
redis.call("HSET", KEYS[1], "owner", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return {{"mine", "1"}}"""

# The same owner may complete it again after an error: the answer is written once more, so that WAIT waits for it.
_COMPLETE = f"""{_READ}if owner and owner ~= ARGV[1] then return 0 end
redis.call("HSET", KEYS[1], "owner", ARGV[1], "answer", answer or ARGV[2])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1"""

_RELEASE = f"""{_READ}if owner == ARGV[1] and not answer then redis.call("DEL", KEYS[1]) end
return 0"""


class _RedisSteps:
    """What both stores send, and what they make of the replies."""

    def __init__(self, client: object, key_prefix: str, wait_for_replicas: int, wait_timeout: float) -> None:
        if wait_for_replicas < 0:
            raise ValueError("wait_for_replicas must be from 0 on")
        if not wait_timeout > 0:
            raise ValueError("wait_timeout must be above 0")
        if wait_for_replicas > 0 and hasattr(client, "get_default_node"):
            raise ValueError("wait_for_replicas does not work with a cluster: its client has no WAIT in a pipeline")
        # A pool whose connections are all in use raises. A cluster has a pool for each node, as large as the usual one.
        pool_size = getattr(getattr(client, "connection_pool", None), "max_connections", None)
        self.at_once = min(100, pool_size or 100)
        self.prefix = key_prefix
        self.replicas = wait_for_replicas
        self.wait_timeout = wait_timeout

    @property
    def wait(self) -> tuple[str, int, int]:
        return ("WAIT", self.replicas, _whole_ms(self.wait_timeout))

    def confirmed(self, confirmed: int) -> None:
        """Raises if too few replicas have what was written."""
        if confirmed < self.replicas:
            problem = f"{confirmed} of {self.replicas} replicas confirmed the write within {self.wait_timeout:g} s"
            raise RuntimeError(f"{problem}. Check the replicas, or lower wait_for_replicas.")

    @staticmethod
    def claim_of(reply: Any) -> EventClaim:
        # Bytes, unless the client decodes.
        state, *answer = [one.decode() if isinstance(one, bytes) else str(one) for one in reply]
        if state == "done":
            return EventClaim("done", answer[0])
        return EventClaim("mine" if state == "mine" else "busy")


def _check_client(client: object, *, is_async: bool) -> None:
    """Refuses a client of the other kind, whose replies cannot be used. One that is not of `redis` may be of either."""
    modules = [f"{kind.__module__}." for kind in type(client).__mro__]
    known = any(module.startswith("redis.") for module in modules)
    if known and any(module.startswith("redis.asyncio.") for module in modules) is not is_async:
        needed, other = ("redis.asyncio", "RedisEventStore") if is_async else ("redis", "AsyncRedisEventStore")
        raise TypeError(f"client must be a {needed}.Redis or {needed}.RedisCluster. For this one, use {other}.")


def _whole_ms(seconds: float) -> int:
    """Whole milliseconds, as Redis requires."""
    return math.ceil(seconds * 1000)


class RedisEventStore:
    """A store in Redis or Valkey, for `WebhookReceiver`. Each step is one script with one key, so it works in a
    cluster. A client without `socket_timeout` hangs as long as its server does.

    Args:
        client: A `redis.Redis` or `redis.RedisCluster`.
        key_prefix: Starts every key.
        wait_for_replicas: How many replicas must have a lease or an answer before it counts. With 1, a primary can be
            lost without an event being handled again, if the replica that confirmed replaces it. A step raises if too
            few confirm in time. Not with a cluster.
        wait_timeout: Seconds that replicas may take to confirm. Keep it below `store_timeout`.

    Raises:
        TypeError: The client is of the other kind.
        ValueError: An argument is invalid.

    """

    def __init__(
        self,
        client: Redis | RedisCluster,
        *,
        key_prefix: str = "call-transfer:",
        wait_for_replicas: int = 0,
        wait_timeout: float = 0.5,
    ) -> None:
        _check_client(client, is_async=False)
        self._client: Any = client
        self._steps = _RedisSteps(client, key_prefix, wait_for_replicas, wait_timeout)

    @property
    def steps_at_once(self) -> int:
        """How many connections the client's pool has, 100 at most."""
        return self._steps.at_once

    def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        reply, confirmed = self._write(_CLAIM, key, owner, _whole_ms(lease_time))
        claim = self._steps.claim_of(reply)
        if claim.state == "mine":
            self._steps.confirmed(confirmed)
        return claim

    def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        reply, confirmed = self._write(_COMPLETE, key, owner, answer.encode(), _whole_ms(keep_time))
        if int(reply) == 1:
            self._steps.confirmed(confirmed)
        return int(reply) == 1

    def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        # Replicas need not have it: a lost release only lets the lease run out first.
        self._client.eval(_RELEASE, 1, self._steps.prefix + key, owner)

    def _write(self, script: str, key: str, *values: str | bytes | int) -> tuple[Any, int]:
        """Runs a script and, if replicas must confirm, WAIT on the same connection: a pipeline stays on one."""
        full_key, replicas = self._steps.prefix + key, self._steps.replicas
        if replicas == 0:
            return self._client.eval(script, 1, full_key, *values), replicas
        with self._client.pipeline(transaction=False) as pipeline:
            pipeline.eval(script, 1, full_key, *values)
            pipeline.execute_command(*self._steps.wait)
            reply, confirmed = pipeline.execute()
        return reply, int(confirmed)


class AsyncRedisEventStore:
    """A store in Redis or Valkey, for `AsyncWebhookReceiver`. See `RedisEventStore` for the arguments.

    Args:
        client: A `redis.asyncio.Redis` or `redis.asyncio.RedisCluster`.
        key_prefix: As there.
        wait_for_replicas: As there.
        wait_timeout: As there, in seconds.

    Raises:
        TypeError: The client is of the other kind.
        ValueError: An argument is invalid.

    """

    def __init__(
        self,
        client: AsyncRedis | AsyncRedisCluster,
        *,
        key_prefix: str = "call-transfer:",
        wait_for_replicas: int = 0,
        wait_timeout: float = 0.5,
    ) -> None:
        _check_client(client, is_async=True)
        self._client: Any = client
        self._steps = _RedisSteps(client, key_prefix, wait_for_replicas, wait_timeout)

    @property
    def steps_at_once(self) -> int:
        """How many connections the client's pool has, 100 at most."""
        return self._steps.at_once

    async def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        reply, confirmed = await self._write(_CLAIM, key, owner, _whole_ms(lease_time))
        claim = self._steps.claim_of(reply)
        if claim.state == "mine":
            self._steps.confirmed(confirmed)
        return claim

    async def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        reply, confirmed = await self._write(_COMPLETE, key, owner, answer.encode(), _whole_ms(keep_time))
        if int(reply) == 1:
            self._steps.confirmed(confirmed)
        return int(reply) == 1

    async def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        await self._client.eval(_RELEASE, 1, self._steps.prefix + key, owner)

    async def _write(self, script: str, key: str, *values: str | bytes | int) -> tuple[Any, int]:
        full_key, replicas = self._steps.prefix + key, self._steps.replicas
        if replicas == 0:
            return await self._client.eval(script, 1, full_key, *values), replicas
        async with self._client.pipeline(transaction=False) as pipeline:
            pipeline.eval(script, 1, full_key, *values)
            pipeline.execute_command(*self._steps.wait)
            reply, confirmed = await pipeline.execute()
        return reply, int(confirmed)
