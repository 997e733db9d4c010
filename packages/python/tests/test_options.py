"""Options: what is refused before anything is sent, and what a copy shares."""

from __future__ import annotations

import enum
import logging
import signal
from datetime import UTC, date, datetime
from typing import Any, cast

import httpx2
import pytest
from conftest import KEY, Run, failure, in_turn, place
from servers import Server, hang_up, problem, respond, silence

from call_transfer import (
    CallTransfer,
    ConfigurationError,
    ConnectionError,
    InvalidArgumentError,
    OutcomeUnknownError,
    RequestError,
    RetryOptions,
)
from call_transfer import TimeoutError as CallTimeout
from call_transfer._interrupt import CARRIED
from call_transfer._pool import _proxy_for

BASE = "http://localhost:1"


async def never(**_: object) -> str:
    return "an-access-token"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"base_url": None}, "base_url is required"),
        ({"base_url": "ftp://localhost"}, "base_url must be a URL"),
        ({"base_url": "http://example.com"}, "base_url must use https"),
        ({"base_url": "https://user:pass@example.com"}, "user name"),
        ({"base_url": "https://example.com/api/v1"}, "must not include /api/v1"),
        ({"base_url": "https://example.com?x"}, "query or fragment"),
        ({"base_url": "https://999.1.1.1"}, "base_url must be a URL"),
        ({"base_url": r"http://evil.example\.localhost"}, "base_url must be a URL"),
        ({"base_url": "https://a;b"}, "base_url must be a URL"),
        ({"api_key": None}, "api_key or access_token is required"),
        ({"access_token": "t"}, "cannot be combined"),
        ({"timeout": 0}, "timeout must be seconds above 0"),
        ({"timeout": 10**400}, "timeout must be seconds above 0"),
        ({"timeout": float("nan")}, "timeout must be seconds above 0"),
        ({"total_timeout": 3e6}, "total_timeout must be seconds"),
        ({"max_retries": -1}, "max_retries must be an integer from 0"),
        ({"retries": 3}, r"^retries is not an option\. Check its spelling\.$"),
        ({"timeout_ms": 3}, r"^timeout_ms is not an option\. Did you mean timeout, in seconds\?$"),
        ({"retry": {"on_unknown_outcome": "throw"}}, "retry.on_unknown_outcome must be raise, check or retry"),
        ({"headers": {"Authorization": "x"}}, "headers must be"),
        ({"headers": {"x": "a\r\nb"}}, "headers must be"),
        ({"headers": {"Host": "example.com"}}, "headers must be"),
        ({"account_id": "a b"}, "account_id must be visible"),
        ({"on_retry": 1}, "on_retry must be a function"),
        ({"allow_insecure_http": "false"}, "allow_insecure_http must be True or False, not str"),
        ({"show_phone_numbers": "no"}, "show_phone_numbers must be True or False, not str"),
        ({"max_connections": 0}, "max_connections must be an integer from 1"),
        ({"proxy": "127.0.0.1:3128"}, "proxy must be a URL with http:// or https://"),
        ({"proxy": "http://localhost:99999999"}, "proxy must be a URL with"),
        ({"proxy": 3128}, "proxy must be a URL such as"),
        ({"proxy": "http://http:/localhost:1"}, "proxy must be a URL with"),
        ({"api_key": lambda: KEY}, "api_key must be letters"),
        ({"verify": "/missing.pem"}, r"verify must be True, False or an ssl\.SSLContext"),
        ({"verify": 1}, "verify must be True, False or"),
        ({"retry": []}, "retry must be a dict"),
        ({"on_retry": never}, "on_retry must be a plain function"),
        ({"api_key": None, "access_token": never}, "access_token must be a plain function"),
        ({"http_client": httpx2.Client(), "proxy": "http://localhost:1"}, "proxy has no effect beside http_client"),
        ({"http_client": httpx2.Client(), "verify": False}, "verify has no effect beside http_client"),
        ({"http_client": httpx2.AsyncClient()}, r"http_client must be an httpx2\.Client"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"base_url": BASE, "api_key": KEY, **options}
    with pytest.raises(ConfigurationError, match=message) as caught:
        CallTransfer(**given)
    assert caught.value.outcome == "not_sent"


