"""Connections: those that a server closes while they are kept, and TLS. Over real sockets, with both clients."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpcore2
import pytest
from conftest import KEY, Action, Run, in_turn, place
from servers import Answer, Request, Server, hang_up, respond

from call_transfer import AsyncCallTransfer, CallTransfer, ConnectionError, OutcomeUnknownError, _transport
from call_transfer import TimeoutError as CallTimeout
from call_transfer._transport import AsyncBackend

INITIATED = {"type": "initiated", "callId": "c-1"}


def then_closes(answer: Answer, closed: threading.Event) -> Answer:
    """Answers, and closes the connection as a server does with one that is idle for too long."""

    def both(connection: socket.socket, request: Request, stop: threading.Event) -> None:
        answer(connection, request, stop)
        hang_up(connection, request, stop)
        closed.set()

    return both


def roles(client: Any) -> Any:
    return client.roles.list()


@pytest.mark.parametrize(("action", "answer"), [(roles, respond(200, {"roles": []})), (place, respond(201, INITIATED))])
def test_a_kept_connection_that_was_closed_is_not_used(run: Run, action: Action, answer: Answer) -> None:
    closed = threading.Event()
    with Server(then_closes(respond(200, {"roles": []}), closed), answer) as server:
        run(server.url, in_turn(roles, lambda _: closed.wait(300), action), max_retries=0)
    assert (len(server.requests), server.connections) == (2, 2)


def test_a_read_is_repeated_where_a_kept_connection_is_closed_instead_of_an_answer(run: Run) -> None:
    found = respond(200, {"roles": []})
    with Server(found, hang_up, found) as server:
        run(server.url, in_turn(roles, roles), max_retries=1)
    assert (len(server.requests), server.connections) == (3, 2)


def test_a_placement_is_sent_once_where_a_kept_connection_is_closed_instead_of_an_answer(run: Run) -> None:
    with Server(respond(200, {"roles": []}), hang_up) as server, pytest.raises(OutcomeUnknownError) as caught:
        run(server.url, in_turn(roles, place))
    assert (caught.value.outcome, len(caught.value.attempts)) == ("unknown", 1)
    assert [request.method for request in server.requests] == ["GET", "POST"]
    assert server.connections == 1


class TlsServer(Server):
    """The same over TLS, with a certificate for `localhost`."""

    def __init__(self, certificate: Path, *answers: Answer) -> None:
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        super().__init__(*answers)

    @property
    def url(self) -> str:
        return super().url.replace("http://127.0.0.1", "https://localhost")

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection, self._context.wrap_socket(connection, server_side=True) as secure:
            super()._serve(secure)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that signs itself, valid for a day."""
    file = tmp_path_factory.mktemp("tls") / "own.pem"
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(file.with_suffix(".key"))]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    uses = ["-addext", "keyUsage=critical,digitalSignature,keyCertSign"]
    subprocess.run(["openssl", "req", "-x509", "-days", "1", *key, "-out", str(file), *names, *uses], check=True, capture_output=True)
    return file


def trusting(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=certificate)


@pytest.mark.parametrize("verify", [trusting, lambda _: False])
def test_a_call_is_placed_over_tls(run: Run, certificate: Path, verify: Callable[[Path], ssl.SSLContext | bool]) -> None:
    with TlsServer(certificate, respond(201, INITIATED)) as server:
        assert run(server.url, place, verify=verify(certificate)).call_id == "c-1"


def test_an_answer_that_is_lost_over_tls_is_unknown(run: Run, certificate: Path) -> None:
    with TlsServer(certificate, hang_up) as server, pytest.raises(OutcomeUnknownError):
        run(server.url, place, verify=trusting(certificate))
    assert len(server.requests) == 1


@pytest.mark.parametrize("reason", ["self-signed certificate", "IP address mismatch"])
def test_a_certificate_that_is_refused_sent_nothing(run: Run, certificate: Path, reason: str) -> None:
    with TlsServer(certificate) as server, pytest.raises(ConnectionError) as caught:
        is_trusted = reason != "self-signed certificate"
        url = server.url.replace("localhost", "127.0.0.1") if is_trusted else server.url
        run(url, place, verify=trusting(certificate) if is_trusted else True, max_retries=0)
    assert caught.value.outcome == "not_sent"
    assert reason in str(caught.value).replace("self signed", "self-signed")
    assert server.requests == []


