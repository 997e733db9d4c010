"""Steps of a store that failed, and are tried again in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ._effects import Runtime, Signal, Start, Wait, Work

# Pauses grow to five seconds, so as many rounds as these take about 80 minutes.
_FIRST_PAUSE, _LONGEST_PAUSE, _MOST_FAILED_ROUNDS = 0.1, 5.0, 1000
_MOST_AT_ONCE, _MOST_STEPS = 32, 10_000


@dataclass(frozen=True, eq=False)
class LaterStep:
    """A step that is tried until it holds."""

    until: float
    """When to give up, in seconds of the runtime's clock."""
    attempt: Callable[[], Work[bool]]
    """Returns whether it is over. Raises if the store fails."""
    give_up: Callable[[], Work[None]]
    """Called if it was given up."""


class Later:
    """Tries steps again: one of them and ever less often while the store fails, and more at once as soon as it works."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._steps: dict[LaterStep, None] = {}
        self._is_working = False
        self._pause = _FIRST_PAUSE
        self._awake = runtime.signal()

    def add(self, step: LaterStep) -> Work[None]:
        self._steps[step] = None
        if not self._is_working:
            self._is_working = True
            yield Start(self._work())
        while len(self._steps) > _MOST_STEPS:
            yield from self._give_up(next(iter(self._steps)))

    def wake(self) -> None:
        """The store has answered something else, so the next try need not wait for long."""
        if self._is_working and self._pause > _FIRST_PAUSE:
            self._pause = _FIRST_PAUSE
            self._awake.set()

    def _give_up(self, step: LaterStep) -> Work[None]:
        self._steps.pop(step, None)
        yield from step.give_up()

    def _work(self) -> Work[None]:
        at_once, failed_rounds = 1, 0
        self._pause = _FIRST_PAUSE
        try:
            while self._steps:
                self._awake = self._runtime.signal()
                yield Wait(self._awake, self._pause)
                ended: list[bool] = []
                attempts: list[Signal] = []
                for step in list(self._steps)[:at_once]:
                    over = self._runtime.signal()
                    attempts.append(over)
                    yield Start(self._attempt(step, over, ended))
                for over in attempts:
                    # Each attempt has limits of its own.
                    yield Wait(over, 3600)
                is_well = all(ended)
                at_once = min(at_once * 2, _MOST_AT_ONCE) if is_well else 1
                failed_rounds = 0 if is_well else failed_rounds + 1
                self._pause = _FIRST_PAUSE / 10 if is_well else min(max(self._pause, _FIRST_PAUSE) * 2, _LONGEST_PAUSE)
                while failed_rounds >= _MOST_FAILED_ROUNDS and self._steps:
                    yield from self._give_up(next(iter(self._steps)))
        finally:
            self._is_working = False

    def _attempt(self, step: LaterStep, over: Signal, ended: list[bool]) -> Work[None]:
        """A step that is not over goes to the end of the line."""
        is_over = False
        try:
            self._steps.pop(step, None)
            is_over = self._runtime.now() >= step.until
            if is_over:
                yield from step.give_up()
            else:
                is_over = yield from step.attempt()
        except Exception:  # noqa: S110 - it is tried again
            pass
        finally:
            if not is_over:
                self._steps[step] = None
            ended.append(is_over)
            over.set()