def test_bad_options_of_a_request_are_refused(run: Run) -> None:
    with Server() as server:
        with pytest.raises(ConfigurationError, match=r"extra_headers is not an option. Did you mean headers\?"):
            run(server.url, lambda client: place(client, extra_headers={}))
        with pytest.raises(ConfigurationError, match="account_id is required for createCall with an access token"):
            run(server.url, place, access_token="token")
        with pytest.raises(InvalidArgumentError, match="id must not be empty"):
            run(server.url, lambda client: client.destinations.rotate_secret(".."))
        with pytest.raises(InvalidArgumentError, match="body must be JSON: a object has no form in JSON"):
            run(server.url, lambda client: client.request("POST", "/api/v1/calls", body=object()))
        with pytest.raises(InvalidArgumentError, match="query must be a dict of names and values"):
            run(server.url, lambda client: client.request("GET", "/api/v1/roles", query={1: "a"}))
        for name in ("extra_query", "extra_body"):
            with pytest.raises(ConfigurationError, match=f"{name} must be a dict of names and values"):
                run(server.url, lambda client, name=name: place(client, **{name: {1: "a"}}))
        with pytest.raises(ConfigurationError, match="headers must be"):
            run(server.url, lambda client: place(client, headers={"content-length": "5"}))
        with pytest.raises(InvalidArgumentError, match="path must start with one /"):
            run(server.url, lambda client: client.request("GET", "//evil.example"))
    assert server.requests == []


def test_the_environment_is_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(respond(200, {"accounts": []})) as server:
        monkeypatch.setenv("CALL_TRANSFER_BASE_URL", f" {server.url}/prefix/ ")
        monkeypatch.setenv("CALL_TRANSFER_API_KEY", KEY)
        with CallTransfer() as client:
            client.accounts.list()
    assert server.requests[0].target == "/prefix/api/v1/accounts"


def test_the_log_level_of_the_environment_is_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    logger = logging.getLogger("call_transfer")
    monkeypatch.setattr(logger, "level", logging.NOTSET)
    monkeypatch.setenv("CALL_TRANSFER_LOG", "off")
    CallTransfer(base_url=BASE, api_key=KEY)
    assert not logger.isEnabledFor(logging.ERROR)
    monkeypatch.setenv("CALL_TRANSFER_LOG", "loud")
    with pytest.raises(ConfigurationError, match="CALL_TRANSFER_LOG must be one of"):
        CallTransfer(base_url=BASE, api_key=KEY)
    logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize("where", ["call_transfer", "", "nowhere"])
def test_a_line_is_printed_once_where_the_program_adds_a_handler_later(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str
) -> None:
    logger = logging.getLogger("call_transfer")
    # As a program finds them, without the handlers of pytest.
    for one in (logger, logging.getLogger()):
        monkeypatch.setattr(one, "handlers", [])
    monkeypatch.setattr(logger, "level", logging.NOTSET)
    monkeypatch.setenv("CALL_TRANSFER_LOG", "warn")
    CallTransfer(base_url=BASE, api_key=KEY)
    CallTransfer(base_url=BASE, api_key=KEY)
    if where != "nowhere":
        logging.getLogger(where).addHandler(logging.StreamHandler())
    logger.warning("one line")
    assert capsys.readouterr().err == "one line\n"


