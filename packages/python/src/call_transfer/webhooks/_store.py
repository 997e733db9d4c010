"""Event stores, by which processes share events: one of them handles an event, and all send its response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

from ._deduplicator import MAX_HANDLING, Handle, Handled, Report
from ._errors import Rejection, WebhookError, code_of, unavailable
from ._options import Settings
from ._response import response_of, text_of
from ._runtime import PerProcess, Runtime, Signal, TimeLimit

T = TypeVar("T")
_FIRST_POLL, _MAX_POLL = 0.015, 0.2
_MAX_COMPLETIONS = 6
"""How often a response is offered to a store that rejects it, but gives the event to no other owner."""


@dataclass(frozen=True)
class EventClaim:
    """The state of an event in a store."""

    state: Literal["claimed", "in_progress", "completed"]
    """
    `claimed`: the caller has the event. It was never received, its lease expired, or the caller had it already. `in_progress`:
    another owner has it, and its lease still runs. `completed`: it was handled.
    """
    response: str | None = None
    """The text that `complete` was given, if it is completed."""


class EventStore(Protocol):
    """Stores events that were received, and the responses to them. Processes that share a store handle each event once.

    Each method is one atomic step, also between processes and threads. For `AsyncWebhookHandler`, methods are async. If one raises,
    `on_store_error` decides. Keys are 1 to 512 printable ASCII characters without spaces. An owner is one handling of an event. Two
    attributes are optional: `max_concurrency`, the maximum number of steps at once, 100 by default; and `retention`, the seconds for
    which responses are kept.
    """

    def claim(self, key: str, owner: str, lease_duration: float, /) -> EventClaim | Awaitable[EventClaim]:
        """Takes an event for an owner, or extends the owner's lease. After so many seconds, another owner may take it."""
        ...

    def complete(self, key: str, owner: str, response: str, /) -> bool | Awaitable[bool]:
        """Stores the response of a handled event, JSON text of at most 24 kB, and ends the lease, also if it has expired and nothing
        happened since. Returns False, and changes nothing, if another owner has the event or has completed it. If this owner has
        completed it before, its response stays, and either value is right.
        """
        ...

    def release(self, key: str, owner: str, /) -> object:
        """Ends the owner's lease, so the next duplicate is handled. Does nothing if the event is another owner's or completed."""
        ...


class _Waiting(Signal):
    """A step that waits for its turn. It is set when it may run."""

    failure: BaseException | None = None
    """What it fails with instead."""


class _Turns:
    """Which steps may run, and which wait for that, in order."""

    def __init__(self, free: int) -> None:
        self.free = free
        # Steps of events being handled go first: their leases must not expire meanwhile.
        self.urgent: dict[_Waiting, None] = {}
        self.others: dict[_Waiting, None] = {}

    def pass_on(self) -> None:
        following = next(iter(self.urgent or self.others), None)
        if following is None:
            self.free += 1
        else:
            self.begin(following)

    def begin(self, waiting: _Waiting) -> None:
        self.urgent.pop(waiting, None)
        self.others.pop(waiting, None)
        waiting.set()


