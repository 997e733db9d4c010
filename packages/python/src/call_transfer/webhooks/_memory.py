"""Answers in the memory of this process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from ._stores import EventClaim

_MOST_CHARACTERS = 16 * 1024 * 1024
"""How many characters of answers to keep. Most answers have about 90."""


class KeptAnswers:
    """Answers by event, with limits. Those that end first come first."""

    def __init__(self, max_events: int = 10_000) -> None:
        self.forgotten_early = 0
        """How many answers were forgotten before their time was over."""
        # A walk over a dict passes the places of all that were deleted since it last grew; this one does not.
        self._answers: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._max_events = max_events
        self._characters = 0

    def get(self, key: str, now: float) -> str | None:
        answer, until = self._answers.get(key, ("", now))
        return answer if until > now else None

    def set(self, key: str, answer: str, until: float) -> None:
        self._delete(key)
        self._answers[key] = (answer, until)
        self._characters += len(answer)

    def forget_old(self, now: float) -> None:
        """Forgets what ran out, and the oldest above the limits."""
        while self._answers:
            key, (_, until) = next(iter(self._answers.items()))
            if until > now:
                if len(self._answers) <= self._max_events and self._characters <= _MOST_CHARACTERS:
                    return
                self.forgotten_early += 1
            self._delete(key)

    def _delete(self, key: str) -> None:
        self._characters -= len(self._answers.pop(key, ("", 0))[0])


class MemoryEventStore:
    """A store in the memory of this process, the default of `WebhookReceiver`. It forgets everything when the process
    ends, so it fits receivers of one process. All answers together are at most 16 million characters.

    Args:
        max_events: How many answers to keep. The oldest are forgotten first, which `on_error` receives
            (`store_forgets`).
        clock: Source of time in seconds since 1970.

    Raises:
        ValueError: `max_events` is below 1.

    """

    def __init__(self, *, max_events: int = 10_000, clock: Callable[[], float] = time.time) -> None:
        if max_events < 1:
            raise ValueError("max_events must be above 0")
        self._clock = clock
        self._lock = Lock()
        # In order of time: what ends first comes first.
        self._leases: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._answers = KeptAnswers(max_events)

    @property
    def forgotten_early(self) -> int:
        """How many answers were forgotten before their time was over."""
        return self._answers.forgotten_early

    def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        with self._lock:
            now = self._clock()
            while self._leases:
                first, (_, until) = next(iter(self._leases.items()))
                if until > now:
                    break
                del self._leases[first]
            self._answers.forget_old(now)
            claim = self._state_for(key, owner, now)
            if claim.state == "mine":
                self._leases.pop(key, None)
                self._leases[key] = (owner, now + lease_time)
            return claim

    def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        with self._lock:
            now = self._clock()
            if self._state_for(key, owner, now).state != "mine":
                return False
            self._leases.pop(key, None)
            self._answers.set(key, answer, now + keep_time)
            self._answers.forget_old(now)
            return True

    def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        with self._lock:
            if self._leases.get(key, ("", 0))[0] == owner:
                del self._leases[key]

    def _state_for(self, key: str, owner: str, now: float) -> EventClaim:
        answer = self._answers.get(key, now)
        if answer is not None:
            return EventClaim("done", answer)
        holder, until = self._leases.get(key, (owner, now))
        return EventClaim("mine" if until <= now or holder == owner else "busy")


class AsyncMemoryEventStore:
    """A `MemoryEventStore` for `AsyncWebhookReceiver`, which has one by default. See there for arguments and errors."""

    def __init__(self, *, max_events: int = 10_000, clock: Callable[[], float] = time.time) -> None:
        self._store = MemoryEventStore(max_events=max_events, clock=clock)

    @property
    def forgotten_early(self) -> int:
        """How many answers were forgotten before their time was over."""
        return self._store.forgotten_early

    async def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        return self._store.claim(key, owner, lease_time)

    async def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        return self._store.complete(key, owner, answer, keep_time)

    async def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        self._store.release(key, owner)
