"""What became of a request whose answer was lost, and the look before it is sent again."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from conftest import Action, Run, failure, place
from servers import Request, Server, hang_up, respond

from call_transfer import ConfigurationError, InvalidArgumentError, OutcomeUnknownError, Reconciliation

DOCUMENT = json.loads((Path(__file__).parents[2] / "spec" / "openapi.json").read_text())
DATE = "Mon, 23 Nov 2026 12:00:00 GMT"
PLACED = respond(201, {"type": "initiated", "callId": "c-9"})


def listed(*calls: dict[str, Any], total: int | None = None, date: str | None = DATE) -> Any:
    body = {"calls": list(calls), "meta": {"total": len(calls) if total is None else total}}
    return respond(200, body, {"date": date} if date else None)


def call(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": f"c-{number}", "direction": "outbound", "duration": 0, **fields}


def reconcile(run: Run, url: str, action: Action = place, **options: Any) -> Reconciliation:
    def act(client: Any) -> Any:
        async def look(error: Any) -> Reconciliation:
            error = await error
            with pytest.raises(InvalidArgumentError, match="reconcile_async"):
                error.reconcile()
            found: Reconciliation = await error.reconcile_async(**options)
            return found

        error = failure(OutcomeUnknownError, action)(client)
        if not isinstance(error, OutcomeUnknownError):
            return look(error)
        with pytest.raises(InvalidArgumentError):
            error.reconcile_async(max_items=1).send(None)
        return error.reconcile(**options)

    found: Reconciliation = run(url, act)
    return found


def query_of(request: Request) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(request.target).query).items()}


def test_candidates_are_the_calls_that_may_be_it(run: Run) -> None:
    calls = [call(1), call(2, direction="inbound"), call(3, toNumber="+15550299999"), call(4, toNumber="+15550200001")]
    with Server(hang_up, listed(*calls)) as server:
        found = reconcile(run, server.url)
    assert [candidate.id for candidate in found.candidates] == ["c-1", "c-4"]
    assert (found.complete, found.reason) == (True, "candidates_found")
    assert found.window.by_server_clock
    parameters = DOCUMENT["paths"]["/api/v1/calls"]["get"]["parameters"]
    (limit,) = (one["schema"] for one in parameters if one["name"] == "limit")
    assert query_of(server.requests[-1])["limit"] == str(limit["maximum"])


def test_nothing_listed_is_no_proof(run: Run) -> None:
    with Server(hang_up, listed()) as server:
        found = reconcile(run, server.url)
    assert (list(found.candidates), found.complete, found.reason) == ([], True, "none_found")
    assert "does not prove" in found.explanation


def test_without_the_servers_time_nothing_is_complete(run: Run) -> None:
    with Server(hang_up, listed(call(1), date=None)) as server:
        found = reconcile(run, server.url)
    assert (found.complete, found.reason, len(found.candidates)) == (False, "server_time_unknown", 1)


def test_a_list_that_is_too_long_is_read_in_part(run: Run) -> None:
    first = [call(number) for number in range(100)]
    with Server(hang_up, listed(*first, total=250), listed(*first, total=250)) as server:
        found = reconcile(run, server.url, max_items=100)
    assert (found.complete, found.reason) == (False, "limit_reached")


def test_the_look_sends_again_only_where_nothing_is_listed(run: Run) -> None:
    # Its date shows that the server's clock is another one, so the list is read from there on.
    with Server(hang_up, listed(), listed(), PLACED) as server:
        assert run(server.url, place, retry={"on_unknown_outcome": "check"}).call_id == "c-9"
    assert [request.method for request in server.requests] == ["POST", "GET", "GET", "POST"]
    starts = [query_of(request)["startDate"] for request in server.requests if request.method == "GET"]
    assert starts[1].startswith("2026-11-23T11:59:")


def test_a_list_without_calls_rules_nothing_out(run: Run) -> None:
    with Server(hang_up, respond(200, {"meta": {}})) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, place, retry={"on_unknown_outcome": "check"})
    assert caught.value.retry_skipped_reason == "list_inconclusive"


def test_the_look_sends_nothing_again_where_a_call_is_listed(run: Run) -> None:
    with Server(hang_up, listed(call(1, toNumber="0555 02999"))) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, place, retry={"on_unknown_outcome": "check"})
    assert caught.value.retry_skipped_reason == "list_inconclusive"
    assert [request.method for request in server.requests].count("POST") == 1


def test_a_rotation_says_until_when_the_old_secret_signs(run: Run) -> None:
    with Server(respond(500, headers={"date": DATE})) as server:
        found = reconcile(run, server.url, lambda client: client.destinations.rotate_secret("d-1"))
    assert (found.reason, len(server.requests)) == ("not_supported", 1)
    # The window begins five seconds and the length of the request earlier.
    overlap = timedelta(hours=DOCUMENT["x-limits"]["previousSecretOverlapHours"], seconds=-10)
    until = (parsedate_to_datetime(DATE) + overlap).isoformat()[: len("2026-11-24T11:59:5")]
    assert f"keeps signing until {until}" in found.explanation


@pytest.mark.parametrize(
    ("calls", "total", "reason", "count"),
    [
        ([1, None, "x"], 3, "list_incomplete", 0),
        ([1], 0, "list_incomplete", 0),
        ([{"id": []}, {"id": []}, {}], 3, "candidates_found", 3),
        ([], {}, "list_changed", 0),
        ([call(1)], True, "list_changed", 1),
        ({"id": "c-1"}, 1, "list_incomplete", 0),
    ],
)
def test_a_list_of_another_shape_is_read_as_far_as_it_goes(run: Run, calls: Any, total: Any, reason: str, count: int) -> None:
    with Server(hang_up, respond(200, {"calls": calls, "meta": {"total": total}}, {"date": DATE})) as server:
        found = reconcile(run, server.url)
    assert (found.reason, found.complete, len(found.candidates)) == (reason, reason == "candidates_found", count)


def test_a_client_that_was_closed_says_so_where_a_result_is_looked_for(run: Run, mode: str) -> None:
    with Server(hang_up) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, place)
    with pytest.raises(ConfigurationError, match="client was closed"):
        if mode == "sync":
            caught.value.reconcile()
        else:
            asyncio.run(caught.value.reconcile_async())
