# ruff: noqa: S608 - the name of the table is quoted, and every value is a parameter
"""The inbox in PostgreSQL, over any client: effects of an event and its response are one transaction. Handlers in TypeScript share its
table (`postgresInbox`).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, Generic, Literal, LiteralString, TypeVar, cast

from ._deduplicator import MAX_HANDLING, Handle, Handled, Report
from ._errors import WebhookError, WebhookErrorCode, unavailable
from ._options import Settings
from ._response import WebhookResponse, response_of, text_of
from ._runtime import Runtime, value_of

T = TypeVar("T")
Tx = TypeVar("Tx")
Query = Callable[[Tx, LiteralString, Sequence[Any]], Any | Awaitable[Any]]
_DEFAULT_TABLE = "call_transfer_events"
_FIRST_POLL, _MAX_POLL = 0.015, 0.2
_MIN_WAIT = 2.0
"""Seconds that the database gets even if a duplicate must not wait."""
_MAX_PROBE = 1.0
"""Seconds in which a connection shows whether it is lost."""
_delivery: ContextVar[object] = ContextVar("call_transfer_delivery", default=None)
"""The delivery for which `on_event` runs, which the tasks that it starts have too."""


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quoted_table(table: str) -> str:
    """Quotes the name of a table, with or without its schema."""
    parts = table.split(".")
    if len(parts) > 2 or "" in parts or "\0" in table:
        raise ValueError("table must be the name of a table, or schema.table")
    return ".".join(map(_quoted, parts))


def inbox_table_sql(table: str = _DEFAULT_TABLE) -> str:
    """Returns the statements that create the table of an inbox, for a migration. They change nothing if it exists. Run them
    once, before the handlers start: where two processes create a table at the same moment, one fails.

    Args:
        table: The table, also with its schema, such as `app.events`. Case counts.

    Raises:
        ValueError: The name is invalid.

    """
    index = _quoted(table.split(".")[-1] + "_expires_at")
    return f"""create table if not exists {_quoted_table(table)} (
  key text collate "C" primary key,
  owner text not null,
  answer text,
  expires_at timestamptz not null
);
create index if not exists {index} on {_quoted_table(table)} (expires_at);
"""


def postgres_inbox(
    *,
    transaction: Callable[[], AbstractContextManager[Tx] | AbstractAsyncContextManager[Tx]],
    query: Query[Tx],
    table: str = _DEFAULT_TABLE,
    retention: float = 86_400.0,
    paramstyle: Literal["format", "numeric_dollar"] = "format",
) -> PostgresInbox[Tx]:
    """Creates an inbox: `on_event` writes in the transaction that stores its response. A crash leaves both or neither.
    `inbox_table_sql` returns the table. Its expired rows are the app's to delete.

    Args:
        transaction: Returns a context manager of a new transaction, which commits at its end and rolls back after an
            exception. Its value is the second argument of `on_event`. An async one for `AsyncWebhookHandler`.
        query: Runs a statement with its parameters in a transaction, and returns its rows. Async for `AsyncWebhookHandler`.
        table: The table, also with its schema, such as `app.events`. Case counts.
        retention: Seconds to keep a response: at least twice `tolerance` of the handler; 86,400 (one day) by default.
        paramstyle: Parameters of statements: `%s` (`format`: psycopg, Django, SQLAlchemy), or `$1` (`numeric_dollar`: asyncpg).

    Raises:
        ValueError: The name of the table is invalid.

    """
    return PostgresInbox(transaction, query, table, paramstyle, retention)


# All of it lasts until the end of the transaction. The second part ends transactions of processes that have stopped or whose
# machine is gone: PostgreSQL would notice some of them only after hours.
_LOCK = """select pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) as free,
set_config('idle_in_transaction_session_timeout', '10000', true),
set_config('call_transfer.owner', $2, true)"""
# Not now(), which is the start of the transaction: the response is stored after `on_event`.
_AFTER = "clock_timestamp() + {}::float8 * interval '1 millisecond'"
# The second part reads a row as it was before the statement. No row: another claim came between.
_CLAIM = f"""with taken as (
  insert into TABLE as held (key, owner, expires_at) values ($1, $2, {_AFTER.format("$3")})
  on conflict (key) do update set owner = excluded.owner, answer = null, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning 'claimed' as state, null::text as answer
)
select state, answer from taken
union all
select 'completed', answer from TABLE
where key = $1 and answer is not null and expires_at > now() and not exists (select from taken)"""
_COMPLETE = f"""with stored as (
  insert into TABLE as held (key, owner, answer, expires_at) values ($1, $2, $3, {_AFTER.format("$4")})
  on conflict (key) do update set owner = excluded.owner, answer = excluded.answer, expires_at = excluded.expires_at
  where held.expires_at <= now() or (held.owner = excluded.owner and held.answer is null)
  returning key
)
select key, current_setting('call_transfer.owner', true) as owner from stored"""
# Needs what the others need, and changes nothing. Returns no row, as a query.
_CHECK = """insert into TABLE (key, owner, answer, expires_at) select '', '', '', now() where false
on conflict (key) do update set owner = excluded.owner"""


class PostgresInbox(Generic[Tx]):
    """An inbox for the option `inbox`. `postgres_inbox` creates it."""

    retention: float
    """Seconds to keep a response."""

    def __init__(self, transaction: Callable[[], Any], query: Query[Tx], table: str, paramstyle: str, retention: float) -> None:
        self.retention = retention
        self._table = _quoted_table(table)
        self._transaction = transaction
        self._query = query
        self._paramstyle = paramstyle

    def _coordinator(self, runtime: Runtime, settings: Settings, report: Report) -> _InboxCoordinator:
        return _InboxCoordinator(self, runtime, settings, report)

    def _statement(self, text: str, values: Sequence[Any]) -> tuple[LiteralString, Sequence[Any]]:
        """A statement and its parameters as the client takes them."""
        if self._paramstyle == "numeric_dollar":
            return cast("Any", text.replace("TABLE", self._table)), values
        used = [values[int(number) - 1] for number in re.findall(r"\$([1-4])", text)]
        return cast("Any", re.sub(r"\$[1-4]", "%s", text).replace("TABLE", self._table.replace("%", "%%"))), used


class _InboxCoordinator:
    def __init__(self, inbox: PostgresInbox[Any], runtime: Runtime, settings: Settings, report: Report) -> None:
        self.inbox = inbox
        self.runtime = runtime
        self.max_wait = max(settings.duplicate_wait, _MIN_WAIT)
        self._report = report

    async def coordinate(self, key: str, owner: str, handle: Handle, until: float) -> Handled:
        delivery = _Delivery(self, key, owner, handle, until)
        try:
            return await delivery.respond()
        finally:
            for warning in delivery.warnings:
                await self._report(warning)

    async def check(self, _owner: str) -> None:
        """Raises if the database would not store a response."""

        async def ask(tx: Any, _limit: object) -> None:
            await self.rows(tx, f"{_CHECK} returning key")

        try:
            await self.runtime.call(lambda: self.within(ask, self.max_wait))
        except TimeoutError as error:
            raise WebhookError(f"The database did not answer within {self.max_wait:g} s.", "store_timeout") from error

    async def within(self, work: Callable[[Any, asyncio.Timeout | None], Awaitable[T]], seconds: float) -> T:
        """Runs work in a transaction. On an event loop its time is limited; threads have the limits of their client."""
        manager = self.inbox._transaction()
        if hasattr(manager, "__aenter__") is not self.runtime.is_async:
            handler = "WebhookHandler" if self.runtime.is_async else "AsyncWebhookHandler"
            raise TypeError(f"transaction is for {handler}. Use that, or another client of PostgreSQL.")
        if not self.runtime.is_async:
            with manager as tx:
                return await work(tx, None)
        async with asyncio.timeout(seconds) as limit, manager as tx:
            return await work(tx, limit)

    async def rows(self, tx: Any, text: str, *values: Any) -> Any:
        given = self.inbox._query(tx, *self.inbox._statement(text, values))
        return await value_of(given, "query", is_async=self.runtime.is_async)

    async def row(self, tx: Any, text: str, *values: Any) -> tuple[Any, ...] | None:
        """The first row, of which a client may make a mapping."""
        first = next(iter(await self.rows(tx, text, *values)), None)
        return None if first is None else tuple(first.values() if isinstance(first, Mapping) else first)


class _RetryError(Exception):
    """A transaction was not committed because of the database. Its cause says why."""


class _Delivery:
    """One delivery of an event. It runs without the lock of its runtime, except between attempts."""

    def __init__(self, of: _InboxCoordinator, key: str, owner: str, handle: Handle, until: float) -> None:
        self.warnings: list[WebhookError] = []
        self._of = of
        self._key = key
        self._owner = owner
        self._handle = handle
        self._duplicate_until = until
        self._until = max(until, of.runtime.now() + _MIN_WAIT)
        self._reset()
        self._answered: tuple[WebhookResponse, str] | None = None
        """The last response that may have been committed, and its text."""

    def _reset(self) -> None:
        self._is_handling = False
        self._thrown: Exception | None = None
        """An exception of `on_event` that is not the database's."""
        self._declined: WebhookResponse | None = None
        self._has_tasks = False
        """Whether `on_event` left tasks. A query of theirs that fails between the response and the commit undoes both silently."""

    async def respond(self) -> Handled:
        runtime, pause = self._of.runtime, _FIRST_POLL
        while True:
            failure: BaseException | None = None
            code: WebhookErrorCode = "duplicate_timeout"
            until = self._duplicate_until
            try:
                handled: Handled | None = await runtime.call(self._attempt)
                if handled is not None:
                    return handled
            except _RetryError as retry:
                failure, until = retry.__cause__, self._until
                code = "store_timeout" if isinstance(failure, TimeoutError) else "store_failed"
            if runtime.now() + pause > until or (failure is not None and _is_hopeless(failure)):
                raise unavailable(code) from failure
            await runtime.wait(None, pause)
            pause = min(pause * 1.5, _MAX_POLL)

    async def _attempt(self) -> Handled | None:
        """Handles the event, or finds its response. Returns None while another delivery has it."""
        self._reset()
        try:
            handled = await self._of.within(self._work, max(0.0, self._until - self._of.runtime.now()))
            # PostgreSQL answers the commit of such a transaction with a rollback, of which clients say nothing.
            return await self._of.within(self._work, _MIN_WAIT) if self._has_tasks else handled
        except Exception as error:
            if self._declined is not None:
                return Handled(self._declined, None)
            if isinstance(error, WebhookError):
                raise
            if self._is_handling:
                raise WebhookError(f"on_event did not return within {MAX_HANDLING:g} s.", "handler_failed") from error
            if _is_aborted(error):
                raise WebhookError(_ABORTED, "handler_failed") from error
            if self._thrown is not None:
                raise self._thrown from self._thrown.__cause__
            # Such as a deferred constraint or trigger, which runs at the commit.
            if any(re.match("2[1-3]|P0", state) for state in _states(error)):
                raise
            raise _RetryError from error

    async def _work(self, tx: Any, limit: asyncio.Timeout | None) -> Handled | None:
        of, key, owner = self._of, self._key, self._owner
        lock = await of.row(tx, _LOCK, f"{of.inbox._table} {key}", owner)
        if not lock or not lock[0]:
            return None
        if of.runtime.now() > self._until and not self._has_tasks:
            raise TimeoutError("The database answered too late.")
        # A statement of its own, which sees what was committed before the lock was free.
        claim = await of.row(tx, _CLAIM, key, owner, MAX_HANDLING * 1000)
        if claim is None:
            return None
        if claim[0] == "completed":
            stored = str(claim[1])
            # An own text was committed, but the response of the commit was lost.
            is_own = self._answered is not None and self._answered[1] == stored
            return Handled(self._answered[0] if self._answered and is_own else response_of(stored), stored)
        if self._has_tasks:
            raise WebhookError(_NOT_AWAITED, "handler_failed")
        response, text = await self._decide(tx, limit)
        row = await of.row(tx, _COMPLETE, key, owner, text, of.inbox.retention * 1000)
        if row is None:
            raise WebhookError(f"on_event must not change the table {of.inbox._table}.", "handler_failed")
        if row[1] != owner:
            self.warnings.append(WebhookError(_ENDED, "handler_failed"))
        return Handled(response, text)

    async def _decide(self, tx: Any, limit: asyncio.Timeout | None) -> tuple[WebhookResponse, str]:
        self._is_handling = True
        _extend(limit, MAX_HANDLING)
        earlier = asyncio.all_tasks() if self._of.runtime.is_async else set()
        outer = _delivery.set(self)
        try:
            response = await self._handle(tx)
        except Exception as error:
            self._is_handling = False
            _extend(limit, _MIN_WAIT)
            if not _is_conflict(error) and not await self._is_lost(tx):
                self._thrown = error
            raise
        finally:
            _delivery.reset(outer)
        self._is_handling = False
        _extend(limit, _MIN_WAIT)
        self._has_tasks = self._of.runtime.is_async and any(map(self._may_have_started, asyncio.all_tasks() - earlier))
        if response.status >= 500:
            self._declined = response
            raise WebhookError("on_event declined.", "handler_failed")
        self._answered = response, text_of(response, self._owner)
        return self._answered

    def _may_have_started(self, task: Any) -> bool:
        """Python 3.11 does not tell the context of a task."""
        return not hasattr(task, "get_context") or task.get_context().get(_delivery) is self

    async def _is_lost(self, tx: Any) -> bool:
        """Whether the connection is lost: then the exception of `on_event` may be its consequence."""
        probe = asyncio.timeout(_MAX_PROBE) if self._of.runtime.is_async else None
        try:
            async with probe or nullcontext():
                await self._of.rows(tx, "select 1")
        except Exception as error:
            # It may have to wait for another query.
            if probe is not None and probe.expired():
                return False
            return any(isinstance(one, OSError) or type(one).__name__ in _LOST for one in _causes(error)) or any(
                re.match("08|57P0", state) for state in _states(error)
            )
        return False


