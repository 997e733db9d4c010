"""What the core asks its driver to do. The core itself waits for nothing: it is generators that yield these effects."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from ._codes import WebhookError

T = TypeVar("T")


class Signal(Protocol):
    """Becomes set once, and stays so."""

    def set(self) -> None: ...


@dataclass(frozen=True)
class Do:
    """Calls a function of a store or of the app. Async drivers await what it returns."""

    call: Callable[[], Any]


@dataclass(frozen=True)
class Wait:
    """Waits until the signal is set, or for so many seconds."""

    signal: Signal | None
    seconds: float


@dataclass(frozen=True)
class Start:
    """Runs work beside this one. It does not keep the process from ending."""

    work: Work[None]


Effect = Do | Wait | Start
Work = Generator[Effect, Any, T]


class Runtime(Protocol):
    """What the core takes from its driver at once. Between two effects, only one piece of work of a receiver runs."""

    def now(self) -> float:
        """Seconds of a clock that is never set."""
        ...

    def signal(self) -> Signal: ...


class InTime:
    """Runs a step that may take so many seconds. A step that is late goes on, and nobody waits for it."""

    def __init__(self, runtime: Runtime, most_late: int) -> None:
        self._runtime = runtime
        self._most_late = most_late
        self._late = 0
        """How many late steps are not over yet. Each may hold a thread and a connection."""

    def run(self, step: Callable[[], Work[T]], limit: float, late: WebhookError) -> Work[T]:
        if self._late >= self._most_late:
            raise late
        results: list[T] = []
        errors: list[BaseException] = []
        over = self._runtime.signal()
        is_late = False

        def perform() -> Work[None]:
            try:
                results.append((yield from step()))
            except Exception as error:
                errors.append(error)
            except BaseException as error:  # such as the end of an event loop, which this work must not outlive
                errors.append(error)
                raise
            finally:
                self._late -= is_late
                over.set()

        yield Start(perform())
        # In two parts: after a stall, a due timer may run before an answer that has arrived meanwhile is read.
        for _ in range(2):
            if not results and not errors:
                yield Wait(over, limit / 2)
        if results:
            return results[0]
        if errors:
            raise errors[0]
        is_late = True
        self._late += 1
        raise late
