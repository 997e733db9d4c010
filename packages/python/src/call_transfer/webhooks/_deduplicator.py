"""Handles each event once in this process, and answers every duplicate alike, whatever a store does."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from ._errors import Rejection, WebhookError, unavailable
from ._options import Settings
from ._response import WebhookResponse, response_of, text_of
from ._runtime import PerProcess, Runtime, Signal

MAX_HANDLING = 60.0
"""Seconds after which `on_event` counts as one that never returns, and must not keep its event forever."""

_MAX_CHARACTERS = 16 * 1024 * 1024
"""Maximum length of all remembered responses. Most have about 90 characters."""


class Handled(NamedTuple):
    response: WebhookResponse
    stored: str | None
    """The response for duplicates; None if the next one is to be handled."""


Handle = Callable[..., Awaitable[WebhookResponse]]
"""Calls `on_event`, with the transaction of an inbox."""
Coordinate = Callable[[str, str, Handle, float], Awaitable[Handled]]
"""Handles an event, given by its key, for an owner, or finds the response of another process, for which it waits until a time."""
Report = Callable[[BaseException], Awaitable[None]]
"""Reports an error of a store, or a `WebhookError` by its code."""


def alone(runtime: Runtime) -> Coordinate:
    """For one process."""

    async def coordinate(_key: str, owner: str, handle: Handle, _until: float) -> Handled:
        response = await runtime.call(handle)
        return Handled(response, text_of(response, owner) if response.status < 500 else None)

    return coordinate


class _InFlight(Signal):
    """An event that one of its deliveries has, while duplicates wait. It is set at the end."""

    def __init__(self, until: float) -> None:
        super().__init__()
        self.until = until
        self.stored: str | None = None
        self.rejection: Rejection | None = None


class Deduplicator:
    """The events of one handler in this process."""

    def __init__(self, runtime: Runtime, coordinate: Coordinate, settings: Settings, keep: float, report: Report) -> None:
        self._runtime = runtime
        self._coordinate = coordinate
        self._settings = settings
        self._keep = keep
        """Seconds before which an eviction is reported; 0 if a store has the responses too."""
        self._report = report
        # A walk over a dict passes the places of all that were deleted since it last grew; this one does not.
        self._responses: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._characters = 0
        self._evicted = 0
        self._in_flight: PerProcess[dict[str, _InFlight]] = PerProcess(dict)

    async def handle(self, key: str, handle: Handle) -> WebhookResponse:
        """Handles an event, or waits for its response. After an error or a 5xx, the next duplicate is handled."""
        until = self._runtime.now() + self._settings.duplicate_wait
        while True:
            remembered = self._responses.get(key)
            if remembered is not None:
                return response_of(remembered[0])
            current = self._in_flight.get().get(key)
            if current is None or self._runtime.now() >= current.until:
                return await self._lead(key, handle, until)
            await self._runtime.wait(current, max(0.0, min(until, current.until) - self._runtime.now()))
            if current.rejection is not None:
                raise current.rejection.copy() from current.rejection.__cause__
            if current.stored is not None:
                return response_of(current.stored)
            if not current.done() and self._runtime.now() < current.until:
                raise unavailable("duplicate_timeout")

    async def _lead(self, key: str, handle: Handle, until: float) -> WebhookResponse:
        longest = self._runtime.now() + self._settings.duplicate_wait + MAX_HANDLING
        in_flight = self._in_flight.get()
        current = in_flight[key] = _InFlight(longest)
        try:
            response, stored = await self._coordinate(key, str(uuid.uuid4()), handle, until)
            if stored is not None:
                current.stored = self._remember(key, stored)
                if current.stored != stored:
                    response = response_of(current.stored)
        except Rejection as rejection:
            # Others would only find the same. A delivery that has waited for too long says nothing about them.
            if rejection.code != "duplicate_timeout":
                current.rejection = rejection
            raise
        finally:
            current.set()
            if in_flight.get(key) is current:
                del in_flight[key]
        await self._evict()
        return response

    def _remember(self, key: str, stored: str) -> str:
        """Returns the response of the event: the first one, also if a handling that took too long ends after another."""
        if key not in self._responses:
            self._characters += len(stored)
            self._responses[key] = (stored, self._runtime.now())
        return self._responses[key][0]

    async def _evict(self) -> None:
        """Evicts the oldest responses. Reports the first that is evicted too early, and each time there are ten times as many."""
        early = self._evicted
        while len(self._responses) > self._settings.max_answers or self._characters > _MAX_CHARACTERS:
            _, (stored, at) = self._responses.popitem(last=False)
            self._characters -= len(stored)
            self._evicted += self._runtime.now() - at < self._keep
        if self._evicted > early and len(str(self._evicted)) > len(str(early or "")):
            message = (
                f"{self._evicted} responses were evicted within {self._keep:g} s, so their duplicates may be handled again. "
                "Raise max_answers, or use a store."
            )
            await self._report(WebhookError(message, "store_evicted_early"))
