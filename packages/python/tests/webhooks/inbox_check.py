"""The inbox over real clients of PostgreSQL. DATABASE_URL names a server, for example by tests/receiving/python-inbox.check.ts."""

import asyncio
import inspect
import os
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import psycopg
import pytest
import sqlalchemy
from psycopg_pool import AsyncConnectionPool, ConnectionPool

from call_transfer.webhooks import AsyncWebhookHandler, WebhookHandler, WebhookResponse
from call_transfer.webhooks.postgres import PostgresInbox, inbox_table_sql, postgres_inbox

from .virtual import SECRET, signed

sys.path.append(str(Path(__file__).parents[4] / "examples/python"))
inbox_asyncpg, inbox_sqlalchemy = (import_module(f"inbox_{name}") for name in ("asyncpg", "sqlalchemy"))

URL = os.environ["DATABASE_URL"]
TABLE = "effects.handled %s events"


class Client:
    """A client of PostgreSQL: its inbox, and a statement of the app in its transaction."""

    is_async = True
    name = "psycopg"

    def __init__(self, closing: AsyncExitStack) -> None:
        self.closing = closing

    async def open(self, size: int) -> tuple[PostgresInbox[Any], Callable[[Any, str], Any]]:
        pool: Any = AsyncConnectionPool(URL, min_size=1, max_size=size, open=False, timeout=5)
        await self.closing.enter_async_context(pool)

        @asynccontextmanager
        async def transaction() -> AsyncIterator[Any]:
            async with pool.connection() as connection, connection.transaction():
                yield connection

        async def query(connection: Any, sql: Any, args: Any) -> Any:
            return await (await connection.execute(sql, args)).fetchall()

        inbox = postgres_inbox(transaction=transaction, query=query, table=TABLE)
        return inbox, lambda connection, sql: connection.execute(sql)


class Psycopg(Client):
    is_async = False
    name = "psycopg, blocking"

    async def open(self, size: int) -> tuple[PostgresInbox[Any], Callable[[Any, str], Any]]:
        pool: Any = ConnectionPool(URL, min_size=1, max_size=size, open=True, timeout=5, kwargs={"row_factory": psycopg.rows.dict_row})
        self.closing.enter_context(pool)

        @contextmanager
        def transaction() -> Iterator[Any]:
            with pool.connection() as connection, connection.transaction():
                yield connection

        def query(connection: Any, sql: Any, args: Any) -> Any:
            return connection.execute(sql, args).fetchall()

        inbox = postgres_inbox(transaction=transaction, query=query, table=TABLE)
        return inbox, lambda connection, sql: connection.execute(sql)


class Asyncpg(Client):
    name = "asyncpg"

    async def open(self, size: int) -> tuple[PostgresInbox[Any], Callable[[Any, str], Any]]:
        pool = await self.closing.enter_async_context(asyncpg.create_pool(URL, min_size=1, max_size=size))
        return inbox_asyncpg.inbox_of(pool, table=TABLE), lambda connection, sql: connection.execute(sql)


class Alchemy(Client):
    is_async = False
    name = "SQLAlchemy"

    async def open(self, size: int) -> tuple[PostgresInbox[Any], Callable[[Any, str], Any]]:
        url = URL.replace("postgresql:", "postgresql+psycopg:")
        engine = sqlalchemy.create_engine(url, pool_size=size, max_overflow=0)
        self.closing.callback(engine.dispose)

        return inbox_sqlalchemy.inbox_of(engine, table=TABLE), lambda connection, sql: connection.exec_driver_sql(sql)


