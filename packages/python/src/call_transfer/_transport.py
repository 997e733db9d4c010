"""Connections whose reads and writes share one limit of time: httpx2's own timeouts are for each of them, so that a body which drips
would never end. The limit is that of the attempt, to its last byte.
"""

from __future__ import annotations

import asyncio
import math
import re
import socket
import ssl
import threading
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from secrets import token_hex
from typing import Any, NamedTuple, cast

import httpcore2

from ._call import Send
from ._interrupt import let_through
from ._options import SystemClock
from ._redact import Secret

# Not looked up in `time` when it is used: tests freeze that.
elapsed = SystemClock.elapsed


class Deadline:
    """The attempt that runs in this context: when it must end, what it sent, and the connection that was made for it."""

    __slots__ = ("end", "made", "order")

    def __init__(self, order: Send) -> None:
        self.end = elapsed() + order.limit
        self.order = order
        self.made: Stream | AsyncStream | None = None


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


def _note_made(stream: Stream | AsyncStream) -> None:
    deadline = current.get()
    if deadline is not None:
        deadline.made = stream


def made_in_vain() -> Stream | AsyncStream | None:
    """The connection that was made for an attempt that failed. httpcore2 forgets one whose SOCKS proxy refuses, without closing it."""
    deadline = current.get()
    return None if deadline is None else deadline.made


CREDENTIAL = f"credential-{token_hex(16)}".encode()
"""Stands for the value of the header until its bytes are written."""


class ProxyCredential(NamedTuple):
    """Bytes that stand for the user name and the password of a proxy until they are written, and what is written in their place."""

    mark: bytes
    value: Secret


def _whole(buffer: bytes, proxy: ProxyCredential | None) -> memoryview:
    """What to write: with the credentials, and as an object that does not show them."""
    deadline = current.get()
    view = memoryview(buffer)
    if proxy is not None and proxy.mark in buffer:
        view = memoryview(bytes(view).replace(proxy.mark, proxy.value.reveal()))
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


class Idle:
    """Knows whether a connection was idle for so long that the server may be closing it."""

    idle_limit = _IDLE_SECONDS

    def __init__(self) -> None:
        self._used = elapsed()

    def use(self) -> None:
        self._used = elapsed()

    def is_over(self) -> bool:
        return elapsed() - self._used >= self.idle_limit


class Stream(Idle, httpcore2.NetworkStream):
    """A connection of a sync client."""

    def __init__(self, inner: httpcore2.NetworkStream, proxy: ProxyCredential | None = None) -> None:
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


def _look_up(host: str, port: int, take: Callable[[list[str] | str], object]) -> None:
    """Asks the system's resolver for the addresses of a host, or for why there are none, in a thread: it knows no time limit."""

    def look_up() -> None:
        try:
            entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            take(list(dict.fromkeys(str(entry[4][0]) for entry in entries)))
        except (OSError, UnicodeError) as error:
            take(str(error))

    _in_thread(look_up)


def _checked(host: str, found: list[str] | str) -> list[str]:
    if isinstance(found, str) or not found:
        raise httpcore2.ConnectError(found or f"{host} has no address")
    return found


def _resolve(host: str, port: int, left: float | None) -> list[str]:
    """The addresses of a host, if they are found in time. The thread that looks may outlast the wait."""
    with suppress(ValueError):
        return [str(ip_address(host))]
    found: SimpleQueue[list[str] | str] = SimpleQueue()
    _look_up(host, port, found.put)
    try:
        return _checked(host, found.get(timeout=left))
    except Empty:
        raise httpcore2.ConnectTimeout(f"{host} was not resolved in time") from None


async def _resolve_async(host: str, port: int, left: float | None) -> list[str]:
    """Does the same on asyncio, whose own resolver has threads that `asyncio.run()` waits for."""
    with suppress(ValueError):
        return [str(ip_address(host))]
    loop = asyncio.get_running_loop()
    found: asyncio.Future[list[str] | str] = loop.create_future()

    def take(result: list[str] | str) -> None:
        # The loop may have ended by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if found.done() else found.set_result(result))

    _look_up(host, port, take)
    done, _ = await asyncio.wait({found}, timeout=left)
    if not done:
        raise httpcore2.ConnectTimeout(f"{host} was not resolved in time")
    return _checked(host, found.result())


_HEAD_START = 0.25
"""Seconds until the next address of a host is tried beside one that has not answered (RFC 8305)."""


class Backend(httpcore2.NetworkBackend):
    """Opens the connections of a sync client."""

    def __init__(self, proxy: ProxyCredential | None = None) -> None:
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
        _left(timeout, httpcore2.ConnectTimeout)
        made = connect(addresses[0]) if len(addresses) == 1 else self._race(addresses, connect, end)
        stream = Stream(made, self._proxy)
        _note_made(stream)
        return stream

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


class AsyncStream(Idle, httpcore2.AsyncNetworkStream):
    """A connection of an async client."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream, proxy: ProxyCredential | None = None) -> None:
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

    def __init__(self, proxy: ProxyCredential | None = None) -> None:
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
        async def connect(address: str) -> httpcore2.AsyncNetworkStream:
            rest = None if left is None else max(0.001, end - elapsed())
            return await self._inner.connect_tcp(address, port, rest, local_address, socket_options)

        left = _left(timeout, httpcore2.ConnectTimeout)
        end = math.inf if left is None else elapsed() + left
        addresses = await _resolve_async(host, port, left)
        _left(timeout, httpcore2.ConnectTimeout)
        made = await connect(addresses[0]) if len(addresses) == 1 else await self._race(addresses, connect, end)
        stream = AsyncStream(made, self._proxy)
        _note_made(stream)
        return stream

    @staticmethod
    async def _race(
        addresses: list[str], connect: Callable[[str], Coroutine[Any, Any, httpcore2.AsyncNetworkStream]], end: float
    ) -> httpcore2.AsyncNetworkStream:
        """The first connection of several addresses."""
        failure: BaseException = httpcore2.ConnectTimeout("no address answered in time")
        attempts: list[asyncio.Task[httpcore2.AsyncNetworkStream]] = []
        waiting: set[asyncio.Task[httpcore2.AsyncNetworkStream]] = set()
        first: asyncio.Task[httpcore2.AsyncNetworkStream] | None = None
        try:
            for place, address in enumerate(addresses, 1):
                attempts.append(asyncio.ensure_future(connect(address)))
                waiting.add(attempts[-1])
                begun = elapsed()
                while waiting:
                    # The last one has the time that is left.
                    until = end if place == len(addresses) else min(end, begun + _HEAD_START)
                    left = None if until == math.inf else max(0.0, until - elapsed())
                    done, waiting = await asyncio.wait(waiting, timeout=left, return_when=asyncio.FIRST_COMPLETED)
                    if not done:
                        if elapsed() >= end:
                            raise failure
                        break
                    for one in done:
                        error = one.exception()
                        if error is None:
                            first = one
                            return one.result()
                        failure = error
            raise failure
        finally:
            others = [one for one in attempts if one is not first]
            for one in others:
                one.cancel()
            for made in await asyncio.gather(*others, return_exceptions=True):
                if not isinstance(made, BaseException):
                    await made.aclose()

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)
