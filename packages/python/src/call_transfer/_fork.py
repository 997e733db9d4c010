"""What a forked process must not share with its parent: connections, whose answers would mix, and locks that no thread frees."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakKeyDictionary, WeakSet

from ._errors import ConfigurationError


class Forked(Protocol):
    """Something that a child process needs another one of."""

    def after_fork(self) -> None:
        """Runs in the child, which has one thread."""


_forked: WeakSet[Forked] = WeakSet()


def renew_in_child(one: Forked) -> None:
    """Calls `after_fork` in each process that is forked from now on."""
    _forked.add(one)


_used_in: WeakKeyDictionary[object, int] = WeakKeyDictionary()


def check_process(http_client: object) -> None:
    """Refuses a client of the caller's that another process used: it may hold that one's connections, and get its answers."""
    if http_client is not None and _used_in.setdefault(http_client, os.getpid()) != os.getpid():
        raise ConfigurationError("http_client", "was used by another process before the fork. Create one in each process.")


def _after_fork() -> None:
    for one in list(_forked):
        one.after_fork()


# Windows does not fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
