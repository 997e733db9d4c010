"""Durations in messages."""

from __future__ import annotations

import pytest

from call_transfer._duration import format_duration


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (0.25, "250 ms"),
        (0.9996, "1 s"),
        (2.5, "2.5 s"),
        (59.999, "1 min"),
        (61.5, "1 min 1.5 s"),
        (5430, "1 h 30 min"),
        (86_400, "1 d"),
        (259_200_000, "8 y 80 d"),
        (1e308, "forever"),
        (float("inf"), "forever"),
    ],
)
def test_a_duration_is_shown_in_its_largest_units(seconds: float, shown: str) -> None:
    assert format_duration(seconds) == shown
