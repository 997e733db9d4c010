"""Durations in messages, and waits."""

from __future__ import annotations

import asyncio
import time

import pytest

from call_transfer._duration import format_duration, sleep


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.25, "250 ms"),
        (0.9996, "1 s"),
        (59.999, "1 min"),
        (61.5, "1 min 1.5 s"),
        (5430, "1 h 30 min"),
        (259_200_000, "8 y 80 d"),
        (float("inf"), "forever"),
    ],
)
def test_a_duration_is_shown_in_its_largest_units(seconds: float, shown: str) -> None:
    assert format_duration(seconds) == shown


@pytest.mark.parametrize("early", [0.001, 0.002, 0.0155])
def test_a_wait_is_no_shorter_where_an_event_loop_is_early(early: float, monkeypatch: pytest.MonkeyPatch) -> None:
    real = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda seconds: real(max(0, seconds - early)))
    start = time.monotonic()
    asyncio.run(sleep(0.05))
    assert time.monotonic() - start >= 0.05


def test_a_wait_ends_although_the_clock_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 5.0)
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    work = sleep(0.001)
    with pytest.raises(StopIteration):
        work.send(None)
    assert waits == [0.001]
