"""Where a receiver remembers the events that it has handled, so that each gets one answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class EventClaim:
    """What a store has of an event."""

    state: Literal["mine", "busy", "done"]
    """
    `mine`: the caller has the event. It was never received, its lease ran out, or the caller had it already. `busy`:
    another owner has it, and its lease still runs. `done`: it was handled.
    """
    answer: str | None = None
    """The text that `complete` was given, if it is done."""


class EventStore(Protocol):
    """Remembers which events were received, and how they were answered. Processes that share a store handle each event
    once.

    Each method is one atomic step, also between processes and threads. If a method raises, `on_store_error` of the
    receiver decides. Two attributes are optional: `steps_at_once`, how many steps the store takes at once, 100 by
    default; and `forgotten_early`, how many answers it has forgotten before their time was over.
    """

    def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """Takes an event for an owner, or extends the owner's lease.

        Args:
            key: Names the event: 1 to 512 printable ASCII characters without spaces.
            owner: Names one handling of the event: a UUID.
            lease_time: Seconds that the lease runs from now. After it, another owner may take the event.

        """
        ...

    def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """Stores the answer of a handled event and ends the lease. Stores it too if the lease ran out and nothing
        happened since.

        Args:
            key: Names the event.
            owner: Names the handling.
            answer: JSON text of at most 24 kB.
            keep_time: Seconds to keep the answer from now.

        Returns:
            False if another owner has the event or has completed it. Nothing is changed then. If this owner has
            completed it before, its answer stays, and either value is right.

        """
        ...

    def release(self, key: str, owner: str, /) -> None:
        """Ends the owner's lease, so that the next copy is handled. Does nothing if the event is another owner's or
        completed.
        """
        ...


class AsyncEventStore(Protocol):
    """An `EventStore` for `AsyncWebhookReceiver`: the same methods, awaited."""

    async def claim(self, key: str, owner: str, lease_time: float, /) -> EventClaim:
        """See `EventStore.claim`."""
        ...

    async def complete(self, key: str, owner: str, answer: str, keep_time: float, /) -> bool:
        """See `EventStore.complete`."""
        ...

    async def release(self, key: str, owner: str, /) -> None:
        """See `EventStore.release`."""
        ...
