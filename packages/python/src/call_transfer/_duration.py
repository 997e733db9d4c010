"""Durations as people read them, and waits of at least so long."""

import asyncio
import math
import time

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
