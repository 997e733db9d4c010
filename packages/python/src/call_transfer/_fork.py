"""What a forked process must not share with its parent: connections, whose answers would mix, and locks that no thread frees."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """Something that a child process needs another one of."""

    def after_fork(self) -> None:
        """Runs in the child, which has one thread."""


_forked: WeakSet[Forked] = WeakSet()


def renew_in_child(one: Forked) -> None:
    """Calls `after_fork` in each process that is forked from now on."""
    _forked.add(one)


_loaded_in = os.getpid()


def is_forked() -> bool:
    """Returns whether this process was forked since the client was imported."""
    return os.getpid() != _loaded_in


def _after_fork() -> None:
    for one in list(_forked):
        one.after_fork()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
