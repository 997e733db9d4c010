"""Connections whose reads and writes share one limit of time: httpx2's own timeouts are for each of them, so that a body which drips
would never end. The limit is that of the attempt, to its last byte.
"""

from __future__ import annotations

import math
import os
import re
import socket
import ssl
import threading
from base64 import b64encode
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from queue import Empty, SimpleQueue
from secrets import token_hex
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

import httpcore2
import httpx2

from ._call import Send
from ._errors import ConfigurationError
from ._fork import renew_in_child
from ._interrupt import let_through
from ._options import SystemClock, check
from ._redact import Secret

# Not looked up in `time` when it is used: tests freeze that.
elapsed = SystemClock.elapsed


class Deadline:
    """The attempt that runs in this context: when it must end, and what it sent."""

    __slots__ = ("end", "order")

    def __init__(self, order: Send) -> None:
        self.end = elapsed() + order.limit
        self.order = order


current: ContextVar[Deadline | None] = ContextVar("call_transfer_deadline", default=None)


_STATUS_LENGTH = len("HTTP/1.1 200")


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """Seconds that an operation may take."""
    deadline = current.get()
    if deadline is None:
        return timeout
    left = deadline.end - elapsed()
    if left <= 0:
        raise error("the time of the attempt is up")
    return left if timeout is None else min(timeout, left)


def _mark(buffer: bytes = b"") -> None:
    """Notes what is about to be written, and that what was heard before is no answer to it."""
    deadline = current.get()
    if deadline is not None:
        # What goes to a proxy before, such as CONNECT, is no part of the request, which begins with its credential.
        deadline.order.sent = deadline.order.sent or CREDENTIAL in buffer
        deadline.order.heard = b""


def _hear(content: bytes) -> bytes:
    deadline = current.get()
    if deadline is not None and len(deadline.order.heard) < _STATUS_LENGTH:
        deadline.order.heard += content[:_STATUS_LENGTH]
    return content


CREDENTIAL = f"credential-{token_hex(16)}".encode()
"""Stands for the value of the header until its bytes are written."""


PROXY_CREDENTIAL = f"proxy-credential-{token_hex(16)}".encode()
"""The same for a proxy."""


def _whole(buffer: bytes, proxy: Secret | None) -> memoryview:
    """What to write: with the credentials, and as an object that does not show them."""
    deadline = current.get()
    view = memoryview(buffer)
    if proxy is not None and PROXY_CREDENTIAL in buffer:
        view = memoryview(bytes(view).replace(PROXY_CREDENTIAL, proxy.reveal()))
    if deadline is not None and CREDENTIAL in buffer:
        view = memoryview(bytes(view).replace(CREDENTIAL, f"Bearer {deadline.order.credential.reveal()}".encode()))
    return view


_IDLE_SECONDS = 4.0
_MOST_IDLE_SECONDS = 600.0
_IDLE_HINT = re.compile(r"(?:^|[\s,;])timeout\s*=\s*\"?([0-9]{1,9})", re.IGNORECASE)


def idle_seconds(headers: Iterable[tuple[bytes, bytes]]) -> float:
    """Returns how long a connection may be idle: a second less than the server says it keeps it."""
    given = " , ".join(value.decode("latin-1") for name, value in headers if name.lower() == b"keep-alive")
    hints = [float(match[1]) - 1 for match in _IDLE_HINT.finditer(given)]
    return max(0.0, min([*hints, _MOST_IDLE_SECONDS])) if hints else _IDLE_SECONDS


class _Idle:
    """Knows whether a connection was idle for so long that the server may be closing it."""

    idle_limit = _IDLE_SECONDS

    def __init__(self) -> None:
        self._used = elapsed()

    def use(self) -> None:
        self._used = elapsed()

    def is_over(self) -> bool:
        return elapsed() - self._used >= self.idle_limit


