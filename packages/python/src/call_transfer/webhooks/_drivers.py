"""Run the core: the only places that wait, and that call a store or the app."""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar, cast

from .._duration import sleep
from ._effects import Do, Effect, Signal, Start, Work

T = TypeVar("T")


def _next(work: Work[T], value: object, error: BaseException | None) -> Effect:
    return work.send(value) if error is None else work.throw(error)


class Threads:
    """Runs work in threads. A lock makes each piece between two effects one step, as on an event loop."""

    now = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def signal(self) -> Signal:
        return threading.Event()

    def run(self, work: Work[T]) -> T:
        value: object = None
        error: BaseException | None = None
        while True:
            try:
                with self._lock:
                    effect = _next(work, value, error)
            except StopIteration as end:
                return cast("T", end.value)
            value = error = None
            try:
                if isinstance(effect, Do):
                    value = effect.call()
                elif isinstance(effect, Start):
                    # A daemon, so that a store that hangs does not keep the process from ending.
                    threading.Thread(target=copy_context().run, args=(self.run, effect.work), daemon=True).start()
                elif isinstance(effect.signal, threading.Event):
                    effect.signal.wait(effect.seconds)
                else:
                    time.sleep(effect.seconds)
            except BaseException as thrown:
                error = thrown


class _LoopSignal:
    def __init__(self) -> None:
        self.is_set = False
        self.waiting: set[asyncio.Future[None]] = set()

    def set(self) -> None:
        self.is_set = True
        for future in self.waiting:
            _wake(future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class Loop:
    """Runs work on the event loop of its caller."""

    now = staticmethod(time.monotonic)

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[object]] = set()

    def signal(self) -> Signal:
        return _LoopSignal()

    async def run(self, work: Work[T]) -> T:
        value: object = None
        error: BaseException | None = None
        while True:
            try:
                effect = _next(work, value, error)
            except StopIteration as end:
                return cast("T", end.value)
            value = error = None
            try:
                if isinstance(effect, Do):
                    value = effect.call()
                    if inspect.isawaitable(value):
                        value = await value
                elif isinstance(effect, Start):
                    self.start(effect.work)
                else:
                    await self._wait(cast("_LoopSignal | None", effect.signal), effect.seconds)
            except GeneratorExit:  # the loop is gone
                raise
            except asyncio.CancelledError as cancelled:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    error = cancelled
                else:
                    error = RuntimeError("What it awaits was cancelled.")
                    error.__cause__ = cancelled
            except BaseException as thrown:
                error = thrown

    def start(self, work: Work[T]) -> asyncio.Task[T]:
        """Runs work in a task of its own, which goes on when its starter is cancelled."""
        task = asyncio.get_running_loop().create_task(self.run(work))
        kept = cast("asyncio.Task[object]", task)
        self._tasks.add(kept)
        task.add_done_callback(cast("Callable[[asyncio.Task[T]], None]", self._tasks.discard))
        return task

    async def _wait(self, signal: _LoopSignal | None, seconds: float) -> None:
        if signal is None:
            await sleep(seconds)
            return
        if signal.is_set:
            return
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        signal.waiting.add(future)
        timer = loop.call_later(seconds, _wake, future)
        try:
            await future
        finally:
            timer.cancel()
            signal.waiting.discard(future)