class _Steps:
    """Runs steps of a store: so many at once, each within its time, which excludes waiting for a turn."""

    def __init__(self, runtime: Runtime, max_concurrency: int, settings: Settings) -> None:
        self._runtime = runtime
        self._limit = settings.store_timeout
        self._max_wait = max(settings.store_timeout, settings.duplicate_wait)
        self._in_time = TimeLimit(runtime, max(max_concurrency, 100))
        self._turns = PerProcess(lambda: _Turns(max_concurrency))
        self._last_success = float("-inf")

    async def run(self, step: Callable[[], Awaitable[T]], is_urgent: bool) -> T:
        """Runs a step. A late step no longer counts as running."""
        turns = self._turns.get()
        if turns.free > 0:
            turns.free -= 1
        else:
            await self._turn(turns, turns.urgent if is_urgent else turns.others)
        started = self._runtime.now()
        try:
            late = WebhookError(f"The event store did not answer within {self._limit:g} s.", "store_timeout")
            result = await self._in_time.run(step, self._limit, late)
            self._last_success = self._runtime.now()
            return result
        except Exception as error:
            # If nothing has succeeded meanwhile, the store is down, and waiting steps need not find that out one by one.
            # A step that took far longer than it may shows only that this process was stopped, or is too busy.
            parts = (self._runtime.now() - started) / self._limit
            if 0.5 <= parts < 1.5 and self._last_success < started:
                for waiting in [*turns.urgent, *turns.others]:
                    waiting.failure = error
                    turns.begin(waiting)
            raise
        finally:
            turns.pass_on()

    async def _turn(self, turns: _Turns, line: dict[_Waiting, None]) -> None:
        waiting = _Waiting()
        line[waiting] = None
        try:
            await self._runtime.wait(waiting, self._max_wait)
        except BaseException:
            if waiting.done() and waiting.failure is None:
                turns.pass_on()
            raise
        finally:
            line.pop(waiting, None)
        if waiting.failure is not None:
            raise waiting.failure.with_traceback(None)
        if not waiting.done():
            problem = f"The event store was busy for {self._max_wait:g} s. Add connections or instances."
            raise WebhookError(problem, "store_timeout")


class _Event:
    """One handling of an event, as the owner in a store."""

    def __init__(self, of: StoreCoordinator, key: str, owner: str, until: float) -> None:
        self._of = of
        self._key = key
        self._owner = owner
        self._until = until
        self._is_claimed = False
        """Whether the store answered a claim."""
        self._may_be_claimed = False
        """Whether a claim was sent, which the store may execute later."""
        self._ended = Signal()
        """Set when the lease is no longer extended."""
        self._is_given_up = False
        """Whether a claim that comes later is given back. An owner that lost the event may still get it again, to complete it."""

    async def _run(self, name: Literal["complete", "release"], *args: object) -> Any:
        """Runs an urgent step of this owner."""
        of, method = self._of, getattr(self._of.store, name)
        return await of.steps.run(lambda: of.runtime.call(lambda: method(self._key, self._owner, *args)), True)

    async def claim(self, *, is_urgent: bool = False) -> EventClaim:
        of = self._of

        async def step() -> EventClaim:
            self._may_be_claimed = True
            claim: EventClaim = await of.runtime.call(lambda: of.store.claim(self._key, self._owner, of.settings.lease_duration))
            state = getattr(claim, "state", None)
            if self._is_given_up and state == "claimed":
                await of.runtime.call(lambda: of.store.release(self._key, self._owner))
            if state not in ("claimed", "in_progress", "completed"):
                raise TypeError("claim() of the event store must return a state of claimed, in_progress, completed.")
            return claim

        started = of.runtime.now()
        claim = await of.steps.run(step, is_urgent)
        # After a stall, a lease that was given before it may be another owner's by now.
        if claim.state == "claimed" and of.runtime.now() - started >= of.settings.lease_duration:
            claim = await of.steps.run(step, True)
        self._is_claimed = True
        return claim

    async def claim_when_free(self, until: float) -> EventClaim:
        """Claims the event until it is this owner's or completed, at least once. Then raises."""
        runtime = self._of.runtime
        failure: Exception | None = None
        left, pause = max(0.0, until - runtime.now()), _FIRST_POLL
        while True:
            started = runtime.now()
            await runtime.wait(None, min(pause, left))
            try:
                claim = await self.claim()
                if claim.state != "in_progress":
                    return claim
            except Exception as error:
                failure = error
            # At least the pause, also with a clock that stands still.
            left -= max(runtime.now() - started, pause)
            if left <= 0:
                raise unavailable("duplicate_timeout") from failure
            pause = min(pause * 1.5, _MAX_POLL)

    async def find(self) -> str | None:
        """The stored response; None if the event must be handled here."""
        try:
            claim = await self.claim()
            if claim.state == "in_progress":
                claim = await self.claim_when_free(self._until)
            if claim.state == "claimed":
                return None
            # Read now: a text that is not a response counts as a failed store.
            response_of(claim.response)
            return claim.response
        except Exception as error:
            is_rejected = isinstance(error, Rejection)
            if not is_rejected and self._of.settings.on_store_error == "handle":
                await self._of.report(error)
                return None
            if self._may_be_claimed:
                self._of.runtime.start(self._give_back())
            if is_rejected:
                raise
            raise unavailable(code_of(error, "store_failed")) from error

    async def _give_back(self) -> None:
        # After a failure, the lease expires.
        with suppress(Exception):
            await self.release()

    async def extend(self) -> None:
        """Extends the lease while the event is handled, until another owner has it."""
        runtime = self._of.runtime
        until = runtime.now() + MAX_HANDLING
        while runtime.now() < until:
            await runtime.wait(self._ended, self._of.settings.lease_duration / 3)
            if self._ended.done():
                return
            # In the background: a slow store may have several at once.
            runtime.start(self._extend())

    async def _extend(self) -> None:
        # After a failure, the next one may succeed, and complete() shows whether the lease was lost.
        with suppress(Exception):
            if (await self.claim(is_urgent=True)).state != "claimed":
                self._ended.set()

    def give_up(self) -> None:
        """Ends the extensions. A claim that comes later is given back."""
        self._is_given_up = True
        self._ended.set()

    async def release(self) -> None:
        """Ends the lease."""
        self.give_up()
        await self._run("release")

    async def complete(self, text: str) -> str:
        """Stores the response. Returns the stored one, which is another if another owner completed the event before."""
        for _ in range(_MAX_COMPLETIONS):
            if await self._complete(text):
                return text
            claim = await self.claim_when_free(self._of.runtime.now() + self._of.settings.duplicate_wait)
            # Otherwise the other owner failed, so this response counts.
            if claim.state == "completed":
                response_of(claim.response)
                # A step that failed may have stored it.
                if claim.response is not None and claim.response != text:
                    reason = "its lease expired before it was extended, or the event store failed"
                    message = f"The event {self._key} was handled twice: {reason}. The response stored first was sent."
                    await self._of.report(WebhookError(message, "handled_twice"))
                return claim.response or text
        raise TypeError("complete() of the event store must return True.")

    async def _complete(self, text: str) -> bool:
        """Tries again for `store_timeout` after an error, or once if the store failed from the start: a process may end after its
        response.
        """
        runtime = self._of.runtime
        until = runtime.now() + (self._of.settings.store_timeout if self._is_claimed else 2 * _FIRST_POLL)
        pause = _FIRST_POLL
        while True:
            try:
                return bool(await self._run("complete", text))
            except Exception:
                if runtime.now() + pause > until:
                    raise
            await runtime.wait(None, pause)
            pause *= 2


