"""Secrets are in nothing that is printed, logged or pickled."""

from __future__ import annotations

import base64
import json
import logging
import pickle
import traceback
from typing import Any

import pytest
from conftest import KEY, Run, place
from servers import Request, Server, hang_up, problem, respond

from call_transfer import ApiError, AsyncCallTransfer, CallTransfer, ConfigurationError, RequestError

SPELLINGS = [KEY, KEY.upper(), base64.b64encode(f"x:{KEY}".encode()).decode(), KEY.replace("_", "%5f")]


def printed(error: BaseException) -> str:
    """All that a reporter may show of an error: with the local variables of every frame, and those of its causes."""
    parts = [repr(error), str(error), repr(vars(error)), repr(pickle.dumps(error))]
    seen: list[BaseException] = []
    chain: list[BaseException | None] = [error]
    while chain:
        one = chain.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        chain += [one.__cause__, one.__context__]
        for frame, _ in traceback.walk_tb(one.__traceback__):
            # The test's own frames hold the key.
            if "/tests/" not in frame.f_code.co_filename and "asyncio" not in frame.f_code.co_filename:
                parts.append(f"{frame.f_code.co_name} {frame.f_locals!r}")
    return "\n".join(parts)


def assert_clean(text: str) -> None:
    for spelling in SPELLINGS:
        assert spelling.lower() not in text.lower()


def echo(connection: Any, request: Request, stop: Any) -> None:
    """An answer that repeats the credential in every place and spelling."""
    shown = " ".join(SPELLINGS)
    body = {
        "code": "forbidden",
        "status": 403,
        "detail": shown,
        "requestId": KEY,
        "errors": [{"field": KEY, "code": KEY}],
        "more": {KEY: [shown]},
    }
    headers = {"x-request-id": KEY, "x-echo": request.headers["authorization"], "deprecation": KEY}
    # Once more with an escape of JSON.
    raw = json.dumps(body).encode() + b" "
    content = raw.replace(b'"more"', b'"even": "' + KEY.replace("_", "\\u005f").encode() + b'", "more"')
    respond(403, headers=headers, raw=content)(connection, request, stop)


@pytest.mark.parametrize("answer", [echo, hang_up, respond(500, raw=f"<html>{KEY}".encode())], ids=["refused", "lost", "page"])
def test_an_error_holds_no_secret(run: Run, answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "call_transfer")
    with Server(answer) as server:
        with pytest.raises(RequestError) as caught:
            run(server.url, place)
        error = caught.value
    assert "run {" in printed(error)
    assert_clean(printed(error))
    if isinstance(error, ApiError):
        assert "[redacted]" in str(error)
        assert_clean(repr(dict(error.headers)))
    assert caplog.messages
    assert_clean(caplog.text)


def test_clients_and_results_show_no_secret(run: Run) -> None:
    assert_clean(repr(CallTransfer(base_url="http://localhost", api_key=KEY)))
    assert_clean(repr(AsyncCallTransfer(base_url="http://localhost", api_key=KEY)))
    destination = {
        "id": "d",
        "name": "n",
        "kind": "app",
        "enabled": True,
        "config": {},
        "createdAt": "",
        "updatedAt": "",
        "signingSecret": KEY,
    }
    with Server(respond(200, destination)) as server:
        rotated = run(server.url, lambda client: client.destinations.rotate_secret("d-1"))
    assert rotated.signing_secret == KEY
    assert_clean(repr(rotated))


def test_a_bad_key_is_not_shown() -> None:
    with pytest.raises(ConfigurationError, match="api_key must be letters") as caught:
        CallTransfer(base_url="http://localhost", api_key=f'"{KEY}"')
    assert_clean(str(caught.value))


def test_phone_numbers_are_masked_unless_the_client_shows_them(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    refusal = problem(400, "provider_call_rejected", detail="+15550200001 is not reachable")
    with Server(refusal) as server:
        with pytest.raises(ApiError, match=r"\+1555\*\*\*\*\*01 is not reachable"):
            run(server.url, place)
        with pytest.raises(ApiError, match=r"\+15550200001 is not reachable"):
            run(server.url, place, show_phone_numbers=True)
    with Server(hang_up) as server, pytest.raises(RequestError):
        run(server.url, place)
    assert "+15550200001" not in caplog.text
