"""What is sent, how often, and what an error says of it. Over real sockets, with both clients."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import re
import socket
import threading
import time
from typing import Any

import pytest
from conftest import KEY, Run, failure, in_turn, place
from servers import Drip, Request, Server, hang_up, part, problem, respond, unused_port

import call_transfer
from call_transfer import (
    CONTRACT_VERSION,
    VERSION,
    ApiError,
    CallInitiated,
    CallQueued,
    ConflictError,
    ConnectionError,
    InvalidResponseError,
    OutcomeUnknownError,
    ServerError,
    TimeoutError,
    UnknownResult,
)
from call_transfer._generated.operations import DEFAULT_MAX_RETRIES
from call_transfer._retry import parse_retry_after

PLACED = respond(201, {"type": "initiated", "callId": "c-1"})
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 10000\r\n"


def test_places_a_call(run: Run) -> None:
    with Server(PLACED) as server:
        call = run(server.url, place)
    assert isinstance(call, CallInitiated)
    assert call.call_id == "c-1"
    assert call.validation_error is None
    (request,) = server.requests
    assert request.line == "POST /api/v1/calls HTTP/1.1"
    assert request.json() == {"flowId": "f-1", "fromNumber": "+15550100001", "toNumber": "+15550200001"}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["content-type"] == "application/json"
    contract = CONTRACT_VERSION.split(".")[0]
    assert request.headers["user-agent"].startswith(f"call-transfer-python/{VERSION} (contract {contract}) python/3.")


def test_a_queued_call_and_a_type_of_the_future_are_told_apart(run: Run) -> None:
    with Server(respond(202, {"type": "queued", "position": 3}), respond(201, {"type": "scheduled", "at": "noon"})) as server:
        queued, scheduled = run(server.url, place), run(server.url, place)
    assert isinstance(queued, CallQueued)
    assert queued.position == 3
    assert isinstance(scheduled, UnknownResult)
    assert (scheduled.type, scheduled.model_extra) == ("scheduled", {"at": "noon"})


@pytest.mark.parametrize(
    "lost",
    [
        hang_up,
        part(b"HTTP/1.1 20"),
        part(HEAD.replace(b"200", b"502") + b"\r\n<html>"),
        respond(502, raw=b"<html><title>Bad gateway</title>"),
        problem(500, "internal_error"),
        problem(503, "no_bots_available"),
        respond(408),
        respond(200, raw=b"<html>Sign in", headers={"content-type": "text/html"}),
    ],
)
def test_a_placement_whose_answer_is_lost_is_sent_once(run: Run, lost: object) -> None:
    with Server(lost, PLACED) as server, pytest.raises(OutcomeUnknownError) as caught:  # type: ignore[arg-type]
        run(server.url, place)
    assert len(server.requests) == 1
    assert caught.value.outcome == "unknown"
    assert len(caught.value.attempts) == 1
    assert "Call reconcile() before sending it again" in str(caught.value)


@pytest.mark.parametrize(
    "lost",
    [part(HEAD.replace(b"200", b"201") + b'\r\n{"type": "ini'), respond(201, {"type": "initiated"}), respond(201, raw=b'{"type')],
)
def test_a_placement_that_was_carried_out_is_applied(run: Run, lost: object) -> None:
    with Server(lost, PLACED) as server, pytest.raises(OutcomeUnknownError) as caught:  # type: ignore[arg-type]
        run(server.url, place)
    assert len(server.requests) == 1
    assert caught.value.outcome == "applied"
    assert str(caught.value.partial_body).startswith('{"type')


@pytest.mark.parametrize("start", [HEAD + b"\r\n{", HEAD], ids=["body", "headers"])
def test_what_drips_ends_with_the_timeout(run: Run, start: bytes) -> None:
    drip = Drip(start)
    with Server(drip) as server:
        with pytest.raises(TimeoutError) as caught:
            run(server.url, lambda client: client.roles.list(), timeout=1, max_retries=0)
        assert drip.was_left.wait(300)
    assert caught.value.attempts[0].error == "timeout"


def test_a_body_that_nobody_takes_ends_with_the_timeout(run: Run) -> None:
    def read_nothing(url: str) -> None:
        run(url, lambda client: client.request("PUT", "/api/v1/notes", body="x" * 30_000_000), timeout=1, max_retries=0)

    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.raises(TimeoutError) as caught:
        read_nothing(f"http://127.0.0.1:{listener.getsockname()[1]}")
    assert caught.value.outcome == "unknown"


def test_the_total_timeout_ends_retries(run: Run) -> None:
    answer = problem(503, "service_unavailable", {"retry-after": "50"})
    with Server(answer) as server, pytest.raises(ServerError) as caught:
        run(server.url, lambda client: client.roles.list(), total_timeout=20)
    assert caught.value.retry_skipped_reason == "total_timeout"
    assert len(server.requests) == 1


def test_an_answer_from_before_the_request_is_not_its_answer(run: Run) -> None:
    def answer_twice(connection: socket.socket, _request: Request, _stop: threading.Event) -> None:
        connection.sendall(b'HTTP/1.1 201 Created\r\ncontent-length: 37\r\n\r\n{"type":"initiated","callId":"c-old"}' * 2)

    with Server(answer_twice, PLACED) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, in_turn(place, place))
    assert (caught.value.outcome, len(server.requests)) == ("unknown", 2)
    assert "an answer from before the request" in str(caught.value)


OLD = b'HTTP/1.1 201 Created\r\ncontent-length: 37\r\n\r\n{"type":"initiated","callId":"c-old"}'


@pytest.mark.parametrize("length", [5, 12, 16, 34])
@pytest.mark.parametrize("is_genuine", [True, False])
def test_an_answer_that_began_before_the_request_is_not_its_answer(run: Run, length: int, is_genuine: bool) -> None:
    def answer(connection: socket.socket, request: Request, stop: threading.Event) -> None:
        if len(server.requests) == 1:
            connection.sendall(OLD + OLD[:length])
        elif is_genuine:
            problem(400, "bad_request")(connection, request, stop)
        else:
            connection.sendall(OLD[length:])

    with Server(answer) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, in_turn(place, place))
    assert (caught.value.outcome, len(server.requests), server.connections) == ("unknown", 2, 1)


def test_a_refused_connection_is_not_sent_and_retried(run: Run) -> None:
    events: list[call_transfer.RetryEvent] = []
    url = f"http://127.0.0.1:{unused_port()}"
    with pytest.raises(ConnectionError, match=rf"^createCall was not sent to {re.escape(url)}: .") as caught:
        run(url, place, on_retry=events.append)
    assert caught.value.outcome == "not_sent"
    assert [attempt.error for attempt in caught.value.attempts] == ["connection_failed"] * (1 + DEFAULT_MAX_RETRIES)
    assert [event.next_attempt_number for event in events] == list(range(2, 2 + DEFAULT_MAX_RETRIES))


def test_a_refused_connection_after_a_lost_answer_says_that_it_was_the_second(run: Run) -> None:
    def hang_up_for_good(connection: Any, request: Request, stop: Any) -> None:
        server.close()
        hang_up(connection, request, stop)

    with Server(hang_up_for_good) as server, pytest.raises(ConnectionError, match="listRoles was not sent again to http") as caught:
        run(server.url, lambda client: client.roles.list(), max_retries=1)
    assert caught.value.outcome == "unknown"


def test_a_conflict_after_a_lost_answer_is_unknown(run: Run) -> None:
    with Server(hang_up, problem(409, "conflict")) as server, pytest.raises(ConflictError) as caught:
        run(server.url, lambda client: client.destination_groups.create(name="Desk", members=[{"destination_id": "d-1"}]))
    assert caught.value.outcome == "unknown"
    assert "an earlier attempt whose response was lost may have caused it" in str(caught.value)
    assert server.requests[0].json() == {"name": "Desk", "members": [{"destinationId": "d-1"}]}


def test_a_redirect_is_not_followed(run: Run) -> None:
    with Server(respond(307, headers={"location": "/elsewhere"})) as server, pytest.raises(ApiError) as caught:
        run(server.url, place)
    assert len(server.requests) == 1
    assert (caught.value.outcome, caught.value.status) == ("rejected", 307)
    assert "a redirect, which is not followed" in str(caught.value)


def test_bodies_are_bounded(run: Run) -> None:
    big = respond(200, raw=b'"' + b"x" * (10 * 1024 * 1024) + b'"')
    with Server(big) as server, pytest.raises(InvalidResponseError) as caught:
        run(server.url, lambda client: client.roles.list())
    assert (caught.value.outcome, caught.value.attempts[0].error) == ("applied", "body_too_large")


def test_compressed_bodies_are_bounded_by_what_they_hold(run: Run) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    with Server(respond(200, raw=bomb, headers={"content-encoding": "gzip"})) as server, pytest.raises(InvalidResponseError):
        run(server.url, lambda client: client.roles.list())
    roles = gzip.compress(b'{"roles": []}')
    with Server(respond(200, raw=roles, headers={"content-encoding": "gzip"})) as server:
        assert run(server.url, lambda client: client.roles.list()).roles == []


def test_an_encoding_that_was_not_asked_for_hides_no_status(run: Run) -> None:
    encoded = {"content-encoding": "br"}
    with Server(respond(400, raw=b"x", headers=encoded)) as server, pytest.raises(ConnectionError, match="encoded as br") as caught:
        run(server.url, place)
    assert (caught.value.outcome, caught.value.attempts[0].status) == ("rejected", 400)
    with Server(respond(204, headers=encoded)) as server:
        assert run(server.url, lambda client: client.members.delete_hours("m-1")) is None


def test_a_long_error_page_is_cut(run: Run) -> None:
    page = b"<html><title>Down</title>" + b"x" * 1_000_000
    answer = respond(404, raw=page, headers={"content-type": "text/html"})
    with Server(answer) as server, pytest.raises(ApiError, match=r'without an API error body .*: "Down"') as caught:
        run(server.url, lambda client: client.roles.list())
    assert len(caught.value.body_text or "") == 2000


def test_a_response_that_does_not_fit_is_kept_and_flagged(run: Run) -> None:
    member = {"memberId": "m-1", "status": "on_holiday", "busy": "yes", "until": 5}
    with Server(respond(200, member)) as server:
        found = run(server.url, lambda client: client.members.get_availability("m-1"))
    assert (found.member_id, found.status, found.busy, found.until, found.user_id) == ("m-1", "on_holiday", "yes", 5, None)
    assert "busy" in found.validation_error


@pytest.mark.parametrize("call_id", [7, [[]]])
def test_no_field_of_a_response_breaks_its_reading(run: Run, call_id: object) -> None:
    answer = {"type": "initiated", "callId": call_id, "cls": 1, "_fields_set": 2, "model_config": 3}
    with Server(respond(201, answer)) as server:
        call = run(server.url, place)
    assert (call.call_id, call.model_extra) == (call_id, {"cls": 1, "_fields_set": 2, "model_config": 3})
    nested = b'{"type": "initiated", "callId": ' + b"[" * 900 + b"]" * 900 + b"}"
    with Server(respond(201, raw=nested)) as server:
        assert "call_id" in dir(run(server.url, place))


def test_what_only_pythons_parser_takes_for_json_is_none(run: Run) -> None:
    with Server(respond(201, raw=b'{"type":"initiated","callId":NaN}')) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, place)
    assert caught.value.outcome == "applied"


def test_half_a_surrogate_pair_can_be_printed(run: Run) -> None:
    refusal = problem(400, "bad_request", detail="half \ud83d of one")
    with Server(refusal) as server, pytest.raises(ApiError, match="half   of one") as caught:
        run(server.url, place)
    assert str(caught.value).encode()
    assert caught.value.detail == "half \ud83d of one"


@pytest.mark.parametrize("end", ["", "x", "e", "e+", ".x"])
def test_a_hint_without_end_takes_no_time(end: str) -> None:
    # With backtracking, it would take an hour.
    assert parse_retry_after("1" * 200_000 + end, 0.0) == (math.inf if end == "" else None)


def test_fields_of_the_future_are_sent_and_kept(run: Run) -> None:
    answer = {"type": "initiated", "callId": "c-1", "region": "eu"}
    with Server(respond(201, answer)) as server:
        call = run(server.url, lambda client: place(client, extra_body={"flowId": "no", "priority": 1}, extra_query={"dry": True}))
    assert call.model_extra == {"region": "eu"}
    assert server.requests[0].target == "/api/v1/calls?dry=true"
    assert (server.requests[0].json()["flowId"], server.requests[0].json()["priority"]) == ("f-1", 1)


def test_small_errors_leave_the_connection_open(run: Run) -> None:
    fail = failure(call_transfer.NotFoundError, lambda client: client.roles.list())
    with Server(problem(404, "not_found")) as server:
        run(server.url, in_turn(fail, fail))
        assert (len(server.requests), server.connections) == (2, 1)


def test_errors_can_be_pickled(run: Run) -> None:
    with Server(hang_up) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, lambda client: place(client, context={"job": 7}))
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    assert (copy.outcome, copy.attempts, copy.context) == ("unknown", caught.value.attempts, {"job": 7})
    assert copy.reconcile().reason == "not_supported"


def nested(levels: int) -> bytes:
    return b'{"code": "x", "meta": ' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize("levels", [64, 65, 20_000])
def test_the_body_of_an_error_is_read_up_to_64_levels_and_stays_text_beyond(run: Run, levels: int) -> None:
    body = nested(levels)
    with Server(respond(422, raw=body)) as server, pytest.raises(ApiError) as caught:
        run(server.url, place)
    error = pickle.loads(pickle.dumps(caught.value))
    read = ("x", json.loads(body), None) if levels == 64 else (None, None, body.decode()[:2000])
    assert (error.code, error.body, error.body_text) == read


def test_deeply_nested_json_is_an_unusable_answer(run: Run) -> None:
    with Server(respond(200, raw=b"[" * 200_000)) as server, pytest.raises(InvalidResponseError):
        run(server.url, lambda client: client.roles.list())


def test_time_that_stands_still_for_a_test_ends_no_limit_and_no_request(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As freezegun does it."""
    monkeypatch.setattr(time, "monotonic", lambda: 1_772_452_800.0)
    monkeypatch.setattr(time, "time", lambda: 1_772_452_800.0)
    drip = Drip(HEAD + b"\r\n")
    with Server(PLACED, drip) as server:
        assert run(server.url, place).call_id == "c-1"
        with pytest.raises(TimeoutError):
            run(server.url, lambda client: client.roles.list(options={"timeout": 0.3, "max_retries": 0}))
