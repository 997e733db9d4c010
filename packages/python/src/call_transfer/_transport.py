"""Connections whose reads and writes share one limit of time: httpx2's own timeouts are for each of them, so that a body which drips
would never end. The limit is that of the attempt, to its last byte.
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from ._call import Send
from ._errors import ConfigurationError
from ._fork import renew_in_child


class Deadline:
    """The attempt that runs in this context: when it must end, and what it sent."""

    __slots__ = ("end", "order")

    def __init__(self, order: Send) -> None:
        self.end = time.monotonic() + order.limit
        self.order = order


current: ContextVar[Deadline | None] = ContextVar("call_transfer_deadline", default=None)


_STATUS_LENGTH = len("HTTP/1.1 200")


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """Seconds that an operation may take."""
    deadline = current.get()
    if deadline is None:
        return timeout
    left = deadline.end - time.monotonic()
    if left <= 0:
        raise error("the time of the attempt is up")
    return left if timeout is None else min(timeout, left)


def _mark(*, sent: bool) -> None:
    deadline = current.get()
    if deadline is not None:
        deadline.order.sent, deadline.order.heard = sent, b""


def _hear(content: bytes) -> bytes:
    deadline = current.get()
    if deadline is not None and len(deadline.order.heard) < _STATUS_LENGTH:
        deadline.order.heard += content[:_STATUS_LENGTH]
    return content


class Stream(httpcore2.NetworkStream):
    """A connection of a sync client."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner
        sock = inner.get_extra_info("socket")
        # TLS within TLS, to a proxy, has no socket of its own.
        is_whole = isinstance(sock, ssl.SSLSocket) or inner.get_extra_info("ssl_object") is None
        self._socket: socket.socket | None = sock if is_whole and isinstance(sock, socket.socket) else None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return _hear(self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(sent=True)
        if self._socket is None:
            return self._inner.write(buffer, left)
        view = memoryview(buffer)
        try:
            while view:
                self._socket.settimeout(_left(timeout, httpcore2.WriteTimeout))
                view = view[self._socket.send(view) :]
        except TimeoutError as error:
            raise httpcore2.WriteTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.WriteError(str(error)) from error
        return None

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        # What was written before went to a proxy.
        _mark(sent=False)
        return Stream(self._inner.start_tls(ssl_context, server_hostname, _left(timeout, httpcore2.ConnectTimeout)))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


class Backend(httpcore2.NetworkBackend):
    """Opens the connections of a sync client."""

    def __init__(self) -> None:
        self._inner = httpcore2.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        failure: Exception = httpcore2.ConnectError(f"{host} has no address")
        untried = list(dict.fromkeys(str(entry[4][0]) for entry in addresses))
        # One by one: the limit of the standard library is for each address.
        while untried:
            left = _left(timeout, httpcore2.ConnectTimeout)
            # One that does not answer leaves time for the others.
            share = None if left is None else left / len(untried)
            try:
                return Stream(self._inner.connect_tcp(untried.pop(0), port, share, local_address, socket_options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


class AsyncStream(httpcore2.AsyncNetworkStream):
    """A connection of an async client."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return _hear(await self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout)))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(sent=True)
        await self._inner.write(buffer, left)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        _mark(sent=False)
        left = _left(timeout, httpcore2.ConnectTimeout)
        return AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, left))

    def get_extra_info(self, info: str) -> Any:
        given = self._inner.get_extra_info(info)
        return given or _holds_more(self._inner) if info == "is_readable" else given


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

    def __init__(self) -> None:
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
        return AsyncStream(await self._inner.connect_tcp(host, port, left, local_address, socket_options))

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
        body = _Body(cast("Iterable[bytes]", answer.stream))
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=body, extensions=cast("dict[str, Any]", cast("Any", answer).extensions)
        )

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
        body = _AsyncBody(cast("AsyncIterable[bytes]", answer.stream))
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=body, extensions=cast("dict[str, Any]", cast("Any", answer).extensions)
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


def _proxy_for(base_url: str, proxy: str | None) -> str | None:
    """The proxy of the option, or that of the environment for the host of the API."""
    if proxy is not None:
        return proxy or None
    url = urlsplit(base_url)
    proxies = getproxies()
    found = proxies.get(url.scheme) or proxies.get("all")
    if not found or proxy_bypass(url.hostname or ""):
        return None
    return found if "://" in found else f"http://{found}"


def _pool_options(base_url: str, proxy: str | None, verify: ssl.SSLContext | bool, max_connections: int) -> tuple[str, dict[str, Any]]:
    """The kind of pool, and its options."""
    options: dict[str, Any] = {
        "max_connections": max_connections,
        "max_keepalive_connections": min(20, max_connections),
        "keepalive_expiry": 5.0,
    }
    # A copy of the client may have another base URL.
    if base_url.startswith("https:") or verify is not True:
        options["ssl_context"] = httpx2.create_ssl_context(verify=verify)
    address = _proxy_for(base_url, proxy)
    if address is None:
        return "direct", options
    parsed = httpx2.Proxy(address)
    if parsed.url.scheme not in ("http", "https", "socks5", "socks5h"):
        raise ConfigurationError("proxy", "must be a URL with http://, https:// or socks5://")
    url = parsed.url
    options["proxy_url"] = httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    options["proxy_auth"] = parsed.raw_auth
    if url.scheme.startswith("socks"):
        return "socks", options
    if url.scheme == "https":
        options["proxy_ssl_context"] = httpx2.create_ssl_context()
    return "http", options


def open_client(base_url: str, proxy: str | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.Client:
    """Creates what a sync client sends with."""
    kind, options = _pool_options(base_url, proxy, verify, max_connections)
    kinds = {"direct": httpcore2.ConnectionPool, "http": httpcore2.HTTPProxy, "socks": httpcore2.SOCKSProxy}
    return httpx2.Client(transport=Transport(partial(kinds[kind], network_backend=Backend(), **options)), trust_env=False)


def open_async_client(base_url: str, proxy: str | None, verify: ssl.SSLContext | bool, max_connections: int) -> httpx2.AsyncClient:
    """Creates what an async client sends with."""
    kind, options = _pool_options(base_url, proxy, verify, max_connections)
    kinds = {
        "direct": httpcore2.AsyncConnectionPool,
        "http": httpcore2.AsyncHTTPProxy,
        "socks": httpcore2.AsyncSOCKSProxy,
    }
    transport = AsyncTransport(partial(kinds[kind], network_backend=AsyncBackend(), **options))
    return httpx2.AsyncClient(transport=transport, trust_env=False)
