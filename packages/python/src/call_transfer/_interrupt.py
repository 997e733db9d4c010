"""What reaches a request from outside: exceptions of signal handlers, such as soft time limits of job queues, and those of hooks, and
forks. Nothing may take such an exception for an error of its own, whatever its type. A child must not share the connections of its
parent, whose answers would mix, nor locks that no thread frees.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from types import CodeType, TracebackType
from typing import Any, Protocol, cast
from weakref import WeakSet

CARRIED = "call_transfer_error"
"""Attribute of a foreign exception that holds what the client knows of the request."""

_OWN = frozenset({"call_transfer", "httpx2", "httpcore2", "h11", "h2", "hpack", "anyio", "ssl"})
"""Packages whose frames may hold what is sent."""


def _code_of(function: Any) -> CodeType | None:
    while isinstance(function, partial):
        function = function.func
    function = getattr(function, "__func__", function)
    kind = cast("Any", type(function))
    code: Any = getattr(function, "__code__", None) or getattr(getattr(kind, "__call__", None), "__code__", None)  # noqa: B004
    return code if isinstance(code, CodeType) else None


def _runs_handler(error: BaseException, handlers: Iterable[object]) -> bool:
    """Whether an exception was raised within a signal handler: one of these, or one that was given the frame that it interrupted."""
    codes = {code for code in map(_code_of, handlers) if code is not None}
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        if trace.tb_next is None:
            break
        for value in trace.tb_next.tb_frame.f_locals.values():
            given = cast("tuple[object, ...]", value if isinstance(value, tuple) else (value,))
            if any(one is trace.tb_frame for one in given):
                return True
        trace = trace.tb_next
    return False


def handler_error(error: BaseException, outer: BaseException | None = None) -> BaseException | None:
    """The exception of a signal handler that this one is or was made of. A handler may raise what a socket raises too.

    What was being handled before, `outer`, is another story.
    """
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    one: BaseException | None = error
    seen: list[BaseException] = []
    while one is not None and one is not outer and not any(one is other for other in seen):
        if _runs_handler(one, handlers):
            return one
        seen.append(one)
        # httpcore2 raises its errors again `from None`.
        one = one.__cause__ or one.__context__
    return None


def let_through(error: BaseException) -> None:
    """Raises the exception of a signal handler again. First in whatever catches the errors of other code."""
    interruption = handler_error(error, error.__context__ if error.__cause__ is None else None)
    if interruption is not None:
        raise interruption


def carry(error: BaseException, known: BaseException, note: str | None) -> None:
    """Attaches what is known of a request to a foreign exception."""
    # One object may be raised again and again.
    is_free = error.__cause__ is None or error.__cause__ is getattr(error, CARRIED, None)
    # Not by its own `__setattr__`, which may raise.
    BaseException.__setattr__(error, CARRIED, known)
    if is_free:
        BaseException.__setattr__(error, "__cause__", known)
    if note is not None:
        BaseException.__setattr__(error, "__notes__", [*getattr(error, "__notes__", ()), note])


def forget_locals(error: BaseException) -> None:
    """Empties the frames below the caller's, of an exception and of those it came from: reporters send local variables along."""
    waiting: list[BaseException | None] = [error]
    seen: list[BaseException] = []
    while waiting:
        one = waiting.pop()
        if one is None or any(one is other for other in seen):
            continue
        seen.append(one)
        waiting += [one.__cause__, one.__context__]
        trace = one.__traceback__
        while trace is not None:
            if str(trace.tb_frame.f_globals.get("__name__")).partition(".")[0] in _OWN:
                # A frame that still runs raises.
                with suppress(RuntimeError):
                    trace.tb_frame.clear()
            trace = trace.tb_next


class Forked(Protocol):
    """Something that a child process needs another one of."""

    def after_fork(self) -> None:
        """Runs in the child, which has one thread."""


_forked: WeakSet[Forked] = WeakSet()


def renew_in_child(one: Forked) -> None:
    """Calls `after_fork` in each process that is forked from now on."""
    _forked.add(one)


def _after_fork() -> None:
    for one in list(_forked):
        one.after_fork()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
