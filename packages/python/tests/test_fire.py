"""What the client says of placements and rotations under every fault of lab/simulate, over real sockets, and whether the judge can fail."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from fire import Judgement, fight

from call_transfer import _answer, _transport


@pytest.fixture(autouse=True)
def _quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "call_transfer")


def test_nothing_is_done_twice_and_no_outcome_is_wrong(mode: str) -> None:
    judgement = fight(mode, 400, "1")
    print(judgement.table())
    assert (judgement.twice, judgement.misreported) == ([], [])
    assert [fault for fault, counts in judgement.counts.items() if counts["requests"] < 10 or counts["met"] == 0] == []


def found(*faults: str, **retry: Any) -> Judgement:
    return fight("sync", 12 * len(faults), "1", faults=faults, retry=retry)


def test_the_judge_sees_a_client_that_repeats() -> None:
    assert found("processed_then_reset", "html_502", on_unknown_outcome="retry").twice != []


@pytest.mark.parametrize(
    ("outcome", "faults", "complaint"),
    [
        (lambda status: "rejected" if status >= 300 else "applied", ("status_500_after_apply",), "rejected, but it may have been"),
        (lambda status: "unknown", ("cross_origin_redirect",), "unknown, but it was refused"),
        (lambda status: "unknown", ("truncated_json",), "unknown, but it was answered by the API"),
        (lambda status: "applied", ("html_502", "black_hole"), "applied, but it"),
    ],
)
def test_the_judge_sees_wrong_outcomes(
    monkeypatch: pytest.MonkeyPatch, outcome: Callable[[int], str], faults: tuple[str, ...], complaint: str
) -> None:
    def wrong(status: int, *_: object, **__: object) -> str:
        return outcome(status)

    monkeypatch.setattr(_answer, "outcome_of_response", wrong)
    assert complaint in "\n".join(found(*faults, max_retries=0).misreported)


def test_the_judge_sees_a_client_that_forgets_what_it_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    def forget(*_: object) -> None:
        pass

    monkeypatch.setattr(_transport, "_mark", forget)
    wrong = found("processed_then_reset", "processed_then_black_hole", max_retries=0).misreported
    assert "not_sent, but it may have been carried out" in "\n".join(wrong)