class StoreCoordinator:
    """Handles events in one of the processes that share a store."""

    def __init__(self, runtime: Runtime, store: EventStore, settings: Settings, report: Report) -> None:
        self.runtime = runtime
        self.store = store
        self.settings = settings
        self.report = report
        self.steps = _Steps(runtime, int(getattr(store, "max_concurrency", 100)), settings)

    async def coordinate(self, key: str, owner: str, handle: Handle, until: float) -> Handled:
        event = _Event(self, key, owner, until)
        stored = await event.find()
        if stored is not None:
            return Handled(response_of(stored), stored)
        self.runtime.start(event.extend())
        try:
            response = await self.runtime.call(handle)
            text = text_of(response, owner)
        except GeneratorExit:
            raise
        except BaseException:
            await self._release(event)
            raise
        if response.status >= 500:
            await self._release(event)
            return Handled(response, None)
        try:
            stored = await event.complete(text)
            return Handled(response if stored == text else response_of(stored), stored)
        except Rejection:
            raise
        except Exception as error:
            # It was handled, so its own response is right.
            await self.report(error)
            return Handled(response, text)
        finally:
            event.give_up()

    async def _release(self, event: _Event) -> None:
        try:
            await event.release()
        except Exception as error:
            await self.report(error)

    async def check(self, owner: str) -> None:
        """Claims and releases an event of its own. Raises if the store fails."""
        event = _Event(self, f"check:{owner}", owner, self.runtime.now())
        await event.claim(is_urgent=True)
        await event.release()