class Stream(_Idle, httpcore2.NetworkStream):
    """A connection of a sync client."""

    def __init__(self, inner: httpcore2.NetworkStream, proxy: Secret | None = None) -> None:
        super().__init__()
        self._inner = inner
        self._proxy = proxy
        sock = inner.get_extra_info("socket")
        # TLS within TLS, to a proxy, has no socket of its own.
        is_whole = isinstance(sock, ssl.SSLSocket) or inner.get_extra_info("ssl_object") is None
        self._socket: socket.socket | None = sock if is_whole and isinstance(sock, socket.socket) else None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        content = self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))
        self.use()
        return _hear(content)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(buffer)
        try:
            if self._socket is None:
                return self._inner.write(cast("bytes", _whole(buffer, self._proxy)), left)
            view = _whole(buffer, self._proxy)
            while view:
                self._socket.settimeout(_left(timeout, httpcore2.WriteTimeout))
                view = view[self._socket.send(view) :]
        except TimeoutError as error:
            let_through(error)
            raise httpcore2.WriteTimeout(str(error)) from error
        except (OSError, httpcore2.WriteError) as error:
            # httpcore2 would go on after a `WriteError`.
            let_through(error)
            raise httpcore2.WriteError(str(error)) from error
        return None

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        _mark()
        left = _left(timeout, httpcore2.ConnectTimeout)
        return Stream(self._inner.start_tls(ssl_context, server_hostname, left), self._proxy)

    def get_extra_info(self, info: str) -> Any:
        # The pool closes an idle connection that is readable.
        return (info == "is_readable" and self.is_over()) or self._inner.get_extra_info(info)


def _in_thread(work: Callable[[], None]) -> None:
    """Runs work beside this thread, or in it where there can be no other, as while the interpreter ends."""
    try:
        threading.Thread(target=work, daemon=True, name="call_transfer").start()
    except RuntimeError:
        work()


def _resolve(host: str, port: int, left: float | None) -> list[str]:
    """The addresses of a host. The system's resolver knows no time limit, so it runs in a thread, which may outlast the wait."""
    with suppress(ValueError):
        return [str(ip_address(host))]
    found: SimpleQueue[list[str] | str] = SimpleQueue()

    def look_up() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found.put(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))
        except (OSError, UnicodeError) as error:
            found.put(str(error))

    _in_thread(look_up)
    try:
        addresses = found.get(timeout=left)
    except Empty:
        raise httpcore2.ConnectTimeout(f"{host} was not resolved in time") from None
    if isinstance(addresses, str):
        raise httpcore2.ConnectError(addresses)
    return addresses


_HEAD_START = 0.25
"""Seconds until the next address of a host is tried beside one that has not answered (RFC 8305)."""


class Backend(httpcore2.NetworkBackend):
    """Opens the connections of a sync client."""

    def __init__(self, proxy: Secret | None = None) -> None:
        self._inner = httpcore2.SyncBackend()
        self._proxy = proxy

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        def connect(address: str) -> httpcore2.NetworkStream:
            rest = None if left is None else max(0.001, end - elapsed())
            return self._inner.connect_tcp(address, port, rest, local_address, socket_options)

        left = _left(timeout, httpcore2.ConnectTimeout)
        end = math.inf if left is None else elapsed() + left
        addresses = _resolve(host, port, left)
        if not addresses:
            raise httpcore2.ConnectError(f"{host} has no address")
        _left(timeout, httpcore2.ConnectTimeout)
        made = connect(addresses[0]) if len(addresses) == 1 else self._race(addresses, connect, end)
        return Stream(made, self._proxy)

    @staticmethod
    def _race(addresses: list[str], connect: Callable[[str], httpcore2.NetworkStream], end: float) -> httpcore2.NetworkStream:
        """The first connection of several addresses."""
        came: SimpleQueue[httpcore2.NetworkStream | Exception] = SimpleQueue()
        is_over = threading.Event()

        def attempt(address: str) -> None:
            try:
                came.put(connect(address))
            except Exception as error:
                came.put(error)
            if is_over.is_set():
                _close_all(came)

        failure: Exception = httpcore2.ConnectTimeout("no address answered in time")
        waiting = 0
        try:
            for place, address in enumerate(addresses, 1):
                _in_thread(partial(attempt, address))
                waiting += 1
                begun = elapsed()
                while waiting:
                    # The last one has the time that is left.
                    until = end if place == len(addresses) else min(end, begun + _HEAD_START)
                    try:
                        one = came.get(timeout=None if until == math.inf else max(0.0, until - elapsed()))
                    except Empty:
                        if elapsed() >= end:
                            raise failure from None
                        break
                    if not isinstance(one, Exception):
                        return one
                    failure = one
                    waiting -= 1
            raise failure
        finally:
            is_over.set()
            _close_all(came)


