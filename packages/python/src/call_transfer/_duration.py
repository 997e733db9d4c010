"""Durations as people read them, waits of at least so long, and how often the same may be reported."""

import asyncio
import math
import time
from collections.abc import Callable

_EARLY = 0.016
"""Seconds by which an event loop may run a timer early: the resolution of its clock, which is coarse on Windows."""

_UNITS = ((31_536_000, "y"), (86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def format_duration(seconds: float) -> str:
    """A duration in its largest unit and, if anything is left, the next one: `8 y 80 d`, `1 h 30 min`, `2.5 s`, `250 ms`.

    Of less than an hour, also what is left of a second. Infinity is `forever`.
    """
    if math.isinf(seconds * 1000):
        return "forever"
    milliseconds = math.floor(seconds * 1000 + 0.5)
    if 0 < milliseconds < 1000:
        return f"{milliseconds} ms"
    tenths = (milliseconds + 50) // 100
    index = next((at for at, (size, _) in enumerate(_UNITS) if tenths >= size * 10), len(_UNITS) - 1)
    size, unit = _UNITS[index]
    if unit == "s":
        return f"{tenths / 10:g} s"
    next_size, next_unit = _UNITS[index + 1]
    whole, left = divmod(tenths, size * 10)
    rest = left / 10 if next_unit == "s" else left // (next_size * 10)
    return f"{whole} {unit}" if rest == 0 else f"{whole} {unit} {rest:g} {next_unit}"


async def sleep(seconds: float) -> None:
    """Sleeps for so long, and no shorter."""
    end = time.monotonic() + seconds
    await asyncio.sleep(seconds)
    left = end - time.monotonic()
    # A clock that is further back, or stands still, does not follow the loop, such as that of a test.
    if 0 < left < min(seconds, _EARLY):
        await asyncio.sleep(left + _EARLY)


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
