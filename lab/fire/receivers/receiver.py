"""The receiver process of receiver.ts in Python: it decides events as they say, and writes down what it does. Odd ones are async."""

import asyncio
import contextvars
import inspect
import json
import os
import random
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import uvicorn
from call_transfer.webhooks import AsyncWebhookHandler, EventClaim, WebhookHandler, WebhookResponse
from call_transfer.webhooks.postgres import postgres_inbox
from call_transfer.webhooks.redis import redis_event_store
from psycopg_pool import AsyncConnectionPool, ConnectionPool
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

OPTIONS: dict[str, Any] = json.loads(sys.argv[1])
NAME, STORE, URL = OPTIONS["name"], OPTIONS["store"], OPTIONS["storeUrl"]
EVENT_HEADER, HANDLED_HEADER = OPTIONS["eventHeader"], OPTIONS["handledHeader"]
COMMON: dict[str, Any] = {
    "secret": OPTIONS["secret"],
    "duplicate_wait": OPTIONS["waitMs"] / 1000,
    # The entries say what happened.
    "on_error": lambda error, code: None,
}
WITH_STORE: dict[str, Any] = {
    "lease_duration": OPTIONS["leaseMs"] / 1000,
    "store_timeout": OPTIONS["storeTimeoutMs"] / 1000,
    "on_store_error": OPTIONS["onStoreError"],
}
# As for the other clients, a step must not fail because a process was stopped, or because the machine is slow.
PATIENT = {"socket_timeout": OPTIONS["storeTimeoutMs"] / 1000, "socket_connect_timeout": OPTIONS["storeTimeoutMs"] / 1000}
INSERT = "insert into effects (event, handling) values (%s, %s)"
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
    """The request that a thread or task is answering."""

    owner: str | None = None
    handled = False
    store_failed = False


current: contextvars.ContextVar[Context | None] = contextvars.ContextVar("current", default=None)


def noted(action: str, key: str, owner: str) -> Callable[[Any], None]:
    """Begins a step of the store. Returns what takes its result, or its exception."""
    context, started = current.get(), now_ms()
    if context:
        context.owner = owner

    def note(result: Any) -> None:
        failed = isinstance(result, BaseException)
        if context and (failed or now_ms() - started >= OPTIONS["storeTimeoutMs"]):
            context.store_failed = True
        states = {True: "stored", False: "refused", None: "released"}
        text = "error" if failed else result.state if isinstance(result, EventClaim) else states[result]
        write(action, key.rpartition(":")[2], owner=owner, fromMs=started, result=text)

    return note


class Recorded:
    """Records the steps of a store. The methods never wait by themselves, so threads may call them too."""

    def __init__(self, store: Any) -> None:
        self._store = store

    async def _step(self, name: str, key: str, owner: str, *values: Any) -> Any:
        note = noted(name, key, owner)
        try:
            given = getattr(self._store, name)(key, owner, *values)
            result = await given if inspect.isawaitable(given) else given
        except BaseException as error:
            note(error)
            raise
        note(result)
        return result

    async def claim(self, *values: Any) -> Any:
        return await self._step("claim", *values)

    async def complete(self, *values: Any) -> Any:
        return await self._step("complete", *values)

    async def release(self, *values: Any) -> Any:
        return await self._step("release", *values)


def begin(event: Any) -> tuple[str, dict[str, Any]]:
    global handlings
    handlings += 1
    handling = f"{NAME}#{handlings}"
    context = current.get()
    if context:
        context.handled = True
    write("start", event.id, owner=context and context.owner, handling=handling)
    return handling, event.model_extra or {}


def decide(event: Any, handling: str, body: dict[str, Any]) -> WebhookResponse:
    context = current.get()
    fails = chance.random() < body["failureRate"]
    write("end", event.id, owner=context and context.owner, handling=handling, result="failed" if fails else "answered")
    if fails and chance.random() < 0.5:
        raise RuntimeError("The handling fails.")
    if fails:
        return WebhookResponse(chance.choice([500, 502, 503]), "The handling fails.")
    # The handling makes the answer another one each time.
    answer = {"event": event.id, "handling": handling, "reason": "x" * body["answerLength"]}
    status, kind = (200, "json") if body["decision"] == "accept" else (409, "problem+json")
    return WebhookResponse(status, json.dumps(answer, separators=(",", ":")), {"content-type": f"application/{kind}"})