def _close_all(came: SimpleQueue[httpcore2.NetworkStream | Exception]) -> None:
    with suppress(Empty):
        while True:
            one = came.get_nowait()
            if not isinstance(one, Exception):
                one.close()


class AsyncStream(_Idle, httpcore2.AsyncNetworkStream):
    """A connection of an async client."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream, proxy: Secret | None = None) -> None:
        super().__init__()
        self._inner = inner
        self._proxy = proxy

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        content = await self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout))
        self.use()
        return _hear(content)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(buffer)
        try:
            await self._inner.write(cast("bytes", _whole(buffer, self._proxy)), left)
        except httpcore2.WriteError as error:
            let_through(error)
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        _mark()
        left = _left(timeout, httpcore2.ConnectTimeout)
        return AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, left), self._proxy)

    def get_extra_info(self, info: str) -> Any:
        given = self._inner.get_extra_info(info)
        return given or self.is_over() or _holds_more(self._inner) if info == "is_readable" else given


def _holds_more(stream: Any) -> bool:
    """Whether anyio has read bytes that nothing took, beside those that the socket still has. It does not show them itself.

    A byte that is found is lost, but then the connection is not used again.
    """
    secure: ssl.SSLObject | None = stream.get_extra_info("ssl_object")
    if secure is not None:
        try:
            secure.read(1)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLError:
            return True
        else:
            return True
    inner = getattr(stream, "_stream", None)
    return bool(getattr(getattr(getattr(inner, "transport_stream", inner), "_protocol", None), "read_queue", None))


class AsyncBackend(httpcore2.AsyncNetworkBackend):
    """Opens the connections of an async client, on asyncio."""

    def __init__(self, proxy: Secret | None = None) -> None:
        self._proxy = proxy
        # The types leave out what only exists where anyio is installed.
        self._inner = cast("httpcore2.AsyncNetworkBackend", httpcore2.AnyIOBackend())

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        left = _left(timeout, httpcore2.ConnectTimeout)
        try:
            made = await self._inner.connect_tcp(host, port, left, local_address, socket_options)
            return AsyncStream(made, self._proxy)
        except UnicodeError as error:
            raise httpcore2.ConnectError(str(error)) from error

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class _Body(httpx2.SyncByteStream):
    def __init__(self, inner: Iterable[bytes]) -> None:
        self._inner = inner

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._inner)

    def close(self) -> None:
        cast("Any", self._inner).close()


class _AsyncBody(httpx2.AsyncByteStream):
    def __init__(self, inner: AsyncIterable[bytes]) -> None:
        self._inner = inner

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._inner.__aiter__()

    async def aclose(self) -> None:
        await cast("Any", self._inner).aclose()


def _core_request(request: httpx2.Request) -> httpcore2.Request:
    url = request.url
    target = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return httpcore2.Request(request.method, target, headers=request.headers.raw, content=request.stream, extensions=request.extensions)


def _response(answer: httpcore2.Response, body: _Body | _AsyncBody) -> httpx2.Response:
    extensions: dict[str, Any] = cast("Any", answer).extensions
    stream = extensions.get("network_stream")
    if isinstance(stream, _Idle):
        stream.idle_limit = idle_seconds(answer.headers)
    return httpx2.Response(answer.status, headers=answer.headers, stream=body, extensions=extensions)


class Transport(httpx2.BaseTransport):
    """What a sync client sends through."""

    def __init__(self, open_pool: Callable[[], httpcore2.ConnectionPool]) -> None:
        self._open_pool = open_pool
        self._pool = open_pool()
        renew_in_child(self)

    def after_fork(self) -> None:
        """Closes the child's ends of the connections. Those of the parent stay open."""
        connections = self._pool.connections
        self._pool = self._open_pool()
        for connection in connections:
            connection.close()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = self._pool.handle_request(_core_request(request))
        return _response(answer, _Body(cast("Iterable[bytes]", answer.stream)))

    def close(self) -> None:
        self._pool.close()