_LOST = ("OperationalError", "InterfaceError", "PendingRollbackError")

_ENDED = (
    "on_event ended the transaction of the inbox, so a crash may keep its changes without their response. It must not commit or "
    "roll back. Use a savepoint for a part that may fail."
)

_ABORTED = "A query of on_event failed, so nothing can be committed. Let on_event raise, or use a savepoint."


_NOT_AWAITED = "A query that on_event did not await failed, so nothing was committed. Await each query in on_event."


def _extend(limit: asyncio.Timeout | None, seconds: float) -> None:
    """Lets a limit end so many seconds from now, unless it has ended."""
    if limit is not None and not limit.expired():
        limit.reschedule(asyncio.get_running_loop().time() + seconds)


def _causes(error: BaseException) -> list[BaseException]:
    """An error, and those of the drivers beneath: SQLAlchemy has `orig`, Django a cause."""
    below = getattr(error, "orig", None) or error.__cause__
    return [error, *(_causes(below) if isinstance(below, BaseException) else [])]


def _states(error: BaseException) -> list[str]:
    return [str(getattr(one, "sqlstate", None) or getattr(one, "pgcode", "")) for one in _causes(error)]


def _is_aborted(error: BaseException) -> bool:
    """Whether an earlier query failed. Django notices that itself."""
    return "25P02" in _states(error) or type(error).__name__ == "TransactionManagementError"


def _is_conflict(error: BaseException) -> bool:
    """Whether PostgreSQL asks to run the transaction again: serialization failures and deadlocks."""
    return not {"40001", "40P01"}.isdisjoint(_states(error))


def _is_hopeless(error: BaseException) -> bool:
    """Whether waiting cannot help: no such table, column or database, no permission, or a client of the other kind."""
    return isinstance(error, TypeError) or any(re.match("42|28|3D", state) for state in _states(error))
