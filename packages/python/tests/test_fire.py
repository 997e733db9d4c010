"""What the client says of placements and rotations under every fault of lab/simulate, over real sockets, and whether the judge can fail."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest
from fire import fight

from call_transfer import _answer


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "call_transfer")


def test_nothing_is_done_twice_and_no_outcome_is_wrong(mode: str) -> None:
    judgement = fight(mode, 400, "1")
    assert (judgement.twice, judgement.misreported) == ([], [])
    assert [fault for fault, counts in judgement.counts.items() if counts["requests"] < 10 or counts["met"] == 0] == []


@pytest.mark.parametrize(
    ("outcome", "faults", "complaint"),
    [
        (lambda status: "rejected", ("status_500_after_apply",), "rejected, but it may have been"),
        (lambda status: "unknown", ("cross_origin_redirect",), "unknown, but it was refused"),
    ],
)
def test_the_judge_sees_wrong_outcomes_and_repetitions(
    monkeypatch: pytest.MonkeyPatch, outcome: Callable[[int], str], faults: tuple[str, ...], complaint: str
) -> None:
    def wrong(status: int, *_: object, **__: object) -> str:
        return outcome(status)

    monkeypatch.setattr(_answer, "outcome_of_response", wrong)
    assert complaint in "\n".join(fight("sync", 12, "1", faults=faults, retry={"max_retries": 0}).misreported)
    monkeypatch.undo()
    assert fight("sync", 12, "1", faults=("processed_then_reset",), retry={"on_unknown_outcome": "retry"}).twice != []