class AsyncTransport(httpx2.AsyncBaseTransport):
    """What an async client sends through."""

    def __init__(self, open_pool: Callable[[], httpcore2.AsyncConnectionPool]) -> None:
        self._open_pool = open_pool
        self._pool = open_pool()
        renew_in_child(self)

    def after_fork(self) -> None:
        """Forgets the connections. Closing them would change what the parent's event loop waits for."""
        self._pool = self._open_pool()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        answer = await self._pool.handle_async_request(_core_request(request))
        return _response(answer, _AsyncBody(cast("AsyncIterable[bytes]", answer.stream)))

    async def aclose(self) -> None:
        await self._pool.aclose()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_excepted(host: str, port: int, exceptions: str) -> bool:
    """Whether `NO_PROXY` names a host: as a domain, with or without a dot or `*.` before it, an address, a network, or with a port."""
    with suppress(ValueError):
        host = str(ip_address(host))
    for given in exceptions.lower().replace(",", " ").split():
        name, _, wanted = given.rpartition(":") if re.fullmatch(r"(?:[^:]*|\[.*\]):[0-9]+", given) else (given, "", "")
        name = name.strip("[]").removeprefix("*").strip(".") or "*"
        if wanted and int(wanted) != port:
            continue
        if (name == "*" and given.startswith("*")) or host == name or host.endswith(f".{name}"):
            return True
        with suppress(ValueError):
            if ip_address(host) in ip_network(name, strict=False):
                return True
    return False


def _proxy_for(base_url: str, proxy: Secret | None) -> tuple[str, Secret | None]:
    """The proxy of the option, or that of the environment for the host of the API, with its name."""
    if proxy is not None:
        return "proxy", proxy if proxy.reveal() != "" else None
    url = urlsplit(base_url)
    host = (url.hostname or "").rstrip(".")
    port = url.port or (443 if url.scheme == "https" else 80)
    exceptions = getproxies_environment().get("no", "")
    # No proxy reaches this machine's own addresses.
    if _is_loopback(host) or _is_excepted(host, port, exceptions) or proxy_bypass(host):
        return "proxy", None
    for kind in (url.scheme, "all"):
        found = Secret(getproxies().get(kind))
        if found.reveal():
            name = next((one for one in (f"{kind}_proxy", f"{kind}_PROXY".upper()) if os.environ.get(one)), "proxy")
            return name, found if "://" in found.reveal() else Secret(f"http://{found.reveal()}")
    return "proxy", None


