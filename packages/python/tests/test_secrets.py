"""Secrets are in nothing that is printed, logged or pickled."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import pickle
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Self

import httpx2
import pytest
from conftest import KEY, Run, place
from servers import Request, Server, hang_up, problem, respond

from call_transfer import ApiError, AsyncCallTransfer, CallTransfer, ConfigurationError, RequestError
from call_transfer._generated.signature import HEADER
from call_transfer._redact import redact
from call_transfer.webhooks import AsyncWebhookHandler, WebhookHandler, WebhookVerificationError, sign_webhook, verify_webhook

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


@pytest.mark.parametrize(
    "options",
    [{"api_key": KEY}, {"access_token": KEY}, {"access_token": lambda force_refresh: KEY if force_refresh else "old-token"}],
    ids=["key", "token", "function"],
)
@pytest.mark.parametrize("answer", [echo, hang_up, respond(500, raw=f"<html>{KEY}".encode())], ids=["refused", "lost", "page"])
def test_an_error_holds_no_secret(run: Run, answer: Any, options: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "call_transfer")
    with Server(*[problem(401, "token_expired")] * callable(options.get("access_token")), answer) as server:
        with pytest.raises(RequestError) as caught:
            run(server.url, place, account_id="a", **options)
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


# Local variables, which error trackers send along.

OWN = ("call_transfer", "httpx2", "httpcore2", "h11", "anyio", "ssl")
# Where a secret comes in: these take it out of sight with their first statement.
DOORS = {
    "CallTransfer.__init__",
    "AsyncCallTransfer.__init__",
    "known_options",
    "hide_secrets",
    "with_options",
    "_merged",
    "Secret.__init__",
    "Secret.__init__.<locals>.<lambda>",
}


def shown_by(value: object) -> str:
    """The value as a reporter prints it, with the attributes of the package's own objects."""
    try:
        text = repr(value)
    except Exception:
        # It is being built.
        return ""
    if type(value).__module__.startswith("call_transfer"):
        names = [*getattr(value, "__dict__", ()), *(slot for kind in type(value).__mro__ for slot in getattr(kind, "__slots__", ()))]
        text += " ".join(f"{name}={getattr(value, name, None)!r}" for name in names if isinstance(name, str))
    return text


def holds_secret(text: str) -> bool:
    return any(spelling.lower() in text.lower() for spelling in SPELLINGS)


class Watch:
    """Looks at the local variables of every frame of the package and its libraries, at every line that runs."""

    def __init__(self) -> None:
        self.found: set[tuple[str, str]] = set()
        self.lines = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> Any:
        if str(frame.f_globals.get("__name__")).partition(".")[0] not in OWN:
            return None
        self.lines += 1
        name = frame.f_code.co_qualname
        for variable, value in frame.f_locals.items():
            if name not in DOORS and holds_secret(shown_by(value)):
                self.found.add((name, variable))
        return self

    def __enter__(self) -> Self:
        sys.settrace(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)


class Tokens:
    def __call__(self, *, force_refresh: bool) -> str:
        return KEY if force_refresh else "old-token"


@pytest.mark.skipif(sys.gettrace() is not None, reason="something else traces")
@pytest.mark.parametrize(
    "options", [{"api_key": KEY}, {"access_token": KEY}, {"access_token": Tokens()}], ids=["key", "token", "function"]
)
@pytest.mark.parametrize("answer", [respond(201, {"type": "initiated", "callId": "c-1"}), hang_up, problem(401, "token_expired")])
def test_no_frame_holds_a_secret_at_any_line(run: Run, options: dict[str, Any], answer: Any) -> None:
    watch = Watch()
    with Server(answer) as server:
        with watch, suppress(RequestError):
            run(server.url, place, account_id="a", **options)
        assert server.requests[-1].headers["authorization"].startswith("Bearer ")
    assert watch.lines > 500
    assert sorted(watch.found) == []


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("answer", [respond(407), hang_up], ids=["refused", "lost"])
def test_an_error_and_its_local_variables_do_not_show_the_password_of_a_proxy(run: Run, scheme: str, answer: Any) -> None:
    with Server(answer) as proxy, pytest.raises(RequestError) as caught:
        url = proxy.url.replace("//", f"//x:{KEY}@")
        run(f"{scheme}://api.example.com", place, api_key="another-key", proxy=url, allow_insecure_http=True, max_retries=0)
    assert proxy.requests[0].headers["proxy-authorization"] == f"Basic {base64.b64encode(f'x:{KEY}'.encode()).decode()}"
    whole = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    own = [frame for frame in whole.stack if "/tests/" not in frame.filename]
    assert own
    assert_clean("".join([str(caught.value), *traceback.StackSummary.from_list(own).format()]))


