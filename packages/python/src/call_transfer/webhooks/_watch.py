"""Notices that this machine's clock is off: then every genuine webhook is refused."""

from __future__ import annotations

from collections.abc import Callable

_REFUSALS_IN_A_ROW = 5
"""A replayed webhook has one time. So many different ones in a row mean the clock."""

_SPREAD = 30.0
"""How much the ages may differ, in seconds: by the time that deliveries take."""

_PAUSE = 60.0
_MOST_CAUSES = 100


class OnceAMinute:
    """Decides whether to report a cause: once a minute."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._reported: dict[str, tuple[float, int]] = {}

    def may_report(self, cause: str) -> int | None:
        """Returns how many reports were left out since the last one; None to leave this one out."""
        now = self._now()
        last, left = self._reported.get(cause, (now - _PAUSE, 0))
        if now - last < _PAUSE:
            self._reported[cause] = (last, left + 1)
            return None
        self._reported = {one: seen for one, seen in self._reported.items() if now - seen[0] < _PAUSE}
        if len(self._reported) >= _MOST_CAUSES:
            return None
        self._reported[cause] = (now, 0)
        return left


class ClockWatch:
    """Ages in seconds by the time of the signature, of the last refusals in a row."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._ages: dict[str, float] = {}
        self._reports = OnceAMinute(now)

    def accept(self) -> None:
        """A webhook was accepted."""
        self._ages.clear()

    def refuse(self, timestamp: str, age: float) -> str | None:
        """A genuine webhook was refused because of its time. Returns what to report, once a minute."""
        self._ages.pop(timestamp, None)
        self._ages[timestamp] = age
        while len(self._ages) > _REFUSALS_IN_A_ROW:
            del self._ages[next(iter(self._ages))]
        problem = self.problem
        return problem if problem is not None and self._reports.may_report("") is not None else None

    @property
    def problem(self) -> str | None:
        """What is wrong now; None if nothing is known to be."""
        ages = list(self._ages.values())
        if len(ages) < _REFUSALS_IN_A_ROW or max(ages) - min(ages) > _SPREAD:
            return None
        seconds = round(ages[-1])
        difference = f"{abs(seconds)} s {'behind' if seconds > 0 else 'ahead of'} this machine's clock"
        return f"The last {len(ages)} genuine webhooks were signed at times {difference}. Check this machine's clock."