def _parse_proxy(name: str, address: Secret) -> httpx2.Proxy:
    parsed: httpx2.Proxy | None = None
    # Its errors quote the address, which may hold a password, and so does what they would be the context of.
    with suppress(ValueError, httpx2.InvalidURL, TypeError):
        parsed = httpx2.Proxy(address.reveal())
    if (
        parsed is None
        or parsed.url.scheme not in ("http", "https", "socks5", "socks5h")
        or not re.fullmatch(r"[^\s%]+", parsed.url.host)
        or (parsed.url.port or 0) > 65535
        or parsed.url.raw_path not in (b"", b"/")
    ):
        hint = "" if name == "proxy" else '. Set it, or pass proxy="" to use none'
        raise ConfigurationError(
            name, f"must be a URL with http://, https:// or socks5://, such as http://proxy.example.com:3128{hint}"
        )
    if parsed.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ConfigurationError(name, 'needs the package socksio for socks5://. Install it: pip install "call-transfer[socks]"')
    return parsed


def check_connection(proxy: Secret | None, verify: object, max_connections: object, http_client: object) -> None:
    """Checks the options of the connection."""
    is_text = proxy is None or isinstance(proxy.reveal(), str)
    check(is_text, "proxy", 'must be a URL such as http://proxy.example.com:3128, or "" for none')
    is_context = isinstance(verify, (bool, ssl.SSLContext))
    check(is_context, "verify", "must be True, False or an ssl.SSLContext, such as ssl.create_default_context(cafile=path)")
    is_count = isinstance(max_connections, int) and not isinstance(max_connections, bool) and max_connections >= 1
    check(is_count, "max_connections", "must be a whole number from 1")
    if http_client is not None:
        for name, is_given in (
            ("proxy", proxy is not None),
            ("verify", verify is not True),
            ("max_connections", max_connections != 100),
        ):
            check(not is_given, name, "has no effect beside http_client. Set it there.")


def _pool_options(
    base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int
) -> tuple[str, Secret | None, Callable[[], dict[str, Any]]]:
    """The kind of pool, the header for a proxy, and what returns the pool's options, which may hold the password of a SOCKS proxy."""
    options: dict[str, Any] = {
        "max_connections": max_connections,
        "max_keepalive_connections": min(20, max_connections),
        # Each connection has a limit of its own: see `_Idle`.
        "keepalive_expiry": None,
    }
    # A copy of the client may have another base URL.
    if base_url.startswith("https:") or verify is not True:
        options["ssl_context"] = httpx2.create_ssl_context(verify=verify)
    name, address = _proxy_for(base_url, proxy)
    if address is None:
        return "direct", None, lambda: options
    parsed = _parse_proxy(name, address)
    url = parsed.url
    options["proxy_url"] = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    if url.scheme == "https":
        options["proxy_ssl_context"] = httpx2.create_ssl_context()
    if url.scheme.startswith("socks"):
        return "socks", None, lambda: {**options, "proxy_auth": parsed.raw_auth}
    if parsed.raw_auth is None:
        return "http", None, lambda: options
    options["proxy_headers"] = [(b"Proxy-Authorization", PROXY_CREDENTIAL)]
    return "http", Secret(b"Basic " + b64encode(b":".join(parsed.raw_auth))), lambda: options


def open_client(base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.Client:
    """Creates what a sync client sends with."""
    kind, header, options = _pool_options(base_url, proxy, verify, max_connections)
    kinds = {"direct": httpcore2.ConnectionPool, "http": httpcore2.HTTPProxy, "socks": httpcore2.SOCKSProxy}
    return httpx2.Client(transport=Transport(lambda: kinds[kind](network_backend=Backend(header), **options())), trust_env=False)


def open_async_client(base_url: str, proxy: Secret | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.AsyncClient:
    """Creates what an async client sends with."""
    kind, header, options = _pool_options(base_url, proxy, verify, max_connections)
    kinds = {
        "direct": httpcore2.AsyncConnectionPool,
        "http": httpcore2.AsyncHTTPProxy,
        "socks": httpcore2.AsyncSOCKSProxy,
    }
    transport = AsyncTransport(lambda: kinds[kind](network_backend=AsyncBackend(header), **options()))
    return httpx2.AsyncClient(transport=transport, trust_env=False)