@pytest.mark.parametrize(
    "bad",
    [
        {"timeout": -1},
        {"max_retries": -1},
        {"unknown_option": 1},
        {"base_url": "nowhere"},
        {"proxy": f"http://user:{KEY}@"},
        {"proxy": f"socks5://user:{KEY}@proxy"},
        {"api_key": f'"{KEY}"'},
        {"access_token": KEY},
        {"headers": {"x y": KEY}},
        {"max_connections": 0},
        {KEY: 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("client", [CallTransfer, AsyncCallTransfer])
def test_an_error_of_a_constructor_holds_no_secret(client: Any, bad: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        client(**{"base_url": "http://localhost", "api_key": KEY, **bad})
    assert_clean(printed(caught.value))
    working = client(base_url="http://localhost", api_key=KEY)
    if "proxy" not in bad and "max_connections" not in bad and bad != {"access_token": KEY}:
        with pytest.raises(ConfigurationError) as caught:
            working.with_options(**{"api_key": KEY, **bad})
        assert_clean(printed(caught.value))


@pytest.mark.parametrize("how", ["timeout", "cancel"])
@pytest.mark.parametrize("own", [True, False], ids=["own client", "http_client"])
def test_an_interrupted_task_holds_no_secret(how: str, own: bool) -> None:
    arrived = threading.Event()

    def silent(_connection: Any, _request: Request, stop: threading.Event) -> None:
        arrived.set()
        stop.wait()

    async def interrupt(url: str) -> None:
        http = None if own else httpx2.AsyncClient()
        async with AsyncCallTransfer(base_url=url, api_key=KEY, http_client=http) as client, asyncio.timeout(None) as limit:
            task = asyncio.ensure_future(place(client))
            await asyncio.to_thread(arrived.wait)
            if how == "timeout":
                limit.reschedule(asyncio.get_running_loop().time())
            else:
                task.cancel()
            await task

    with Server(silent) as server, pytest.raises((TimeoutError, asyncio.CancelledError)) as caught:
        asyncio.run(interrupt(server.url))
    assert_clean(printed(caught.value))


@pytest.mark.parametrize("own", [True, False], ids=["own client", "http_client"])
@pytest.mark.parametrize("where", ["send", "recv", "settimeout"])
def test_ctrl_c_holds_no_secret(monkeypatch: pytest.MonkeyPatch, where: str, own: bool) -> None:
    made: list[socket.socket] = []

    class Interrupted(socket.socket):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            made.append(self)

    real = getattr(socket.socket, where)

    def interrupt(self: socket.socket, *given: Any) -> Any:
        # The server has such sockets too.
        if threading.current_thread() is threading.main_thread():
            signal.raise_signal(signal.SIGINT)
        return real(self, *given)

    setattr(Interrupted, where, interrupt)
    with Server(respond(200, {"roles": []})) as server:
        http = None if own else httpx2.Client()
        client = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
        monkeypatch.setattr(socket, "socket", Interrupted)
        with pytest.raises(KeyboardInterrupt) as caught:
            place(client)
        monkeypatch.undo()
        for one in made:
            one.close()
    assert_clean(printed(caught.value))


def test_a_long_token_costs_little_to_keep_out_of_an_error() -> None:
    token = base64.urlsafe_b64encode(bytes(number * 7 % 251 for number in range(6_000))).decode()
    text = ('{"detail": "100 %, \\/ ' + token + '", "more": "' + token.replace("a", "%61") + '"}').ljust(1 << 20, "x")
    begun = time.process_time()
    cleaned = redact(text, {token})
    assert time.process_time() - begun < 1
    assert cleaned.startswith('{"detail": "100 %, \\/ [redacted]", "more": "[redacted]"}')


@pytest.mark.parametrize(
    "use",
    [
        lambda: verify_webhook(b"{}", {}, secret=KEY),
        lambda: verify_webhook(b"{}", {HEADER: "t=1,v1=" + "0" * 64}, secret=[KEY, KEY]),
        lambda: verify_webhook(b"{}", None, secret=KEY),  # type: ignore[arg-type]
        lambda: verify_webhook(b"{}", {}, secret=f" {KEY}"),
        lambda: verify_webhook(b"{}", {}, secret=[KEY, ""]),
        lambda: sign_webhook(None, secret=KEY),  # type: ignore[arg-type]
        lambda: WebhookHandler(secret=KEY, on_event=print, tolerance=-1),
    ],
    ids=range(7),
)
def test_an_error_of_a_webhook_holds_no_signing_secret(use: Callable[[], object]) -> None:
    with pytest.raises((ValueError, WebhookVerificationError)) as caught:
        use()
    assert_clean(printed(caught.value))


@pytest.mark.parametrize(
    "secret", [KEY, [KEY], lambda: KEY, f"{KEY} ", [KEY, " "]], ids=["text", "list", "function", "padded", "blank"]
)
@pytest.mark.parametrize("kind", [WebhookHandler, AsyncWebhookHandler])
def test_an_error_that_a_handler_reports_holds_no_signing_secret(secret: Any, kind: Any) -> None:
    reported: list[BaseException] = []
    options: dict[str, Any] = {"on_error": lambda error, code: reported.append(error)}
    handler = kind(secret=secret, on_event=lambda _: None, **options)
    given = handler.handle(b"{}", {HEADER: "t=1,v1=" + "0" * 64})
    response = asyncio.run(given) if kind is AsyncWebhookHandler else given
    assert response.status == (500 if secret in (f"{KEY} ", [KEY, " "]) else 400)
    assert len(reported) == 1
    assert_clean(printed(reported[0]))
    assert_clean(shown_by(handler._core))