def responded(event: str, context: Context, response: WebhookResponse) -> list[tuple[str, str]]:
    """Writes the response down. Returns its headers."""
    busy = response.status == 503 and not context.handled
    result = f"503, {'store failed' if context.store_failed else 'still busy'}" if busy else str(response.status)
    write("respond", event, owner=context.owner, result=result)
    return [*response.headers.items(), *([(HANDLED_HEADER, "yes")] if context.handled else [])]


def tick() -> None:
    """A process that did not run cannot extend its leases, whatever the cause."""
    last = now_ms()
    while True:
        time.sleep(0.025)
        at = now_ms()
        if at - last >= 75:
            write("stall", "", fromMs=last, atMs=at)
        last = at


def ready() -> None:
    """Says so to the program that started this one."""
    print("ready", flush=True)
    threading.Thread(target=tick, daemon=True).start()


def run_sync() -> None:
    given: dict[str, Any]
    if STORE == "redis":
        client: Any = Redis.from_url(URL, **PATIENT)
        store = redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args))
        given = {"store": Recorded(store), **WITH_STORE}
    else:
        pool: Any = ConnectionPool(URL, min_size=1, max_size=10, open=True)

        @contextmanager
        def transaction() -> Iterator[Any]:
            with pool.connection() as connection, connection.transaction():
                yield connection

        inbox = postgres_inbox(transaction=transaction, query=lambda tx, sql, args: tx.execute(sql, args).fetchall())
        given = {"inbox": inbox}

    def on_event(event: Any, *connection: Any) -> WebhookResponse:
        handling, body = begin(event)
        if connection:
            connection[0].execute(INSERT, (event.id, handling))
        time.sleep(body["decideMs"] / 1000)
        return decide(event, handling, body)

    handler = WebhookHandler(on_event=on_event, **given, **COMMON)

    def app(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        context, event = Context(), environ["HTTP_" + EVENT_HEADER.upper().replace("-", "_")]
        current.set(context)

        def start(status: str, headers: list[tuple[str, str]]) -> Any:
            response = WebhookResponse(int(status[:3]), headers=dict(headers))
            return start_response(status, responded(event, context, response))

        return list(handler(environ, start))

    class Server(ThreadingMixIn, WSGIServer):
        daemon_threads = True
        request_queue_size = 128

    class Quiet(WSGIRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = make_server("127.0.0.1", OPTIONS["port"], app, Server, Quiet)
    ready()
    server.serve_forever()


async def run_async() -> None:
    given: dict[str, Any]
    if STORE == "redis":
        client: Any = AsyncRedis.from_url(URL, **PATIENT)
        store = redis_event_store(lambda script, key, args: client.eval(script, 1, key, *args))
        given = {"store": Recorded(store), **WITH_STORE}
    else:
        pool: AsyncConnectionPool[Any] = AsyncConnectionPool(URL, min_size=1, max_size=10, open=False)
        await pool.open()

        @asynccontextmanager
        async def transaction() -> AsyncIterator[Any]:
            async with pool.connection() as connection, connection.transaction():
                yield connection

        async def query(connection: Any, sql: Any, args: Any) -> Any:
            return await (await connection.execute(sql, args)).fetchall()

        given = {"inbox": postgres_inbox(transaction=transaction, query=query)}

    async def on_event(event: Any, *connection: Any) -> WebhookResponse:
        handling, body = begin(event)
        if connection:
            await connection[0].execute(INSERT, (event.id, handling))
        await asyncio.sleep(body["decideMs"] / 1000)
        return decide(event, handling, body)

    handler = AsyncWebhookHandler(on_event=on_event, **given, **COMMON)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        context, event = Context(), dict(scope["headers"])[EVENT_HEADER.encode()].decode()
        current.set(context)

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = {name.decode(): value.decode() for name, value in message["headers"]}
                given = responded(event, context, WebhookResponse(message["status"], headers=headers))
                message = {**message, "headers": [(name.encode(), value.encode()) for name, value in given]}
            await send(message)

        await handler(scope, receive, sending)

    config = uvicorn.Config(app, host="127.0.0.1", port=OPTIONS["port"], log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    ready()
    await serving


if int(NAME.split(".")[0]) % 2 == 1:
    asyncio.run(run_async())
else:
    run_sync()
