"""What an attempt changed on the server, as far as its response or its error tells, and the period in which it may have done so, by
the server's clock if an answer showed it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from ._errors import OutcomeWindow, RequestOutcome
from ._generated.codes import EFFECT_FREE_CODES
from ._retry import time_of

_BY_CERTAINTY: tuple[RequestOutcome, ...] = ("not_sent", "rejected", "unknown", "applied")

UNSENT_ERRORS = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout", "ProxyError", "UnsupportedProtocol"})
"""Errors of httpx2 and httpcore2 from before a connection exists. For clients that do not report what they sent."""


def combine(one: RequestOutcome, other: RequestOutcome) -> RequestOutcome:
    """Combines the outcomes of two attempts. `unknown` stays: a later rejection says nothing about an earlier attempt."""
    return one if _BY_CERTAINTY.index(one) > _BY_CERTAINTY.index(other) else other


def is_effect_free(status: int | None, code: str | None) -> bool:
    """Returns whether a response is a 503 that had no effect, if assumption A-28 is right."""
    return status == 503 and code in EFFECT_FREE_CODES


def media_type(content_type: str | None) -> str:
    """Returns the media type of a response, without parameters."""
    return (content_type or "").split(";")[0].strip().lower()


def is_json_type(kind: str) -> bool:
    """Returns whether a media type is JSON."""
    main, _, sub = kind.partition("/")
    return main != "" and "/" not in main and (sub == "json" or (sub.endswith("+json") and sub != "+json"))


def outcome_of_response(status: int, code: str | None, content_type: str | None, *, trust_503_codes: bool) -> RequestOutcome:
    """Returns the effect of an attempt by its response."""
    if 200 <= status < 300:
        kind = media_type(content_type)
        # A success that is not JSON does not come from the API. JSON without a label often gets plain text.
        return "applied" if kind in ("", "application/json", "text/plain") or is_json_type(kind) else "unknown"
    if trust_503_codes and is_effect_free(status, code):
        return "rejected"
    return "rejected" if 300 <= status < 500 and status != 408 else "unknown"


def proves_unsent(error: BaseException) -> bool:
    """Returns whether an error of a client proves that no byte of the request was sent."""
    return type(error).__name__ in UNSENT_ERRORS and type(error).__module__.split(".")[0] in ("httpx2", "httpcore2")


_CORRECTED_TOLERANCE = 5.0
"""Seconds by which an answer's `Date` may differ from the server's clock: it shows whole seconds, and an answer travels."""

_UNCORRECTED_TOLERANCE = 300.0
"""Seconds that a caller's own clock may be off."""

_LATEST_DATE = 7_258_118_400.0
"""The year 2200, which no right clock shows."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment by the caller's two clocks. The first may be corrected, and the second may stand still while the machine sleeps."""

    now: float
    elapsed: float


@dataclass(frozen=True, slots=True)
class DatedAnswer(Moment):
    """The `Date` of an answer by the server's clock, and when it arrived."""

    date: float


class ServerTime:
    """Keeps the newest `Date` of a server, for a client and its copies."""

    def __init__(self) -> None:
        self.newest: DatedAnswer | None = None
        self._noted: tuple[str, float] | None = None

    def note(self, text: str | None, moment: Moment) -> None:
        """Notes the `Date` header of an answer. One that no correct clock shows is ignored."""
        if text is None:
            return
        # Parsing takes as long as much of an attempt, and many answers arrive in the same second.
        noted = self._noted
        date = noted[1] if noted is not None and noted[0] == text else time_of(text)
        if date is None or not 0 <= date < _LATEST_DATE:
            return
        self._noted = (text, date)
        self.newest = DatedAnswer(moment.now, moment.elapsed, date)


def _between(start: Moment, end: Moment) -> tuple[float, float]:
    """Seconds between two moments by both clocks, the shorter first, and never less than 0."""
    spans = (end.now - start.now, end.elapsed - start.elapsed)
    return max(0.0, min(spans)), max(0.0, *spans)


def _is_in_step(before: DatedAnswer, after: DatedAnswer) -> bool:
    """Whether the server's clock went on as the caller's did. One that stands still, or is set, belongs to a test."""
    least, most = _between(before, after)
    passed = after.date - before.date
    return most - _CORRECTED_TOLERANCE <= passed <= least + _CORRECTED_TOLERANCE


def _begun_at(begun: Moment, before: DatedAnswer | None, newest: DatedAnswer | None) -> float | None:
    """The server's time when the request began, or earlier."""
    after = newest if newest is not before else None
    early = None if after is None else after.date - _between(begun, after)[1]
    if before is None:
        return early
    late = before.date + _between(before, begun)[0]
    if early is None or after is None:
        return late
    return min(early, late if _is_in_step(before, after) else before.date)


def iso(time: float) -> str:
    """Returns seconds since the epoch as ISO 8601 with milliseconds, as the API writes them."""
    return datetime.fromtimestamp(round(time, 3), UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def window_of(begun: Moment, ended: Moment, before: DatedAnswer | None, newest: DatedAnswer | None) -> OutcomeWindow:
    """Returns the period in which the request may have been carried out. By the caller's clock, it is five minutes wider."""
    start = _begun_at(begun, before, newest)
    lasted = _between(begun, ended)[1]
    if start is None or newest is None:
        # A clock that was set meanwhile shows two times of the beginning, and of the end.
        first, last = min(begun.now, ended.now - lasted), max(ended.now, begun.now + lasted)
        return OutcomeWindow(iso(first - _UNCORRECTED_TOLERANCE), iso(last + _UNCORRECTED_TOLERANCE), by_server_clock=False)
    end = max(start + lasted, newest.date - _between(ended, newest)[0])
    return OutcomeWindow(iso(start - _CORRECTED_TOLERANCE), iso(end + _CORRECTED_TOLERANCE), by_server_clock=True)


def is_other_start(read: str, window: OutcomeWindow) -> bool:
    """Whether a list that was read from some time on lacks the beginning of a window, or holds much that was before it."""
    extra = (time_of(window.start) or 0.0) - (time_of(read) or 0.0)
    return extra < 0 or extra > _UNCORRECTED_TOLERANCE