class Django(Client):
    is_async = False
    name = "Django"

    async def open(self, size: int) -> tuple[PostgresInbox[Any], Callable[[Any, str], Any]]:
        import django  # type: ignore[import-untyped]
        from django.conf import settings  # type: ignore[import-untyped]

        if not settings.configured:
            parts = psycopg.conninfo.conninfo_to_dict(URL)
            names = {"NAME": "dbname", "USER": "user", "HOST": "host", "PORT": "port"}
            given = {name: parts.get(part, "") for name, part in names.items()}
            settings.configure(DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", **given, "NAME": "postgres"}})
            django.setup()
        from django.db import connection  # type: ignore[import-untyped]

        inbox_django = import_module("inbox_django")

        inbox = inbox_django.inbox_of(table=TABLE)
        begin = inbox_django.begin

        @contextmanager
        def transaction() -> Iterator[Any]:
            try:
                with begin() as cursor:
                    yield cursor
            finally:
                # As at the end of a request.
                connection.close()

        inbox._transaction = transaction
        return inbox, lambda cursor, sql: cursor.execute(sql)


CLIENTS = [Client, Psycopg, Asyncpg, Alchemy, Django]


class App:
    """An app with two processes: each has a handler of its own, over a pool of its own."""

    def __init__(self, kind: type[Client], closing: AsyncExitStack) -> None:
        self.client = kind(closing)
        self.codes: list[str] = []
        self.errors: list[BaseException] = []
        self.started = 0

    async def handler(self, decide: Callable[[Any, Callable[[str], Any], int], Any], size: int = 4, **options: Any) -> Any:
        """Makes a handler. `decide` gets the event, a function that runs a statement in the transaction, and how often `on_event` started."""
        inbox, run = await self.client.open(size)
        kind: Any = AsyncWebhookHandler if self.client.is_async else WebhookHandler

        def on_error(error: BaseException, code: str) -> None:
            self.codes.append(code)
            self.errors.append(error)

        def blocking(event: Any, tx: Any) -> Any:
            self.started += 1
            steps = decide(event, lambda sql: run(tx, sql), self.started)
            return _finished(steps) if inspect.isawaitable(steps) else steps

        async def awaiting(event: Any, tx: Any) -> Any:
            self.started += 1
            steps = decide(event, lambda sql: run(tx, sql), self.started)
            return await steps if inspect.isawaitable(steps) else steps

        on_event = awaiting if self.client.is_async else blocking
        return kind(secret=SECRET, inbox=inbox, on_event=on_event, on_error=on_error, **options)

    async def deliver(self, handler: Any, event_id: str) -> WebhookResponse:
        body, headers = signed(event_id)
        if self.client.is_async:
            response: WebhookResponse = await handler.handle(body, headers)
            return response
        return await asyncio.to_thread(handler.handle, body, headers)


def _finished(steps: Any) -> Any:
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value
    raise AssertionError("A blocking client must not wait.")


async def _done(given: Any) -> Any:
    """What a statement returned, of either kind of client."""
    return await given if inspect.isawaitable(given) else given


def insert(event: Any) -> str:
    return f"insert into effects.rows values ('{event.id}')"


async def write(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
    await _done(run(insert(event)))
    return WebhookResponse(200, f"start {started}")


def rows_of(event_id: str) -> int:
    with psycopg.connect(URL) as connection:
        found = connection.execute("select count(*) from effects.rows where event = %s", (event_id,)).fetchone()
        return int(found[0]) if found else 0


@pytest.fixture(scope="module", autouse=True)
def tables() -> None:
    with psycopg.connect(URL) as connection:
        connection.execute("drop schema if exists effects cascade")
        connection.execute("create schema effects")
        connection.execute("create table effects.rows (event text)")
        connection.execute("create table effects.unique_rows (event text unique deferrable initially deferred)")
        connection.execute(inbox_table_sql(TABLE).encode())
        connection.execute(inbox_table_sql(TABLE).encode())


def with_app(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Runs a test with an app of its own for each kind of client, and with an event."""

    def run(kind: type[Client], **given: Any) -> None:
        async def main() -> None:
            async with AsyncExitStack() as closing:
                await test(App(kind, closing), str(uuid.uuid4()), **given)

        asyncio.run(main())

    own = list(inspect.signature(test).parameters.values())[2:]
    kind = inspect.Parameter("kind", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    run.__name__, run.__signature__ = test.__name__, inspect.Signature([kind, *own])  # type: ignore[attr-defined]
    return run


@pytest.fixture(params=CLIENTS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Any:
    return request.param


@with_app
async def test_effect_and_response_are_committed_together_and_duplicates_get_the_response(app: App, event: str) -> None:
    one, two = await app.handler(write), await app.handler(write)
    assert await one_problem(one) == []
    first = [await app.deliver(one, event) for _ in range(2)]
    assert {answer.body for answer in [*first, await app.deliver(two, event)]} == {b"start 1"}
    assert (rows_of(event), app.codes) == (1, [])


async def one_problem(handler: Any) -> list[Any]:
    problems: list[Any] = await _done(
        handler.check_readiness() if isinstance(handler, AsyncWebhookHandler) else asyncio.to_thread(handler.check_readiness)
    )
    return problems


@with_app
async def test_an_event_that_two_processes_get_at_once_is_committed_once(app: App, event: str) -> None:
    async def slowly(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        await _done(run("select pg_sleep(0.3)"))
        return await write(event, run, started)

    one, two = await app.handler(slowly), await app.handler(slowly)
    answers = await asyncio.gather(*(app.deliver(handler, event) for handler in (one, two, one, two)))
    assert {answer.body for answer in answers} == {b"start 1"}
    assert (rows_of(event), app.codes, app.started) == (1, [], 1)


@pytest.mark.parametrize("status", [500, 503, None])
@with_app
async def test_a_handling_that_fails_is_rolled_back_and_the_next_one_counts(app: App, event: str, status: int | None) -> None:
    async def fail(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        answer = await write(event, run, started)
        if started > 1:
            return answer
        if status is None:
            raise RuntimeError("It fails.")
        return WebhookResponse(status, "declined")

    handler = await app.handler(fail)
    assert (await app.deliver(handler, event)).status == (status or 500)
    assert rows_of(event) == 0
    assert (await app.deliver(handler, event)).body == b"start 2"
    assert (rows_of(event), app.codes) == (1, [] if status else ["handler_failed"])


@with_app
async def test_a_failed_query_that_on_event_hides_is_named(app: App, event: str) -> None:
    async def hide(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        answer = await write(event, run, started)
        with suppress(Exception):
            await _done(run("select 1 / 0"))
        return answer

    handler = await app.handler(hide)
    assert (await app.deliver(handler, event)).status == 500
    assert (rows_of(event), app.codes, app.started) == (0, ["handler_failed"], 1)
    assert "A query of on_event failed" in str(app.errors[0])


@pytest.mark.parametrize("kind", [Client, Asyncpg], ids=lambda kind: str(kind.name))
@pytest.mark.parametrize(("statement", "status"), [("select 1 / 0", 500), ("select 1", 200)])
@with_app
async def test_a_query_that_is_not_awaited_and_fails_before_the_commit_is_named(
    app: App, event: str, statement: str, status: int
) -> None:
    completed = asyncio.Event()
    late: list[asyncio.Task[Any]] = []

    async def run_late(run: Callable[[str], Any]) -> None:
        await completed.wait()
        with suppress(Exception):
            await run(statement)

    async def leave(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        late.append(asyncio.create_task(run_late(run)))
        return await write(event, run, started)

    handler = await app.handler(leave)
    inbox = handler._core._coordinator.inbox
    query = inbox._query

    async def query_with_late(tx: Any, sql: Any, args: Any) -> Any:
        rows = await query(tx, sql, args)
        if "with stored" in sql:
            completed.set()
            await late[-1]
        return rows

    inbox._query = query_with_late
    assert (await app.deliver(handler, event)).status == status
    assert (rows_of(event), app.codes, app.started) == ((1, [], 1) if status == 200 else (0, ["handler_failed"], 1))
    if app.errors:
        assert "A query that on_event did not await" in str(app.errors[0])
    later = await app.handler(write)
    assert (await app.deliver(later, event)).body == (b"start 1" if status == 200 else b"start 2")


@with_app
async def test_a_failed_query_and_a_deferred_constraint_are_errors_of_on_event(app: App, event: str) -> None:
    statements = ["select 1 / 0", "insert into effects.unique_rows values ('taken'), ('taken')"]

    async def fail(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        await _done(run(statements[started - 1]))
        return WebhookResponse(200)

    handler = await app.handler(fail)
    assert [(await app.deliver(handler, event)).status for _ in statements] == [500, 500]
    assert (app.codes, app.started) == (["handler_failed"] * 2, 2)


@with_app
async def test_an_on_event_that_ends_the_transaction_is_reported(app: App, event: str) -> None:
    async def commit(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        answer = await write(event, run, started)
        await _done(run("commit"))
        await _done(run("begin"))
        return answer

    handler = await app.handler(commit)
    assert (await app.deliver(handler, event)).status == 200
    assert app.codes == ["handler_failed"]
    assert "on_event ended the transaction of the inbox" in str(app.errors[0])


@pytest.mark.parametrize("end", ["select pg_terminate_backend(pg_backend_pid())", "do $$ begin raise sqlstate '40001'; end $$"])
@with_app
async def test_an_event_whose_connection_is_lost_or_conflicts_is_handled_again_and_committed_once(
    app: App, event: str, end: str
) -> None:
    async def lose(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        answer = await write(event, run, started)
        if started == 1:
            await _done(run(end))
        return answer

    handler = await app.handler(lose)
    assert (await app.deliver(handler, event)).body == b"start 2"
    assert (rows_of(event), app.codes, app.started) == (1, [], 2)


@with_app
async def test_duplicates_that_wait_hold_no_connection(app: App, event: str) -> None:
    async def hang(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        if started == 1:
            await _done(run("select pg_sleep(2)"))
        return await write(event, run, started)

    # The pool of the second process has one connection, and seven duplicates wait there.
    one, two = await app.handler(hang), await app.handler(hang, size=1)
    first = asyncio.create_task(app.deliver(one, event))
    while app.started == 0:
        await asyncio.sleep(0.01)
    duplicates = [asyncio.create_task(app.deliver(two, event)) for _ in range(7)]
    other = str(uuid.uuid4())
    answer = await app.deliver(two, other)
    assert not first.done()
    assert (answer.status, rows_of(other)) == (200, 1)
    assert {(await one).body for one in [first, *duplicates]} == {b"start 1"}


@pytest.mark.parametrize("kind", [Client])
@with_app
async def test_a_commit_whose_response_is_lost_is_found(app: App, event: str) -> None:
    handler = await app.handler(write)
    transaction = handler._core._coordinator.inbox._transaction
    lost: list[bool] = []

    @asynccontextmanager
    async def losing() -> AsyncIterator[Any]:
        async with transaction() as tx:
            yield tx
        if not lost:
            lost.append(True)
            raise psycopg.OperationalError("The connection is lost.")

    handler._core._coordinator.inbox._transaction = losing
    assert (await app.deliver(handler, event)).body == b"start 1"
    assert (rows_of(event), app.codes, app.started) == (1, [], 1)


@with_app
async def test_a_missing_table_is_named_at_once(app: App, event: str) -> None:
    handler = await app.handler(write)
    handler._core._coordinator.inbox._table = '"nowhere"'
    assert (await app.deliver(handler, event)).status == 503
    assert app.codes == ["store_failed"]
    (problem,) = await one_problem(handler)
    assert (problem.code, "nowhere" in problem.message) == ("store_failed", True)


@pytest.mark.parametrize("kind", [Client])
@with_app
async def test_a_client_of_the_other_kind_is_named_at_once(app: App, event: str) -> None:
    inbox, _ = await app.client.open(1)
    handler = WebhookHandler(secret=SECRET, inbox=inbox, on_event=lambda event, tx: None)
    (problem,) = await asyncio.to_thread(handler.check_readiness)
    assert problem.message == "transaction is for AsyncWebhookHandler. Use that, or another client of PostgreSQL."


@pytest.mark.parametrize("kind", [Client])
@with_app
async def test_an_on_event_that_never_returns_ends_after_its_time(app: App, event: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("call_transfer.webhooks.postgres.MAX_HANDLING", 0.2)

    async def hang(event: Any, run: Callable[[str], Any], started: int) -> WebhookResponse:
        answer = await write(event, run, started)
        if started == 1:
            await asyncio.sleep(60)
        return answer

    handler = await app.handler(hang)
    assert (await app.deliver(handler, event)).status == 500
    assert (rows_of(event), app.codes) == (0, ["handler_failed"])
    assert (await app.deliver(handler, event)).body == b"start 2"


@pytest.mark.parametrize("kind", [Client])
@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
@with_app
async def test_every_isolation_level_commits_once(app: App, event: str, level: str) -> None:
    with psycopg.connect(URL, autocommit=True) as connection:
        connection.execute(f"alter role current_user set default_transaction_isolation = '{level}'".encode())
    try:
        handlers = [await app.handler(write) for _ in range(3)]
        answers = await asyncio.gather(*(app.deliver(handler, event) for handler in handlers * 3))
        assert len({answer.body for answer in answers}) == 1
        assert rows_of(event) == 1
    finally:
        with psycopg.connect(URL, autocommit=True) as connection:
            connection.execute("alter role current_user reset default_transaction_isolation")


@pytest.mark.parametrize("kind", [Client, Psycopg], ids=lambda kind: str(kind.name))
@with_app
async def test_2000_doubled_offers_through_a_small_pool_are_handled_once(app: App, event: str) -> None:
    # Time is not what this is about.
    handler = await app.handler(write, size=4, duplicate_wait=60)
    slots = asyncio.Semaphore(64 if app.client.is_async else 32)

    async def deliver(number: int) -> int:
        async with slots:
            return (await app.deliver(handler, f"{event} {number // 2}")).status

    assert set(await asyncio.gather(*(deliver(number) for number in range(2000)))) == {200}
    with psycopg.connect(URL) as connection:
        counts = connection.execute("select count(*), count(distinct event) from effects.rows where event like %s", (f"{event}%",))
        assert counts.fetchone() == (1000, 1000)
    assert app.started == 1000
