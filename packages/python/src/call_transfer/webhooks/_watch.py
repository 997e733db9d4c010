"""Notices that this machine's clock is off: then every genuine webhook is refused."""

from __future__ import annotations

from collections.abc import Callable

from .._duration import OnceAMinute

_REFUSALS_IN_A_ROW = 5
"""A replayed webhook has one time. So many different ones in a row mean the clock."""

_SPREAD = 30.0
"""How much the ages may differ, in seconds: by the time that deliveries take."""


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