@pytest.mark.parametrize("is_secure", [False, True])
def test_a_connection_with_bytes_that_nothing_read_is_not_used_again(certificate: Path, is_secure: bool) -> None:
    def both(connection: socket.socket, _request: Request, _stop: threading.Event) -> None:
        connection.sendall(b"first and second")

    async def read(server: Server) -> list[bool]:
        port = int(server.url.rpartition(":")[2])
        stream = await AsyncBackend().connect_tcp("127.0.0.1", port)
        if is_secure:
            stream = await stream.start_tls(trusting(certificate), "localhost")
        await stream.write(b"GET / HTTP/1.1\r\n\r\n")
        read = [await stream.read(5)]
        more = [bool(stream.get_extra_info("is_readable"))]
        # Over TLS, looking takes a byte.
        while sum(map(len, read)) < (15 if is_secure else 16):
            read.append(await stream.read(100))
        more.append(bool(stream.get_extra_info("is_readable")))
        await stream.aclose()
        return more

    with TlsServer(certificate, both) if is_secure else Server(both) as server:
        assert asyncio.run(read(server)) == [True, False]


IDLE = [
    (None, 3.9, True),
    (None, 4.1, False),
    ("timeout=5", 3.9, True),
    ("timeout=5", 4.1, False),
    ("timeout=60, max=100", 58.0, True),
    ("max=100, timeout=3", 2.1, False),
    ('TIMEOUT = "3"', 2.1, False),
    ("timeout=1", 0.0, False),
    ("timeout=0", 0.0, False),
    ("timeout=99999", 599.0, True),
    ("timeout=99999", 601.0, False),
    ("max=100", 4.1, False),
    ("timeout=soon", 4.1, False),
    ("max=1, Timeout=5", 4.1, False),
    ("timeout=5.5", 4.1, False),
    ("300", 4.1, False),
]


@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "TLS"])
@pytest.mark.parametrize(("hint", "idle", "is_kept"), IDLE)
def test_an_idle_connection_is_given_up_before_the_server_does(
    run: Run, certificate: Path, monkeypatch: pytest.MonkeyPatch, hint: str | None, idle: float, is_kept: bool, is_secure: bool
) -> None:
    passed = 0.0
    monkeypatch.setattr(_transport, "elapsed", lambda: passed)

    def wait(_client: Any) -> None:
        nonlocal passed
        passed = idle

    found = respond(200, {"roles": []}, {} if hint is None else {"Keep-Alive": hint})
    with TlsServer(certificate, found) if is_secure else Server(found) as server:
        options = {"verify": trusting(certificate)} if is_secure else {}
        run(server.url, in_turn(roles, wait, roles), **options)
    assert server.connections == (1 if is_kept else 2)


def test_an_idle_connection_to_a_proxy_is_given_up_before_the_proxy_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr(_transport, "elapsed", lambda: passed)

    def wait(_client: Any) -> None:
        nonlocal passed
        passed = 1.5

    with Server(respond(200, {"roles": []}, {"keep-alive": "timeout=2"})) as proxy:
        run("http://api.example.com", in_turn(roles, wait, roles), proxy=proxy.url, allow_insecure_http=True)
    assert proxy.connections == 2