def test_an_outage_logs_a_line_a_minute_for_each_cause(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    list_accounts = failure(RequestError, lambda client: client.accounts.list())
    list_roles = failure(RequestError, lambda client: client.roles.list())
    caplog.set_level(logging.DEBUG, "call_transfer")
    with Server(problem(429, "rate_limit_exceeded", {"retry-after": "0"})) as server:
        run(server.url, in_turn(*[list_accounts] * 20, list_roles), max_retries=1, account_id="a")
    lines = [(one.levelname, one.getMessage().split()[0]) for one in caplog.records if "retried in" in one.getMessage()]
    assert [name for level, name in lines if level == "WARNING"] == ["listAccounts", "listRoles"]
    assert len(lines) == 21


def test_a_lost_placement_is_logged_with_its_context_and_its_error(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    with Server(hang_up) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, lambda client: place(client, context={"job": 7, "to": "+15550200001"}))
    (line,) = [one for one in caplog.records if one.levelname == "ERROR"]
    assert line.getMessage().endswith("; context: {'job': 7, 'to': '+1555*****01'}")
    assert getattr(line, CARRIED) is caught.value


@pytest.mark.parametrize("name", ["svc_live_0123456789abcdef", "eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "a" * 41, "timeout2"])
def test_a_name_that_may_be_a_key_is_not_shown(run: Run, name: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        CallTransfer(**{"base_url": BASE, "api_key": KEY, name: 1})  # type: ignore[arg-type]
    assert (name in str(caught.value)) == (name == "timeout2")
    with pytest.raises(ConfigurationError) as caught:
        run(BASE, lambda client: place(client, **{name: 1}))
    assert (name in str(caught.value)) == (name == "timeout2")
    with pytest.raises(ConfigurationError, match=r"^retry\.") as caught:
        CallTransfer(base_url=BASE, api_key=KEY, retry=cast("RetryOptions", {name: 1}))
    assert (name in str(caught.value)) == (name == "timeout2")


@pytest.mark.parametrize(
    ("time", "advice"),
    [
        (datetime(2026, 3, 2, 12), r"astimezone\(timezone\.utc\)\.isoformat\(\)"),
        (datetime(2026, 3, 2, 12, tzinfo=UTC), r"astimezone\(timezone\.utc\)\.isoformat\(\)"),
        (date(2026, 3, 2), r"T00:00:00Z"),
    ],
)
def test_a_time_is_refused_with_advice_that_helps(run: Run, time: Any, advice: str) -> None:
    with pytest.raises(InvalidArgumentError, match=advice):
        run(BASE, lambda client: client.calls.list(start_date=time).first_page())
    with pytest.raises(InvalidArgumentError, match=advice):
        run(BASE, lambda client: client.request("POST", "/api/v1/calls", body={"at": time}))


def test_a_copy_has_other_options_and_shares_the_connections(run: Run) -> None:
    with Server(respond(200, {"accounts": []})) as server:

        def copy(client: Any) -> Any:
            with pytest.raises(ConfigurationError, match="proxy cannot be changed"):
                client.with_options(proxy="")
            return client.with_options(account_id="a-2", headers={"x-team": "night"}).accounts.list()

        run(server.url, in_turn(lambda client: client.accounts.list(), copy), account_id="a-1")
    assert [request.headers["x-account-id"] for request in server.requests] == ["a-1", "a-2"]
    assert server.requests[1].headers["x-team"] == "night"
    assert server.connections == 1


def test_an_http_client_of_the_caller_keeps_the_promises() -> None:
    sent: list[httpx2.Request] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        if len(sent) == 1:
            raise httpx2.ConnectError("refused")
        if len(sent) == 2:
            return httpx2.Response(201, json={"type": "initiated", "callId": "c-1"})
        raise httpx2.ReadError("lost")

    with httpx2.Client(transport=httpx2.MockTransport(handle), headers={"x-theirs": "1"}) as http:
        client = CallTransfer(base_url="https://api.example.com", api_key=KEY, http_client=http)
        assert place(client).call_id == "c-1"
        with pytest.raises(OutcomeUnknownError):
            place(client)
        client.close()
        assert not http.is_closed
    assert len(sent) == 3
    assert "x-theirs" not in sent[0].headers


class Sour(Exception):
    """What a hook raises."""


def hooked(is_async: bool, event: str, error: BaseException) -> Any:
    """A client of httpx2 with a hook that raises."""

    def raise_it(_: object) -> None:
        raise error

    async def raise_it_async(_: object) -> None:
        raise error

    return httpx2.AsyncClient(event_hooks={event: [raise_it_async]}) if is_async else httpx2.Client(event_hooks={event: [raise_it]})


HOOK_ERRORS = [
    Sour("no badge"),
    OSError(5, "no badge"),
    httpx2.ConnectError("no badge"),
    TimeoutError("no badge"),
    ValueError("no badge"),
]


@pytest.mark.parametrize("error", HOOK_ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("event", "outcome"), [("request", "not_sent"), ("response", "unknown")])
def test_what_a_hook_raises_is_the_cause_and_is_not_retried(run: Run, mode: str, event: str, outcome: str, error: Exception) -> None:
    with Server(respond(201, {"type": "initiated", "callId": "c-1"})) as server:
        with pytest.raises(RequestError, match="no badge") as caught:
            run(server.url, place, http_client=hooked(mode == "async", event, error))
        with pytest.raises(RequestError, match="no badge") as read:
            run(server.url, lambda client: client.accounts.list(), http_client=hooked(mode == "async", event, error))
    placement: Any = caught.value if outcome == "not_sent" else caught.value.__cause__
    assert (type(placement), type(read.value)) == (RequestError, RequestError)
    assert placement.__cause__ is read.value.__cause__ is error
    assert (caught.value.outcome, [one.error for one in caught.value.attempts]) == (outcome, ["callback_failed"])
    assert len(server.requests) == (2 if outcome == "unknown" else 0)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)], ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("event", "outcome"), [("request", "not_sent"), ("response", "unknown")])
def test_what_a_hook_ends_the_program_with_passes_through(run: Run, mode: str, event: str, outcome: str, error: BaseException) -> None:
    with Server(respond(201, {"type": "initiated", "callId": "c-1"})) as server, pytest.raises(type(error)) as caught:
        run(server.url, place, http_client=hooked(mode == "async", event, error))
    assert caught.value is error
    assert getattr(error, CARRIED).outcome == outcome
    assert len(server.requests) == (outcome == "unknown")


def test_a_transport_of_the_callers_that_fails_by_itself_may_have_sent(run: Run) -> None:
    def break_down(_: httpx2.Request) -> httpx2.Response:
        raise Sour("a bug")

    with httpx2.Client(transport=httpx2.MockTransport(break_down)) as http:
        client = CallTransfer(base_url=BASE, api_key=KEY, http_client=http)
        with pytest.raises(Sour) as caught:
            place(client)
    assert isinstance(getattr(caught.value, CARRIED), OutcomeUnknownError)


def test_an_http_client_of_the_caller_reports_what_it_sent() -> None:
    class Resending(httpx2.HTTPTransport):
        """Sends twice, and then says that it could not connect."""

        def handle_request(self, request: httpx2.Request) -> httpx2.Response:
            try:
                return super().handle_request(request)
            except httpx2.HTTPError as error:
                raise httpx2.ConnectError("could not connect again") from error

    with Server(hang_up) as server, httpx2.Client(transport=Resending()) as http:
        client = CallTransfer(base_url=server.url, api_key=KEY, http_client=http)
        with pytest.raises(OutcomeUnknownError):
            place(client)
    assert len(server.requests) == 1


def test_a_proxy_is_used(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(respond(200, {"accounts": []})) as proxy:
        run("http://api.localhost:9", lambda client: client.accounts.list(), proxy=proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)
        run("http://api.localhost:9", lambda client: client.accounts.list())
        monkeypatch.setenv("no_proxy", "api.localhost")
        with pytest.raises(ConnectionError):
            run("http://api.localhost:9", lambda client: client.accounts.list(), max_retries=0)
    assert [request.target for request in proxy.requests] == ["http://api.localhost:9/api/v1/accounts"] * 2


NO_PROXY = [
    ("example.com", "api.example.com", True),
    ("*.example.com", "api.example.com", True),
    ("ample.com", "api.example.com", False),
    ("api.example.com:9", "api.example.com", True),
    ("api.example.com:10", "api.example.com", False),
    (" a.example , api.example.com ", "api.example.com", True),
    ("10.1.2.3", "10.1.2.3", True),
    ("example.com", "api.example.com.", True),
]


@pytest.mark.parametrize(("exceptions", "host", "is_direct"), NO_PROXY)
def test_exceptions_from_the_proxy_are_those_of_the_standard_library(
    monkeypatch: pytest.MonkeyPatch, exceptions: str, host: str, is_direct: bool
) -> None:
    monkeypatch.setenv("NO_PROXY", exceptions)
    monkeypatch.setenv("HTTP_PROXY", "proxy.example.net:3128")
    _, address = _proxy_for(f"http://{host}:9", None)
    assert (address is None) == is_direct
    assert address is None or address.reveal() == "http://proxy.example.net:3128"


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.5.0.1"])
def test_this_machine_is_not_asked_of_a_proxy(run: Run, monkeypatch: pytest.MonkeyPatch, name: str, host: str) -> None:
    with Server(respond(200, {"accounts": []})) as server, Server(respond(502)) as proxy:
        monkeypatch.setenv(name, proxy.url)
        url = server.url.replace("127.0.0.1", host) if host != "127.5.0.1" else server.url
        run(url, lambda client: client.accounts.list())
        # Not unless the option says so.
        with pytest.raises(Exception, match="502"):
            run(url, lambda client: client.accounts.list(), proxy=proxy.url, max_retries=0)
    assert (len(server.requests), len(proxy.requests)) == (1, 1)


@pytest.mark.parametrize(
    ("name", "address", "problem"),
    [
        ("ALL_PROXY", "socks5://user:secret@localhost:1080", r"^ALL_PROXY must be a URL with .*For SOCKS, pass a client .*pass proxy="),
        ("https_proxy", "socks4://localhost:1080", "^https_proxy must be a URL with"),
        ("HTTPS_PROXY", "http://local host", "^HTTPS_PROXY must be a URL with"),
    ],
)
def test_a_proxy_of_the_environment_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, address: str, problem: str
) -> None:
    monkeypatch.setenv(name, address)
    with pytest.raises(ConfigurationError, match=problem) as caught:
        CallTransfer(base_url="https://api.example.com", api_key=KEY)
    assert "secret" not in str(caught.value)
    CallTransfer(base_url="https://api.example.com", api_key=KEY, proxy="").close()
    CallTransfer(base_url="http://127.0.0.1:9", api_key=KEY).close()


def test_a_proxy_that_does_not_answer_its_connect_sent_nothing(run: Run) -> None:
    with Server(silence) as proxy, pytest.raises(CallTimeout) as caught:
        run("https://api.example.com", place, proxy=proxy.url, total_timeout=0.3)
    assert caught.value.outcome == "not_sent"
    assert [request.method for request in proxy.requests] == ["CONNECT"]


def test_a_proxy_that_refuses_sent_nothing(run: Run) -> None:
    with Server(respond(403)) as proxy, pytest.raises(ConnectionError) as caught:
        run("https://api.example.com", place, proxy=proxy.url, max_retries=0)
    assert caught.value.outcome == "not_sent"
    assert [request.method for request in proxy.requests] == ["CONNECT"]


class Status(str, enum.Enum):  # noqa: UP042 - text of this kind is its name
    DONE = "completed"


@pytest.mark.parametrize(("value", "query"), [(Status.DONE, "completed"), (signal.SIGHUP, "1"), (2.50, "2.5")])
def test_an_enumeration_is_sent_as_its_value(run: Run, value: object, query: str) -> None:
    with Server(respond(200, {"calls": [], "meta": {"total": 0}})) as server:
        run(server.url, lambda client: client.calls.list(status=value).first_page())
    assert server.requests[0].target == f"/api/v1/calls?status={query}"


@pytest.mark.parametrize("query", [{"a": "x" * 70_000}, {"a": 10**5000}])
def test_a_query_that_cannot_be_sent_is_refused(run: Run, query: dict[str, Any]) -> None:
    with Server() as server, pytest.raises(InvalidArgumentError, match=r"URL too long|fewer digits"):
        run(server.url, lambda client: place(client, extra_query=query))
    assert server.requests == []


def test_headers_are_sent_as_latin_1_without_spaces_around_them(run: Run) -> None:
    with Server(respond(200, {"accounts": []})) as server:
        run(server.url, lambda client: client.accounts.list(), headers={"x-team": " Café\t"})
    assert server.requests[0].headers["x-team"] == "Café"
