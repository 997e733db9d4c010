"""Handles each event once and gives every copy the same answer, also across processes. What this process has in hand or
has answered itself, it knows without the store.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ._answer import WebhookResponse, answer_of, response_of
from ._codes import Refusal, WebhookError, WebhookErrorCode, code_of, unavailable
from ._effects import Runtime, Signal, Start, Wait, Work
from ._later import Later, LaterStep
from ._memory import KeptAnswers
from ._owned import LONGEST_HANDLING, Lease, OwnedEvent, OwnerSettings
from ._steps import StoreSteps

_COMPLETE_TRIES = 5
"""How often an answer is offered again to a store that refuses it, but gives the event to no other owner."""

_GIVE_BACK = 60.0
"""Seconds for which a lease that may be left is given back."""


@dataclass(frozen=True)
class OnceSettings(OwnerSettings):
    """How to handle events once. The options of receivers describe the fields. Times are in seconds."""

    duplicates: Literal["answer", "refuse"]
    on_store_error: Literal["handle", "refuse"]
    wait_time: float
    clock: Callable[[], float]


class Handled(NamedTuple):
    response: WebhookResponse
    is_copy: bool
    """Whether it is the answer of another copy."""


class _InHand:
    """An event that one copy in this process has in hand, while others wait for what becomes of it."""

    def __init__(self, ended: Signal, until: float) -> None:
        self.ended = ended
        self.until = until
        """After this, the handling may never end, and a copy may be handled."""
        self.has_ended = False
        self.answer: str | None = None
        self.refusal: Refusal | None = None

    def share(self, answer: str | None = None, refusal: Refusal | None = None) -> None:
        """The first end counts. Without both, the next copy is handled."""
        if not self.has_ended:
            self.has_ended, self.answer, self.refusal = True, answer, refusal
            self.ended.set()


Report = Callable[[BaseException, WebhookErrorCode], Work[None]]


class Once:
    """The events of one receiver."""

    def __init__(self, settings: OnceSettings, runtime: Runtime, report: Report) -> None:
        self._settings = settings
        self._runtime = runtime
        self._report = report
        at_once = int(getattr(settings.store, "steps_at_once", 100))
        self._steps = StoreSteps(runtime, at_once, settings.store_timeout, settings.wait_time)
        self._later = Later(runtime)
        self._in_hand: dict[str, _InHand] = {}
        self._answers = KeptAnswers()
        self._reported_forgotten = 0

    def handle(self, key: str, handle: Callable[[], Work[WebhookResponse]]) -> Work[Handled]:
        """Handles an event, or waits for its answer. Errors and 5xx are not stored, so that a later copy is handled."""
        until = self._runtime.now() + self._settings.wait_time
        while True:
            answer = self._answers.get(key, self._settings.clock())
            current = self._in_hand.get(key)
            if answer is None and current is None:
                return (yield from self._take_in_hand(key, handle, until))
            if self._settings.duplicates == "refuse":
                raise _duplicate()
            if answer is None and current is not None:
                now = self._runtime.now()
                if now >= current.until:
                    self._let_go(key, current)
                    continue
                if not current.has_ended:
                    yield Wait(current.ended, max(0.0, min(until, current.until) - now))
                if not current.has_ended:
                    if self._runtime.now() >= current.until:
                        continue
                    raise unavailable("busy")
                if current.refusal is not None:
                    raise current.refusal.again() from current.refusal.__cause__
                answer = current.answer
            if answer is not None:
                return Handled(response_of(answer), True)

    def check(self, scope: str) -> Work[None]:
        """Takes and gives back an event of its own. Raises if the store fails."""
        event = OwnedEvent(f"{scope}:check:{uuid.uuid4()}", self._settings, self._steps, self._runtime)
        yield from event.claim(True)
        yield from event.release()

    def _take_in_hand(self, key: str, handle: Callable[[], Work[WebhookResponse]], until: float) -> Work[Handled]:
        longest = self._runtime.now() + self._settings.wait_time + LONGEST_HANDLING
        current = self._in_hand[key] = _InHand(self._runtime.signal(), longest)
        event = OwnedEvent(key, self._settings, self._steps, self._runtime)
        try:
            stored = yield from self._stored_answer(event, until)
            if stored is not None:
                response = response_of(stored)
                self._remember(key, stored)
                current.share(stored)
                return Handled(response, True)
            return (yield from self._handle_and_store(event, handle, current))
        except Refusal as refusal:
            # Those that wait would only find out the same. A copy that has waited for too long says nothing about
            # others.
            if refusal.code != "busy":
                current.share(refusal=refusal)
            raise
        finally:
            current.share()
            self._let_go(key, current)

    def _let_go(self, key: str, current: _InHand) -> None:
        if self._in_hand.get(key) is current:
            del self._in_hand[key]

    def _remember(self, key: str, answer: str) -> None:
        now = self._settings.clock()
        self._answers.set(key, answer, now + self._settings.keep_time)
        self._answers.forget_old(now)

    def _stored_answer(self, event: OwnedEvent, until: float) -> Work[str | None]:
        """The answer to an event that is handled already; None if this copy must be handled."""
        try:
            claim = yield from event.claim()
            self._later.wake()
            if claim.state == "mine":
                return None
            if self._settings.duplicates == "refuse":
                raise _duplicate()
            if claim.state == "busy":
                claim = yield from event.claim_when_free(max(0.0, until - self._runtime.now()))
            if claim.state != "done":
                return None
            # Now, because a text that is no answer is as if the store had failed.
            response_of(claim.answer)
            return claim.answer
        except Refusal:
            raise
        except Exception as error:
            code = code_of(error, "store_failed")
            if code != "busy" and self._settings.on_store_error == "handle":
                yield from self._report(error, code)
                return None
            yield from self._give_back(event)
            raise unavailable(code) from (error.__cause__ if code == "busy" else error)

    def _give_back(self, event: OwnedEvent) -> Work[None]:
        """Releases a lease that the store may have given, or may give later."""
        if not event.may_hold_lease:
            return

        def attempt() -> Work[bool]:
            yield from event.release()
            return True

        def give_up() -> Work[None]:
            # A lease runs out by itself, too.
            yield from ()

        def release() -> Work[None]:
            until = self._runtime.now() + _GIVE_BACK
            try:
                yield from attempt()
            except Exception:
                yield from self._later.add(LaterStep(until, attempt, give_up))

        yield Start(release())

    def _handle_and_store(self, event: OwnedEvent, handle: Callable[[], Work[WebhookResponse]], current: _InHand) -> Work[Handled]:
        lease = Lease(event, self._settings.lease_time, self._runtime)
        yield Start(lease.keep())
        try:
            response = yield from handle()
        except GeneratorExit:
            raise
        except BaseException:
            yield from self._release(event, lease)
            raise
        if response.status >= 500:
            yield from self._release(event, lease)
            return Handled(response, False)
        answer = answer_of(response, event.owner)
        try:
            other = yield from self._store_or_find(event, answer)
            self._remember(event.key, other or answer)
            current.share(other or answer)
            return Handled(response if other is None else response_of(other), False)
        except Refusal:
            raise
        except Exception as error:
            # It was handled, so its own answer is true.
            self._remember(event.key, answer)
            current.share(answer)
            yield from self._report(error, code_of(error, "store_failed"))
            yield from self._store_later(event, answer)
            return Handled(response, False)
        finally:
            lease.stop()

    def _release(self, event: OwnedEvent, lease: Lease) -> Work[None]:
        yield from lease.end(self._settings.wait_time + self._settings.store_timeout)
        try:
            yield from event.release()
        except Exception as error:
            yield from self._report(error, code_of(error, "store_failed"))
            yield from self._give_back(event)

    def _store_or_find(self, event: OwnedEvent, answer: str) -> Work[str | None]:
        """Stores the answer. Returns another one if another owner completed the event before."""
        for _ in range(_COMPLETE_TRIES + 1):
            if (yield from event.complete(answer)):
                yield from self._check_memory()
                return None
            try:
                claim = yield from event.claim_when_free(self._settings.wait_time)
            except WebhookError as error:
                if error.code != "busy":
                    raise
                raise unavailable("busy") from error.__cause__
            # Otherwise the other owner failed, so this answer counts.
            if claim.state == "done":
                response_of(claim.answer)
                return (yield from self._other_answer(event, answer, claim.answer))
        raise TypeError("complete() of the event store must return True.")

    def _other_answer(self, event: OwnedEvent, answer: str, stored: str | None) -> Work[str | None]:
        """The stored answer, if it is another one."""
        # A step that failed may have stored it.
        if stored == answer:
            return None
        reason = "its lease ran out before it was extended, or the event store failed"
        message = f"The event {event.key} was handled twice: {reason}. The answer stored first was sent."
        yield from self._report(WebhookError(message, "handled_twice"), "handled_twice")
        return stored

    def _store_later(self, event: OwnedEvent, answer: str) -> Work[None]:
        """Tries to store an answer that was sent, until it holds or the time to keep it is over."""

        def attempt() -> Work[bool]:
            if (yield from event.complete_once(answer)):
                return True
            claim = yield from event.claim(True)
            # The copies here keep the answer that was sent.
            if claim.state == "done":
                yield from self._other_answer(event, answer, claim.answer)
            return claim.state == "done"

        def give_up() -> Work[None]:
            message = f"The answer to the event {event.key} was never stored. Check the event store."
            yield from self._report(WebhookError(message, "answer_not_stored"), "answer_not_stored")

        until = self._runtime.now() + self._settings.keep_time
        yield from self._later.add(LaterStep(until, attempt, give_up))

    def _check_memory(self) -> Work[None]:
        """Says when the store forgets: at the first answer, and each time there are ten times as many."""
        forgotten = int(getattr(self._settings.store, "forgotten_early", 0))
        if forgotten < max(1, self._reported_forgotten * 10):
            return
        self._reported_forgotten = forgotten
        message = (
            f"The event store forgot answers before keep_time was over ({forgotten} so far). Copies may be handled again. "
            "Raise its max_events or use a shared store."
        )
        yield from self._report(WebhookError(message, "store_forgets"), "store_forgets")


def _duplicate() -> Refusal:
    return Refusal("This webhook was received before.", "duplicate", 409)
