"""The vectors of the contract package, which every client runs, in whatever language."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from call_transfer import ApiError, CallTransferError, InvalidArgumentError, RequestError
from call_transfer._auth import Auth
from call_transfer._call import Received, Send, Sleep, Steps, prepare
from call_transfer._core import send
from call_transfer._generated.operations import OPERATIONS
from call_transfer._operation import check_path, expand_path, serialize_query
from call_transfer._options import RetryPolicy, Settings
from call_transfer._outcome import outcome_of_response
from call_transfer._reconcile import ListReader
from call_transfer._redact import Secret, mask_numbers, redact
from call_transfer._retry import retry_hint

FOLDER = Path(__file__).parents[2] / "contract" / "vectors"


def cases(name: str) -> pytest.MarkDecorator:
    loaded: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text())["cases"]
    assert loaded
    return pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in loaded])


@cases("hints")
def test_hints(case: dict[str, Any]) -> None:
    expected = None if case["seconds"] is None else float(case["seconds"])
    assert retry_hint(case.get("meta"), case.get("retryAfter"), case.get("date"), case["now"]) == expected


@cases("outcomes")
def test_outcomes(case: dict[str, Any]) -> None:
    trust = case.get("trust503Codes", False)
    outcome = outcome_of_response(case["status"], case.get("code"), case.get("contentType"), trust_503_codes=trust)
    assert outcome == case["outcome"]


class FakeClock:
    """Stands still, but for the waits of a scenario."""

    def __init__(self) -> None:
        self.passed = 0.0

    def now(self) -> float:
        return 1_772_452_800.0 + self.passed

    def elapsed(self) -> float:
        return self.passed


def respond(answer: dict[str, Any]) -> Received:
    """What a driver would report of an answer."""
    lost = answer.get("lost")
    if lost in ("before", "after"):
        return Received(lost == "after", lost="failed", error=OSError("lost"))
    if lost == "timeout":
        return Received(True, lost="timeout")
    text = json.dumps(answer["json"]) if "json" in answer else answer.get("text")
    headers = {"content-type": "application/json"} if "json" in answer or lost else {}
    received = Received(True, answer["status"], {**headers, **answer.get("headers", {})}, text)
    if lost == "body":
        received.lost, received.error = "failed", OSError("lost")
    return received


INPUT: dict[str, dict[str, Any]] = {
    "createCall": {"body": {"flowId": "f", "fromNumber": "+15550100001", "toNumber": "+15550200001"}},
    "rotateDestinationSecret": {"path": {"id": "d-1"}},
    "listRoles": {},
    "deleteMemberHours": {"path": {"memberId": "m-1"}},
    "createDestinationGroup": {"body": {"name": "Desk", "members": []}},
}


@cases("retries")
def test_retries(case: dict[str, Any]) -> None:
    names = {
        "maxRetryAfterMs": "max_retry_after",
        "onUnknownOutcome": "on_unknown_outcome",
        "trust503Codes": "trust_503_codes",
    }
    given: dict[str, Any] = {
        names[name]: value / 1000 if name == "maxRetryAfterMs" else value
        for name, value in case.get("retry", {}).items()
        if name != "maxRetries"
    }
    max_retries = case.get("retry", {}).get("maxRetries", 2)
    clock = FakeClock()
    auth = Auth("api_key", Secret("svc_live_vectors"))
    settings = Settings(
        "https://api.example.com", auth, max_retries=max_retries, retry=RetryPolicy(**given), clock=clock, random=lambda: 0.0
    )
    (operation,) = (one for one in OPERATIONS if one.operation_id == case["operation"])
    steps: Steps[Any] = send(prepare(settings, operation, **INPUT[operation.operation_id]))
    sent, waits, answer, found = 0, list[int](), None, dict[str, Any]()
    try:
        while True:
            step = steps.send(answer)
            answer = None
            if isinstance(step, Send):
                answer = respond(case["answers"][min(sent, len(case["answers"]) - 1)])
                sent += 1
            else:
                assert isinstance(step, Sleep)
                waits.append(round(step.seconds * 1000))
                clock.passed += step.seconds
    except StopIteration:
        found["result"] = "success"
    except RequestError as error:
        found.update(result=type(error).__name__, outcome=error.outcome)
        if error.retry_skipped_reason:
            found["retrySkippedReason"] = error.retry_skipped_reason
        if isinstance(error, ApiError):
            assert len(error.attempts) == sent
    assert {"sent": sent, **found, "waitsMs": waits} == case["expect"]


@cases("redaction")
def test_redaction(case: dict[str, Any]) -> None:
    assert redact(case["text"], case["secrets"]) == case["redacted"]


@cases("phone-numbers")
def test_phone_numbers(case: dict[str, Any]) -> None:
    assert mask_numbers(case["text"]) == case["masked"]


def or_none(work: Any, *arguments: Any) -> Any:
    """What a function returns, or None where it refuses its argument."""
    try:
        return work(*arguments)
    except InvalidArgumentError:
        return None


@cases("paths")
def test_paths(case: dict[str, Any]) -> None:
    assert or_none(expand_path, case["template"], case["parameters"]) == case["path"]


@cases("written-paths")
def test_written_paths(case: dict[str, Any]) -> None:
    assert (or_none(check_path, case["path"]) is not None) == case["accepted"]


@cases("queries")
def test_queries(case: dict[str, Any]) -> None:
    assert or_none(serialize_query, case["query"]) == case["search"]


@cases("paging")
def test_paging(case: dict[str, Any]) -> None:
    reader = ListReader("listCalls", case["start"])
    items, offsets, failed = list[int](), list[int](), False
    offset: int | None = case["start"]
    while offset is not None and not failed:
        page = case["pages"][min(len(offsets), len(case["pages"]) - 1)]
        offsets.append(offset)
        places = reader.accept([{"id": f"c-{number}"} for number in page["ids"]], page.get("total"))
        items += [page["ids"][place] for place in places]
        try:
            offset = reader.next_offset()
        except CallTransferError:
            failed = True
    expected = case["expect"]
    assert items == expected["items"]
    assert failed == expected.get("error", False)
    assert expected["offsets"] in (None, offsets)


def test_every_vector_is_run() -> None:
    here = set(re.findall(r'@cases\("([a-z-]+)"\)', Path(__file__).read_text()))
    webhooks = {"signatures", "event-keys", "stored-answers"}
    assert {path.stem for path in FOLDER.glob("*.json")} - webhooks == here
