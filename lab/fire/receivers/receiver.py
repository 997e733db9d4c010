"""The receiver process of receiver.ts in Python: it decides events as they say, and writes down what it does."""

import contextvars
import json
import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from call_transfer.webhooks import EventClaim, WebhookHandler, WebhookResponse
from call_transfer.webhooks.postgres import postgres_inbox
from call_transfer.webhooks.redis import redis_event_store
from psycopg_pool import ConnectionPool
from redis import Redis

OPTIONS: dict[str, Any] = json.loads(sys.argv[1])
NAME, URL = OPTIONS["name"], OPTIONS["storeUrl"]
EVENT_VARIABLE = "HTTP_" + OPTIONS["eventHeader"].upper().replace("-", "_")
chance = random.Random(f"{OPTIONS['seed']} {NAME}")  # noqa: S311
entries = os.open(OPTIONS["entries"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
handlings = 0


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def write(action: str, event: str, **more: Any) -> None:
    """Writes a line. It is in the file before the next step begins, so that it survives a kill."""
    at = now_ms()
    line = json.dumps({"action": action, "event": event, "fromMs": at, "atMs": at} | more)
    os.write(entries, f"{line}\n".encode())


class Context:
    """The request that a thread is answering."""

    def __init__(self, event: str) -> None:
        self.event = event
        self.owner: str | None = None


current: contextvars.ContextVar[Context | None] = contextvars.ContextVar("current", default=None)


def owner_now() -> str | None:
    context = current.get()
    return context and context.owner


class Recorded:
    """Records the steps of a store. They never wait by themselves, so threads may call them."""

    def __init__(self, store: Any) -> None:
        self._store = store

    async def _step(self, name: str, key: str, owner: str, *values: Any) -> Any:
        context, started, event = current.get(), now_ms(), key.rpartition(":")[2]
        if context and context.event == event:
            context.owner = owner
        result = "error"
        try:
            given = await getattr(self._store, name)(key, owner, *values)
            result = given.state if isinstance(given, EventClaim) else {True: "stored", False: "refused", None: "released"}[given]
            return given
        finally:
            write(name, event, owner=owner, fromMs=started, result=result)

    async def claim(self, *values: Any) -> Any:
        return await self._step("claim", *values)

    async def complete(self, *values: Any) -> Any:
        return await self._step("complete", *values)

    async def release(self, *values: Any) -> Any:
        return await self._step("release", *values)


def coordination() -> dict[str, Any]:
    if OPTIONS["store"] == "redis":
        # As for the other clients, a step must not fail because a process was stopped, or because the machine is slow.
        limit = OPTIONS["storeTimeoutMs"] / 1000
        client: Any = Redis.from_url(URL, socket_timeout=limit, socket_connect_timeout=limit)
        store = redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args))
        settings = {"lease_duration": OPTIONS["leaseMs"] / 1000, "store_timeout": limit, "on_store_error": OPTIONS["onStoreError"]}
        return {"store": Recorded(store), **settings}
    pool: Any = ConnectionPool(URL, min_size=1, max_size=10, open=True)

    @contextmanager
    def transaction() -> Iterator[Any]:
        with pool.connection() as connection, connection.transaction():
            yield connection

    return {"inbox": postgres_inbox(transaction=transaction, query=lambda tx, sql, args: tx.execute(sql, args).fetchall())}


def on_event(event: Any, *connection: Any) -> WebhookResponse:
    global handlings
    handlings += 1
    handling, body = f"{NAME}#{handlings}", event.model_extra or {}
    write("start", event.id, owner=owner_now(), handling=handling)
    if connection:
        connection[0].execute("insert into effects (event, handling) values (%s, %s)", (event.id, handling))
    time.sleep(body["decideMs"] / 1000)
    fails = chance.random() < body["failureRate"]
    write("end", event.id, owner=owner_now(), handling=handling, result="failed" if fails else "answered")
    if fails and chance.random() < 0.5:
        raise RuntimeError("The handling fails.")
    if fails:
        return WebhookResponse(chance.choice([500, 502, 503]), "The handling fails.")
    # The handling makes the answer another one each time.
    answer = {"event": event.id, "handling": handling, "reason": "x" * body["answerLength"]}
    status, kind = (200, "json") if body["decision"] == "accept" else (409, "problem+json")
    return WebhookResponse(status, json.dumps(answer, separators=(",", ":")), {"content-type": f"application/{kind}"})


def tick() -> None:
    """A process that did not run cannot extend its leases, whatever the cause."""
    last = now_ms()
    while True:
        time.sleep(0.025)
        at = now_ms()
        if at - last >= 75:
            write("stall", "", fromMs=last, atMs=at)
        last = at


# The entries say what happened, so errors are not printed.
handler = WebhookHandler(
    on_event=on_event,
    secret=OPTIONS["secret"],
    duplicate_wait=OPTIONS["waitMs"] / 1000,
    on_error=lambda error, code: None,
    **coordination(),
)


def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    current.set(Context(environ[EVENT_VARIABLE]))
    return list(handler(environ, start_response))


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


server = make_server("127.0.0.1", OPTIONS["port"], app, Server, Quiet)
# Says so to the program that started this one.
print("ready", flush=True)
threading.Thread(target=tick, daemon=True).start()
server.serve_forever()
