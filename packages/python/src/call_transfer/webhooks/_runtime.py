"""Two drivers of the core, which is written once with `async def`. Threads block where an event loop suspends."""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent import futures
from concurrent.futures import Future, InvalidStateError
from contextlib import contextmanager, suppress
from contextvars import copy_context
from typing import Any, Generic, TypeVar, cast

from .._duration import sleep
from ._errors import WebhookError

T = TypeVar("T")
_PARTS = 10


class Signal(Future[None]):
    """Becomes set once, and stays so. It wakes what waits in any thread and on any event loop: each request of an async view under
    WSGI has a loop of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        # So that nothing that waits can cancel it.
        self.set_running_or_notify_cancel()

    def set(self) -> None:
        # Another thread may set it at the same time.
        with suppress(InvalidStateError):
            self.set_result(None)


class PerProcess(Generic[T]):
    """What each process makes for itself: after a fork, no thread goes on with the work of the parent."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[int, T] = {}

    def get(self) -> T:
        """That of this process."""
        made = self._made.get(os.getpid())
        return self._made.setdefault(os.getpid(), self._make()) if made is None else made


class Threads:
    """Runs work in its caller's thread. A lock makes each piece between two awaits of these methods one step, as on an event loop."""

    is_async = False
    now = staticmethod(time.monotonic)

    def __init__(self) -> None:
        # A thread of a parent may hold its lock, and gevent may replace locks after a fork.
        self._locks = PerProcess(threading.Lock)

    async def wait(self, signal: Signal | None, seconds: float) -> None:
        """Waits until the signal is set, at most for so long."""
        with self._unlocked():
            futures.wait([signal or Signal()], seconds)

    async def call(self, function: Callable[[], Any]) -> Any:
        """Calls a function of a store or of the app. Other work goes on meanwhile."""
        with self._unlocked():
            value = function()
            return _finished(value) if inspect.isawaitable(value) else value

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Runs work in the background. It does not keep the process from ending."""
        threading.Thread(target=copy_context().run, args=(self.run, work), daemon=True).start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        with self._locks.get():
            return _finished(work)

    @contextmanager
    def _unlocked(self) -> Iterator[None]:
        self._locks.get().release()
        try:
            yield
        finally:
            self._locks.get().acquire()


def _finished(work: Awaitable[T]) -> T:
    """Runs something awaitable that never suspends."""
    steps = work.__await__()
    try:
        next(steps)
    except StopIteration as end:
        return cast("T", end.value)
    if inspect.iscoroutine(work):
        work.close()
    raise TypeError("It waits for an event loop. Use AsyncWebhookHandler.")


class Loop:
    """Runs work on the event loop of its caller."""

    is_async = True
    now = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    async def wait(self, signal: Signal | None, seconds: float) -> None:
        if signal is None:
            return await sleep(seconds)
        waiting = asyncio.wrap_future(signal)
        try:
            await asyncio.wait([waiting], timeout=seconds)
        finally:
            waiting.cancel()

    async def call(self, function: Callable[[], Any]) -> Any:
        try:
            value = function()
            return await value if inspect.isawaitable(value) else value
        except asyncio.CancelledError as cancelled:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            raise RuntimeError("What it awaits was cancelled.") from cancelled

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Runs work in a task of its own, which goes on when its starter is cancelled."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


Runtime = Threads | Loop


async def value_of(given: Any, name: str, *, is_async: bool) -> Any:
    """What a function of the app returned. A blocking one would stop an event loop, and threads have no loop."""
    if inspect.isawaitable(given) is is_async:
        return await given if is_async else given
    if inspect.iscoroutine(given):
        given.close()
    handler = "WebhookHandler" if is_async else "AsyncWebhookHandler"
    raise TypeError(f"{name} is {'not ' if is_async else ''}async. Use {handler}, or another client of the database.")


class TimeLimit:
    """Runs steps that may take so long. A late step goes on, and nothing waits for it."""

    def __init__(self, runtime: Runtime, max_late: int) -> None:
        self._runtime = runtime
        self._max_late = max_late
        self._late: PerProcess[set[Signal]] = PerProcess(set)
        """Late steps that still run. Each may hold a thread and a connection."""

    async def run(self, step: Callable[[], Awaitable[T]], seconds: float, late: WebhookError) -> T:
        late_steps = self._late.get()
        if len(late_steps) >= self._max_late:
            raise late
        results: list[T] = []
        errors: list[BaseException] = []
        over = Signal()

        async def perform() -> None:
            try:
                results.append(await step())
            except Exception as error:
                errors.append(error)
            except BaseException as error:  # such as the end of an event loop, which this work must not outlive
                errors.append(error)
                raise
            finally:
                late_steps.discard(over)
                over.set()

        self._runtime.start(perform())
        # In parts: after a stall, a due timer may run before a result that has arrived meanwhile is read, and the time for which
        # an event loop is busy with other webhooks is not that of the step.
        for _ in range(_PARTS):
            if not results and not errors:
                await self._runtime.wait(over, seconds / _PARTS)
        if results:
            return results[0]
        if errors:
            raise errors[0]
        late_steps.add(over)
        raise late
