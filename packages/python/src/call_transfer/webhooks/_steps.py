"""Runs the steps of a store: only so many at once, and each within its time, which does not include waiting for its
turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ._codes import WebhookError
from ._effects import InTime, Runtime, Signal, Wait, Work

T = TypeVar("T")


class _Waiting:
    def __init__(self, signal: Signal) -> None:
        self.signal = signal
        self.has_begun = False
        self.failure: BaseException | None = None


class StoreSteps:
    def __init__(self, runtime: Runtime, at_once: int, limit: float, wait_time: float) -> None:
        self._runtime = runtime
        self._at_once = at_once
        self._limit = limit
        self._turn_limit = max(limit, wait_time)
        self._in_time = InTime(runtime, max(at_once, 100))
        # In order. Steps of events that are handled go first: their leases must not run out meanwhile.
        self._urgent: dict[_Waiting, None] = {}
        self._others: dict[_Waiting, None] = {}
        self._running = 0
        self._last_success = float("-inf")

    def run(self, step: Callable[[], Work[T]], is_urgent: bool) -> Work[T]:
        """Runs a step. A step that is late no longer counts as running."""
        if self._running < self._at_once:
            self._running += 1
        else:
            yield from self._turn(self._urgent if is_urgent else self._others)
        started = self._runtime.now()
        try:
            late = WebhookError(f"The event store did not answer within {self._limit:g} s.", "store_timeout")
            result = yield from self._in_time.run(step, self._limit, late)
            self._last_success = self._runtime.now()
            return result
        except Exception as error:
            # If nothing has worked meanwhile, the store is down, and those that wait need not find that out one after
            # the other.
            # A step that took far longer than it may says only that this process was stopped, or is too busy.
            parts = (self._runtime.now() - started) / self._limit
            if 0.5 <= parts < 1.5 and self._last_success < started:
                self._fail_all(error)
            raise
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        following = next(iter(self._urgent or self._others), None)
        if following is None:
            self._running -= 1
            return
        self._leave(following)
        following.has_begun = True
        following.signal.set()

    def _leave(self, waiting: _Waiting) -> None:
        self._urgent.pop(waiting, None)
        self._others.pop(waiting, None)

    def _turn(self, line: dict[_Waiting, None]) -> Work[None]:
        waiting = _Waiting(self._runtime.signal())
        line[waiting] = None
        try:
            yield Wait(waiting.signal, self._turn_limit)
        except BaseException:
            if waiting.has_begun:
                self._pass_on()
            self._leave(waiting)
            raise
        if waiting.has_begun:
            return
        self._leave(waiting)
        if waiting.failure is not None:
            raise waiting.failure.with_traceback(None)
        problem = f"The event store was busy for {self._turn_limit:g} s"
        raise WebhookError(f"{problem}. Give it more connections, or more receivers.", "store_busy")

    def _fail_all(self, error: BaseException) -> None:
        for waiting in [*self._urgent, *self._others]:
            self._leave(waiting)
            waiting.failure = error
            waiting.signal.set()
