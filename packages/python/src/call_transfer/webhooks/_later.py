"""Steps of a store that failed, and are tried again in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ._effects import Runtime, Signal, Start, Wait, Work

_FIRST_PAUSE, _LONGEST_PAUSE, _MOST_AT_ONCE, _MOST_STEPS = 0.1, 0.25, 32, 10_000


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
    """Tries steps again: one at a time while the store fails, and more as soon as it works."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._steps: dict[LaterStep, None] = {}
        self._is_working = False

    def add(self, step: LaterStep) -> Work[None]:
        self._steps[step] = None
        if not self._is_working:
            self._is_working = True
            yield Start(self._work())
        while len(self._steps) > _MOST_STEPS:
            yield from self._end(next(iter(self._steps)))

    def _end(self, step: LaterStep) -> Work[None]:
        if step in self._steps:
            del self._steps[step]
            yield from step.give_up()

    def _work(self) -> Work[None]:
        pause, at_once = _FIRST_PAUSE, 1
        try:
            while self._steps:
                yield Wait(None, pause)
                worked: list[bool] = []
                attempts: list[Signal] = []
                for step in list(self._steps)[:at_once]:
                    over = self._runtime.signal()
                    attempts.append(over)
                    yield Start(self._attempt(step, over, worked))
                for over in attempts:
                    # Each attempt has its own limits.
                    yield Wait(over, 3600)
                is_well = all(worked)
                at_once = min(at_once * 2, _MOST_AT_ONCE) if is_well else 1
                pause = _FIRST_PAUSE / 10 if is_well else min(pause * 2, _LONGEST_PAUSE)
        finally:
            self._is_working = False

    def _attempt(self, step: LaterStep, over: Signal, worked: list[bool]) -> Work[None]:
        """A step that is not over goes to the end of the line."""
        try:
            if self._runtime.now() >= step.until:
                yield from self._end(step)
            if step not in self._steps:
                return
            del self._steps[step]
            if not (yield from step.attempt()):
                self._steps[step] = None
            worked.append(True)
        except Exception:
            self._steps[step] = None
            worked.append(False)
        finally:
            over.set()