def test_a_resolver_that_hangs_takes_no_longer_than_the_limit(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    go, ended, resolve = threading.Event(), threading.Event(), socket.getaddrinfo

    def hang(host: str, *given: Any, **named: Any) -> Any:
        if host == "api.example.com":
            go.wait(60)
            ended.set()
        return resolve("127.0.0.1", *given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    # It leaves nothing that the end of the client, or of `asyncio.run()`, waits for.
    with pytest.raises(CallTimeout, match="no complete response within") as caught:
        run("https://api.example.com", place, total_timeout=0.2)
    assert not ended.is_set()
    go.set()
    assert (caught.value.outcome, len(caught.value.attempts)) == ("not_sent", 1)


def test_an_address_that_is_found_after_its_event_loop_ended_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    go, failures = threading.Event(), list[object]()

    def hang(*_: Any, **__: Any) -> Any:
        go.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    monkeypatch.setattr(threading, "excepthook", failures.append)

    async def try_once() -> None:
        async with AsyncCallTransfer(base_url="https://api.example.com", api_key=KEY, total_timeout=0.1) as client:
            with pytest.raises(CallTimeout):
                await place(client)

    asyncio.run(try_once())
    go.set()
    for thread in threading.enumerate():
        if thread.name == "call_transfer":
            thread.join(20)
    assert failures == []


@pytest.mark.parametrize("host", ["no-such-host.invalid", f"{'a' * 64}.example.com"])
def test_a_host_without_an_address_sent_nothing(run: Run, host: str) -> None:
    with pytest.raises(ConnectionError) as caught:
        run(f"https://{host}", place, max_retries=0)
    assert caught.value.outcome == "not_sent"


class Addresses:
    """Several addresses for `localhost`. Those that do not answer wait for `go`, or to be cancelled."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
        self.go, self.tried, self.made = threading.Event(), list[str](), list[socket.socket]()
        self.connect, self.resolve, self.addresses = socket.create_connection, socket.getaddrinfo, addresses
        self.connect_async: Any = httpcore2.AnyIOBackend.connect_tcp
        monkeypatch.setattr(socket, "getaddrinfo", self.look_up)
        monkeypatch.setattr(socket, "create_connection", self.open)

        async def open_async(backend: Any, host: str, port: int, timeout: float | None, *given: Any) -> Any:
            self.tried.append(host)
            if host == "192.0.2.9":
                raise httpcore2.ConnectError("refused")
            if host.startswith("192.0.2."):
                await asyncio.sleep(timeout or 60)
                raise httpcore2.ConnectTimeout
            return await self.connect_async(backend, "127.0.0.1", port, timeout, *given)

        monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", open_async)

    def look_up(self, host: str, port: int, *given: Any, **named: Any) -> list[Any]:
        if host != "localhost":
            return self.resolve(host, port, *given, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in self.addresses]

    def open(self, address: tuple[str, int], timeout: float, **options: Any) -> socket.socket:
        self.tried.append(address[0])
        if address[0] == "192.0.2.9":
            raise ConnectionRefusedError
        if address[0].startswith("192.0.2."):
            self.go.wait(min(timeout, 60))
            if address[0] != "192.0.2.7":
                raise TimeoutError
        self.made.append(self.connect(("127.0.0.1", address[1]), timeout, **options))
        return self.made[-1]


@pytest.mark.parametrize(
    "addresses",
    [("192.0.2.1", "127.0.0.1"), ("192.0.2.1", "192.0.2.2", "127.0.0.1"), ("192.0.2.9", "127.0.0.1"), ("127.0.0.1", "192.0.2.1")],
)
def test_an_address_that_does_not_answer_holds_up_no_other(
    run: Run, monkeypatch: pytest.MonkeyPatch, addresses: tuple[str, ...]
) -> None:
    with Server(respond(201, INITIATED)) as server:
        hosts = Addresses(monkeypatch, *addresses)
        assert run(server.url.replace("127.0.0.1", "localhost"), place, timeout=40).call_id == "c-1"
        assert not hosts.go.is_set()
        hosts.go.set()
    tried = addresses[: addresses.index("127.0.0.1") + 1]
    assert tuple(hosts.tried[: len(tried)]) == tried


def test_a_connection_that_comes_too_late_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(respond(201, INITIATED)) as server:
        client = CallTransfer(base_url=server.url.replace("127.0.0.1", "localhost"), api_key=KEY, timeout=40)
        hosts = Addresses(monkeypatch, "192.0.2.7", "127.0.0.1")
        with client:
            assert place(client).call_id == "c-1"
            hosts.go.set()
            for thread in threading.enumerate():
                if thread.name == "call_transfer":
                    thread.join(20)
    assert [one.fileno() for one in hosts.made] == [-1, -1]


def test_the_second_of_two_connections_on_asyncio_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    async def open_both() -> list[bool]:
        both = asyncio.Event()

        class Inner(httpcore2.AsyncMockStream):
            is_closed = False

            async def aclose(self) -> None:
                self.is_closed = True

        async def connect(_backend: Any, host: str, *_: Any) -> Any:
            if host == "192.0.2.2":
                both.set()
            await both.wait()
            made.append(Inner([]))
            return made[-1]

        monkeypatch.setattr(httpcore2.AnyIOBackend, "connect_tcp", connect)
        stream = await AsyncBackend().connect_tcp("localhost", 9)
        closed = [one.is_closed for one in made]
        await stream.aclose()
        return closed

    Addresses(monkeypatch, "192.0.2.1", "192.0.2.2")
    assert sorted(asyncio.run(open_both())) == [False, True]
    assert [one.is_closed for one in made] == [True, True]


def test_addresses_that_never_answer_take_the_limit_together(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Addresses(monkeypatch, "192.0.2.1", "192.0.2.2", "192.0.2.3")
    with pytest.raises(CallTimeout) as caught:
        run("http://localhost:9", place, total_timeout=0.6)
    hosts.go.set()
    assert (caught.value.outcome, len(caught.value.attempts)) == ("not_sent", 1)


def test_a_copy_with_https_trusts_what_its_client_trusts(certificate: Path) -> None:
    with TlsServer(certificate, respond(201, INITIATED)) as server:
        with CallTransfer(base_url="http://localhost", api_key=KEY, verify=trusting(certificate)) as client:
            assert place(client.with_options(base_url=server.url)).call_id == "c-1"
