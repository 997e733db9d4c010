"""Judges what a client said of its requests, by what the server says that it carried out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fire_answers import EFFECT_FREE
from fire_server import FAULTS

from call_transfer import OutcomeUnknownError, RequestError

OUTCOMES = ("success", "not_sent", "rejected", "applied", "unknown")


@dataclass
class Request:
    """A placement or a rotation, and what the client said of it."""

    id: str
    fault: str
    """The fault of its first attempt."""
    trusts: bool
    is_placement: bool
    outcome: str = ""
    error: Exception | None = None
    result: str = ""
    """The ID in the answer."""


@dataclass
class Judgement:
    """What was wrong, and the counts by fault."""

    twice: list[str] = field(default_factory=list[str])
    misreported: list[str] = field(default_factory=list[str])
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {fault: Counter[str]() for fault in sorted(FAULTS)})

    def table(self) -> str:
        columns = ("requests", "met", "carried out", *OUTCOMES, "twice", "misreported")
        total = sum(self.counts.values(), Counter[str]())
        rows = [*self.counts.items(), ("all", total)]
        lines = [f"{'fault':26}" + "".join(f"{column:>13}" for column in columns)]
        lines += [f"{name:26}" + "".join(f"{counts[column]:>13}" for column in columns) for name, counts in rows]
        return "\n".join(lines)


def refused_for_sure(request: Request, attempt: Any) -> bool:
    """Whether what an attempt got leaves no doubt that it had no effect."""
    if attempt.error is not None:
        return request.fault in ("refused", "dns")
    trusted = request.trusts and attempt.status == 503 and attempt.code in EFFECT_FREE
    return trusted or (300 <= attempt.status < 500 and attempt.status != 408)


def problem_of(request: Request, runs: int, arrived: int) -> str | None:
    """What is wrong with what the client said, given how often the request was carried out and arrived."""
    said, error = request.outcome, request.error
    if said not in OUTCOMES:
        return f"raised {error!r}"
    if said == "success":
        return None if runs == 1 and request.result == request.id else f"success with {request.result!r}"
    assert isinstance(error, RequestError)
    attempts = error.attempts
    answered = [attempt.status for attempt in attempts if attempt.status is not None]
    is_success = len(attempts) == 1 and any(200 <= status < 300 for status in answered)
    problems = {
        "may have been carried out": said in ("not_sent", "rejected") and runs != 0,
        "was not carried out": said == "applied" and runs != 1,
        "no success answered": said == "applied" and not any(200 <= status < 300 for status in answered),
        "was answered": said == "not_sent" and bool(answered),
        "was not answered": said == "rejected" and not answered,
        "was refused without doubt": said == "unknown" and all(refused_for_sure(request, attempt) for attempt in attempts),
        "was answered by the API with a success": said == "unknown" and is_success and request.fault != "wrong_content_type",
        "is of the wrong class": (said in ("applied", "unknown")) is not isinstance(error, OutcomeUnknownError),
        f"has {len(attempts)} attempts and arrived {arrived} times": arrived > len(attempts),
    }
    return next((f"{said}, but it {problem}" for problem, found in problems.items() if found), None)
