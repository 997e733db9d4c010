"""One handling of an event, as the owner in a store."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import cast

from ._codes import WebhookError
from ._effects import Do, Runtime, Signal, Start, Wait, Work
from ._steps import StoreSteps
from ._stores import AsyncEventStore, EventClaim, EventStore

LONGEST_HANDLING = 60.0
"""Seconds for which a lease is extended. A handling that never ends must not keep an event from other processes
forever.
"""

_FIRST_POLL, _LONGEST_POLL = 0.015, 0.2


@dataclass(frozen=True)
class OwnerSettings:
    """The options of receivers describe the fields. Times are in seconds."""

    store: EventStore | AsyncEventStore
    lease_time: float
    keep_time: float
    store_timeout: float


class OwnedEvent:
    def __init__(self, key: str, settings: OwnerSettings, steps: StoreSteps, runtime: Runtime) -> None:
        self.key = key
        self.owner = str(uuid.uuid4())
        self._settings = settings
        self._steps = steps
        self._runtime = runtime
        self._is_claimed = False
        """Whether the store answered a claim."""
        self._may_be_claimed = False
        """Whether a claim failed, which the store may execute later."""
        self._is_given_up = False

    @property
    def may_hold_lease(self) -> bool:
        """Whether a lease may be left in the store."""
        return self._is_claimed or self._may_be_claimed

    def claim(self, is_urgent: bool = False) -> Work[EventClaim]:
        started = self._runtime.now()
        claim = yield from self._claim_once(is_urgent)
        # After a stall, a lease that was given before it may be another owner's by now.
        is_over = claim.state == "mine" and self._runtime.now() - started >= self._settings.lease_time
        return (yield from self._claim_once(True)) if is_over else claim

    def _claim_once(self, is_urgent: bool) -> Work[EventClaim]:
        store, lease_time = self._settings.store, self._settings.lease_time
        has_begun = False

        def step() -> Work[EventClaim]:
            nonlocal has_begun
            has_begun = True
            given: object = yield Do(lambda: store.claim(self.key, self.owner, lease_time))
            state = getattr(given, "state", None)
            if self._is_given_up and state == "mine":
                # It comes late, and nobody waits for it any more.
                yield Do(lambda: store.release(self.key, self.owner))
            if state not in ("mine", "busy", "done"):
                raise TypeError("claim() of the event store must return a state of mine, busy, done.")
            return cast("EventClaim", given)

        try:
            claim = yield from self._steps.run(step, is_urgent)
        except BaseException:
            self._may_be_claimed |= has_begun
            raise
        self._is_claimed = True
        return claim

    def complete_once(self, answer: str) -> Work[bool]:
        """Stores the answer."""
        store, keep_time = self._settings.store, self._settings.keep_time

        def step() -> Work[bool]:
            return bool((yield Do(lambda: store.complete(self.key, self.owner, answer, keep_time))))

        return self._steps.run(step, True)

    def complete(self, answer: str) -> Work[bool]:
        """Stores the answer. After an error it tries again for `store_timeout`; once more at once, if the store failed
        from the start: a process may end after the answer, so that nothing can be tried later.
        """
        limit = self._settings.store_timeout if self._is_claimed else 2 * _FIRST_POLL
        until = self._runtime.now() + limit
        pause = _FIRST_POLL
        while True:
            try:
                return (yield from self.complete_once(answer))
            except Exception:
                if self._runtime.now() + pause > until:
                    raise
            yield Wait(None, pause)
            pause *= 2

    def release(self) -> Work[None]:
        """Ends the lease. A claim that is executed later is given back."""
        self._is_given_up = True
        store = self._settings.store

        def step() -> Work[None]:
            yield Do(lambda: store.release(self.key, self.owner))

        return self._steps.run(step, True)

    def claim_when_free(self, wait_time: float) -> Work[EventClaim]:
        """Claims until the event is this owner's or done, at least once, for so long. Then it raises."""
        failure: Exception | None = None
        waited = 0.0
        pause = _FIRST_POLL
        while True:
            started = self._runtime.now()
            yield Wait(None, max(0.0, min(pause, wait_time - waited)))
            try:
                claim = yield from self.claim()
                if claim.state != "busy":
                    return claim
            except Exception as error:
                failure = error
            waited += max(self._runtime.now() - started, pause)
            if waited >= wait_time:
                raise WebhookError("Another copy is still being handled.", "busy") from failure
            pause = min(pause * 1.5, _LONGEST_POLL)


class Lease:
    """Extends the lease of an event until `end`, or until another owner has the event."""

    def __init__(self, event: OwnedEvent, lease_time: float, runtime: Runtime) -> None:
        self._event = event
        self._interval = lease_time / 3
        self._over = runtime.signal()
        self._is_over = False
        self._runtime = runtime
        self._under_way: dict[Signal, None] = {}

    def keep(self) -> Work[None]:
        held = 0.0
        while True:
            yield Wait(self._over, self._interval)
            held += self._interval
            if self._is_over or held > LONGEST_HANDLING:
                return
            # A slow store may have several under way.
            ended = self._runtime.signal()
            self._under_way[ended] = None
            yield Start(self._extend(ended))

    def stop(self) -> None:
        self._is_over = True
        self._over.set()

    def end(self, wait_time: float) -> Work[None]:
        """Stops, and waits for extensions under way."""
        self.stop()
        for signal in list(self._under_way):
            yield Wait(signal, wait_time)

    def _extend(self, ended: Signal) -> Work[None]:
        try:
            claim = yield from self._event.claim(True)
            if claim.state != "mine":
                self.stop()
        except Exception:  # noqa: S110 - the next one may succeed, and complete() shows whether the lease was lost
            pass
        finally:
            del self._under_way[ended]
            ended.set()
