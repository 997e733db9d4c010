"""Connections: those that a server closes while they are kept, and TLS. Over real sockets, with both clients."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import KEY, Action, Run, in_turn, place
from servers import Answer, Request, Server, hang_up, respond

from call_transfer import CallTransfer, ConnectionError, OutcomeUnknownError, RequestError
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


@pytest.mark.parametrize(
    ("hint", "idle", "connections"),
    [
        ("", 3.9, 1),
        ("", 4.1, 2),
        ("timeout=5", 3.9, 1),
        ("max=100, Timeout = 5", 4.1, 2),
        ("timeout=60", 3.9, 1),
        ('max=1, TIMEOUT="4"', 0.0, 2),
        ("timeout=0", 0.0, 2),
        ("timeout=soon", 3.9, 1),
    ],
)
@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "TLS"])
def test_an_idle_connection_is_given_up_before_the_server_does(
    run: Run, certificate: Path, monkeypatch: pytest.MonkeyPatch, hint: str, idle: float, connections: int, is_secure: bool
) -> None:
    passed = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: passed)

    def wait(_client: Any) -> None:
        nonlocal passed
        passed = idle

    found = respond(200, {"roles": []}, {"keep-alive": hint} if hint else {})
    with TlsServer(certificate, found) if is_secure else Server(found) as server:
        run(server.url, in_turn(roles, wait, roles), verify=trusting(certificate) if is_secure else True)
    assert server.connections == connections


@pytest.mark.parametrize("host", ["no-such-host.invalid", f"{'a' * 64}.example.com"])
def test_a_host_without_an_address_sent_nothing(run: Run, host: str) -> None:
    with pytest.raises(ConnectionError) as caught:
        run(f"https://{host}", place, max_retries=0)
    assert caught.value.outcome == "not_sent"


class Addresses:
    """Several addresses for `localhost`. Those of the network 192.0.2.0/24 refuse, or do not answer in time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *addresses: str) -> None:
        self.tried = list[tuple[str, float]]()
        self._connect, self._resolve, self._addresses = socket.create_connection, socket.getaddrinfo, addresses
        monkeypatch.setattr(socket, "getaddrinfo", self.look_up)
        monkeypatch.setattr(socket, "create_connection", self.open)

    def look_up(self, host: str, port: int, *given: Any, **named: Any) -> list[Any]:
        if host != "localhost":
            return self._resolve(host, port, *given, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in self._addresses]

    def open(self, address: tuple[str, int], timeout: float, **options: Any) -> socket.socket:
        self.tried.append((address[0], round(timeout)))
        if address[0].startswith("192.0.2."):
            raise ConnectionRefusedError if address[0] == "192.0.2.9" else TimeoutError
        return self._connect(("127.0.0.1", address[1]), timeout, **options)


# On asyncio, anyio tries the addresses.
@pytest.mark.parametrize(
    ("timeout", "tried"),
    [
        (40, [("192.0.2.1", 5), ("192.0.2.9", 5), ("127.0.0.1", 40)]),
        (9, [("192.0.2.1", 3), ("192.0.2.9", 3), ("127.0.0.1", 9)]),
    ],
)
def test_an_address_that_does_not_answer_leaves_time_for_the_others(
    monkeypatch: pytest.MonkeyPatch, timeout: float, tried: list[tuple[str, float]]
) -> None:
    with Server(respond(201, INITIATED)) as server:
        hosts = Addresses(monkeypatch, "192.0.2.1", "192.0.2.9", "127.0.0.1")
        with CallTransfer(base_url=server.url.replace("127.0.0.1", "localhost"), api_key=KEY, timeout=timeout) as client:
            assert place(client).call_id == "c-1"
    assert hosts.tried == tried


@pytest.mark.parametrize("last", ["192.0.2.1", "192.0.2.9"])
def test_addresses_that_never_answer_sent_nothing(monkeypatch: pytest.MonkeyPatch, last: str) -> None:
    Addresses(monkeypatch, "192.0.2.2", last)
    with CallTransfer(base_url="http://localhost:9", api_key=KEY, max_retries=0) as client, pytest.raises(RequestError) as caught:
        place(client)
    assert (caught.value.outcome, len(caught.value.attempts)) == ("not_sent", 1)


def test_no_address_is_tried_when_the_resolver_has_taken_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts = Addresses(monkeypatch, "127.0.0.1")

    def look_up_slowly(*given: Any, **named: Any) -> list[Any]:
        time.sleep(0.3)
        return hosts.look_up(*given, **named)

    monkeypatch.setattr(socket, "getaddrinfo", look_up_slowly)
    with (
        CallTransfer(base_url="http://localhost:9", api_key=KEY, timeout=0.2, max_retries=0) as client,
        pytest.raises(RequestError) as caught,
    ):
        place(client)
    assert (caught.value.outcome, hosts.tried) == ("not_sent", [])


def test_a_copy_with_https_trusts_what_its_client_trusts(certificate: Path) -> None:
    with TlsServer(certificate, respond(201, INITIATED)) as server:
        with CallTransfer(base_url="http://localhost", api_key=KEY, verify=trusting(certificate)) as client:
            assert place(client.with_options(base_url=server.url)).call_id == "c-1"
