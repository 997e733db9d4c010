"""Connections whose reads and writes share one limit of time: httpx2's own timeouts are for each of them, so that a body which drips
would never end. The limit is that of the attempt, to its last byte.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterable
from contextvars import ContextVar, Token
from secrets import token_hex
from typing import Any, cast

import httpcore2

from ._call import Send
from ._interrupt import let_through
from ._options import SystemClock

# Not looked up in `time` when it is used: tests freeze that.
elapsed = SystemClock.elapsed


current: ContextVar[Send | None] = ContextVar("call_transfer_attempt", default=None)
"""The attempt that runs in this context."""


def begin(order: Send) -> Token[Send | None]:
    """Begins an attempt in this context, and its time."""
    order.end = elapsed() + order.limit
    return current.set(order)


_STATUS_LENGTH = len("HTTP/1.1 200")


def _left(timeout: float | None, error: type[Exception]) -> float | None:
    """Seconds that an operation may take."""
    order = current.get()
    if order is None:
        return timeout
    left = order.end - elapsed()
    if left <= 0:
        raise error("the time of the attempt is up")
    return left if timeout is None else min(timeout, left)


def _mark(buffer: bytes = b"") -> None:
    """Notes what is about to be written, and that what was heard before is no answer to it."""
    order = current.get()
    if order is not None:
        # What goes to a proxy before, such as CONNECT, is no part of the request, which begins with its credential.
        order.sent = order.sent or CREDENTIAL in buffer
        order.heard = b""


def _hear(content: bytes) -> bytes:
    order = current.get()
    if order is not None and len(order.heard) < _STATUS_LENGTH:
        order.heard += content[:_STATUS_LENGTH]
    return content


CREDENTIAL = f"credential-{token_hex(16)}".encode()
"""Stands for the value of the header until its bytes are written."""


def _whole(buffer: bytes) -> memoryview:
    """What to write: with the credential, and as an object that does not show it."""
    order = current.get()
    if order is None or CREDENTIAL not in buffer:
        return memoryview(buffer)
    return memoryview(buffer.replace(CREDENTIAL, f"Bearer {order.credential.reveal()}".encode()))


_PART = 16 * 1024


IDLE_SECONDS = 4.0
"""Seconds for which a connection is kept. Many servers close one that was idle for 5."""


class Stream(httpcore2.NetworkStream):
    """A connection of a sync client."""

    is_for_one_request = False
    """Whether it is not used again."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return _hear(self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout)))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(buffer)
        whole = _whole(buffer)
        try:
            # In parts: its limit is for each time that the socket takes some bytes.
            for start in range(0, len(whole), _PART):
                self._inner.write(cast("bytes", whole[start : start + _PART]), left)
                left = _left(timeout, httpcore2.WriteTimeout)
        except httpcore2.WriteError as error:
            # httpcore2 would go on after a `WriteError`.
            let_through(error)
            raise

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        try:
            _mark()
            left = _left(timeout, httpcore2.ConnectTimeout)
            return Stream(self._inner.start_tls(ssl_context, server_hostname, left))
        except BaseException:
            # No pool knows the connection yet, and httpcore2 leaves it open where it is interrupted.
            self.close()
            raise

    def get_extra_info(self, info: str) -> Any:
        # The pool closes a kept connection that is readable.
        return (info == "is_readable" and self.is_for_one_request) or self._inner.get_extra_info(info)


_MAX_WAIT_FOR_ADDRESS = 5.0
"""Maximum time in seconds for one of several addresses of a host."""


def _addresses_of(host: str, port: int) -> list[str]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        let_through(error)
        raise httpcore2.ConnectError(str(error)) from error
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


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
        _left(timeout, httpcore2.ConnectTimeout)
        addresses = _addresses_of(host, port)
        # A resolver has a limit of its own.
        left = _left(timeout, httpcore2.ConnectTimeout)
        for address in addresses[:-1]:
            share = _MAX_WAIT_FOR_ADDRESS if left is None else min(_MAX_WAIT_FOR_ADDRESS, left / len(addresses))
            try:
                return Stream(self._inner.connect_tcp(address, port, share, local_address, socket_options))
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                let_through(error)
            left = _left(timeout, httpcore2.ConnectTimeout)
        return Stream(self._inner.connect_tcp(addresses[-1], port, left, local_address, socket_options))


class AsyncStream(httpcore2.AsyncNetworkStream):
    """A connection of an async client."""

    is_for_one_request = False

    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return _hear(await self._inner.read(max_bytes, _left(timeout, httpcore2.ReadTimeout)))

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        left = _left(timeout, httpcore2.WriteTimeout)
        _mark(buffer)
        try:
            await self._inner.write(cast("bytes", _whole(buffer)), left)
        except httpcore2.WriteError as error:
            let_through(error)
            raise

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.AsyncNetworkStream:
        try:
            _mark()
            left = _left(timeout, httpcore2.ConnectTimeout)
            return AsyncStream(await self._inner.start_tls(ssl_context, server_hostname, left))
        except BaseException:
            await self.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        given = self._inner.get_extra_info(info)
        return self.is_for_one_request or given or _holds_more(self._inner) if info == "is_readable" else given


def _holds_more(stream: Any) -> bool:
    """Whether anyio has read bytes that nothing took, beside those that the socket still has. It does not show them itself: the names
    are private, and a test knows of which versions they are.

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
        try:
            # It tries the next address of a host beside one that has not answered (RFC 8305).
            return AsyncStream(await self._inner.connect_tcp(host, port, left, local_address, socket_options))
        except UnicodeError as error:
            raise httpcore2.ConnectError(str(error)) from error

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
