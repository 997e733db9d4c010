"""The only places that send or sleep: one for threads, one for asyncio. What to do is decided in `_core.py`."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import time
from collections.abc import Callable, Generator
from types import FrameType
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

import anyio
import httpcore2
import httpx2

from ._answer import BodyReader, UnknownEncoding
from ._auth import Auth, RenewalTimeout
from ._call import GetToken, Received, Send, Sleep, Step, Steps
from ._duration import sleep
from ._errors import ConfigurationError, InvalidArgumentError
from ._interrupt import forget_locals, handler_error
from ._outcome import proves_unsent
from ._transport import CREDENTIAL, begin, current, elapsed

T = TypeVar("T")

_STATUS = re.compile(rb"HTTP/[0-9]\.[0-9] ([0-9]{3})")
_TIMEOUTS = (httpcore2.TimeoutException, httpx2.TimeoutException)


class UnaskedAnswer(Exception):
    """A server, or a proxy before it, sent more answers than there were requests."""


_FAILURES: tuple[type[BaseException], ...] = (
    OSError,
    httpx2.RequestError,
    httpx2.StreamError,
    httpcore2.TimeoutException,
    httpcore2.NetworkError,
    httpcore2.ProtocolError,
    httpcore2.ProxyError,
    httpcore2.UnsupportedProtocol,
    anyio.BrokenResourceError,
    anyio.ClosedResourceError,
    anyio.EndOfStream,
    UnaskedAnswer,
    UnknownEncoding,
)
"""What a connection fails with. Nothing else is taken for a failure of one."""


_processes: WeakKeyDictionary[object, int] = WeakKeyDictionary()
"""The process that sends with a client of the caller's. Another one may hold the same connections, and get its answers."""


def check_process(http: httpx2.Client | httpx2.AsyncClient) -> None:
    """Raises a `ConfigurationError` where another process sends with a client of the caller's."""
    if _processes.setdefault(http, os.getpid()) != os.getpid():
        raise ConfigurationError("http_client", "was used by another process before the fork. Create one in each process.")


class _Bearer(httpx2.Auth):
    """Adds the credential to a request of the caller's client."""

    def __init__(self, order: Send) -> None:
        self._order = order

    def auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        request.headers["authorization"] = f"Bearer {self._order.credential.reveal()}"
        yield request


def _hook_of(error: BaseException) -> Literal["request", "response"] | None:
    """Which kind of hook of the caller's client raised an error. Hooks may be anything that can be called, also without a frame.

    httpx2 does not say it: the names are private, and a test knows of which versions they are.
    """
    trace = error.__traceback__
    while trace is not None:
        frame, trace = trace.tb_frame, trace.tb_next
        # It raises again what a hook of responses raised.
        while trace is not None and trace.tb_frame is frame:
            trace = trace.tb_next
        if frame.f_code.co_name == "_send_handling_redirects" and _is_of_httpx(frame):
            is_hook = trace is None or not _is_of_httpx(trace.tb_frame)
            return None if not is_hook else "response" if "response" in frame.f_locals else "request"
    return None


def _is_of_httpx(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).partition(".")[0] == "httpx2"


class _Exchange:
    """One sending: the request for httpx2, and what has arrived of its response."""

    def __init__(self, http: httpx2.Client | httpx2.AsyncClient, order: Send, *, is_own: bool) -> None:
        self._http = http
        self._order = order
        self._is_own = is_own
        self._is_traced = False
        # What the caller handles is no part of what happens here.
        self._outer = sys.exc_info()[1]
        self._response: httpx2.Response | None = None
        self.reader: BodyReader | None = None
        if not is_own:
            check_process(http)
        self.auth = None if is_own else _Bearer(order)
        limit = order.limit
        extensions: dict[str, Any] = {"timeout": {"connect": limit, "read": limit, "write": limit, "pool": limit}}
        if not is_own:
            extensions["trace"] = self._trace
        # Spaces around a value are no part of it, and httpcore2 rejects them.
        headers = [(name.encode(), value.strip(" \t").encode("latin-1")) for name, value in order.headers.items()]
        if is_own:
            headers.append((b"authorization", CREDENTIAL))
        try:
            self.request = httpx2.Request(order.method, order.url, headers=headers, content=order.body, extensions=extensions)
        except httpx2.InvalidURL as error:
            raise InvalidArgumentError("path", f"and query make no URL that can be sent: {error}") from None

    def _trace(self, event: str, info: dict[str, Any]) -> None:
        self._is_traced = True
        # httpcore2 would go on after a failure to write.
        failure = info.get("exception") if event.endswith(".failed") else None
        interruption = None if failure is None else handler_error(failure, self._outer)
        if interruption is not None:
            raise interruption
        if event.endswith("send_request_headers.started"):
            self._order.sent = True

    def open(self, response: httpx2.Response) -> tuple[BodyReader, bytes | None]:
        """Begins to read a response. Returns its body, too, if the client has read it already."""
        heard = _STATUS.match(self._order.heard)
        if self._is_own and not (heard and heard[1] in (b"%d" % response.status_code, b"100", b"102", b"103")):
            raise UnaskedAnswer("the connection held an answer from before the request")
        self._response = response
        self._order.sent = True
        is_read = response.is_stream_consumed
        self.reader = BodyReader(response.status_code, None if is_read else response.headers.get("content-encoding"))
        return self.reader, response.content if is_read else None

    def received(self, error: BaseException | None = None, *, is_whole: bool = True) -> Received:
        """Returns what came of it."""
        order, response, reader = self._order, self._response, self.reader
        if response is None or reader is None:
            timed_out = isinstance(error, _TIMEOUTS)
            if self._is_own:
                sent = order.sent and not isinstance(error, httpcore2.ProxyError)
            else:
                sent = order.sent or error is None or not proves_unsent(error)
            headers: Any = {} if response is None else response.headers
            status = None if response is None else response.status_code
            return Received(sent, status, headers, lost="timeout" if timed_out else "failed", error=error)
        text = reader.text(is_complete=error is None and is_whole)
        received = Received(True, response.status_code, response.headers, text, error=error)
        if error is not None:
            received.lost = "timeout" if isinstance(error, _TIMEOUTS) else "failed"
        elif not is_whole and not reader.is_cut:
            received.lost, received.error = "too_large", ValueError(f"{reader.limit} bytes")
        return received

    def failed(self, error: BaseException) -> Received | BaseException:
        """Returns what came of it, or the exception of the caller's that must leave the client as it is."""
        order = self._order
        interruption = handler_error(error, self._outer)
        if interruption is None:
            hook = None if self._is_own else _hook_of(error)
            if hook is not None:
                order.sent = order.sent or hook == "response"
                return Received(order.sent, lost="hook_raised", error=error) if isinstance(error, Exception) else error
            if isinstance(error, _FAILURES):
                return self.received(error)
        # A transport of the caller's that says nothing may have sent.
        order.sent = order.sent or not (self._is_own or self._is_traced)
        return interruption or error


class _AsyncExchange(_Exchange):
    async def _trace(self, event: str, info: dict[str, Any]) -> None:  # type: ignore[override]
        super()._trace(event, info)


def _settled(ended: Received | BaseException) -> Received:
    """Raises what must leave the client. Not called in `except`, so that what failed is no context of what the caller raised."""
    if isinstance(ended, BaseException):
        forget_locals(ended)
        raise ended
    return ended


def exchange(http: httpx2.Client, order: Send, *, is_own: bool) -> Received:
    """Sends a request once, and reads its response."""
    one = _Exchange(http, order, is_own=is_own)
    token = begin(order)
    response: httpx2.Response | None = None
    try:
        response = http.send(one.request, stream=True, auth=one.auth, follow_redirects=False)
        reader, body = one.open(response)
        for chunk in response.iter_raw() if body is None else (body,):
            if not reader.add(chunk):
                return one.received(is_whole=False)
        return one.received()
    except BaseException as error:
        ended = one.failed(error)
    finally:
        if response is not None:
            response.close()
        current.reset(token)
    return _settled(ended)


async def exchange_async(http: httpx2.AsyncClient, order: Send, *, is_own: bool) -> Received:
    """Does the same on asyncio."""
    one = _AsyncExchange(http, order, is_own=is_own)
    token = begin(order)
    response: httpx2.Response | None = None
    try:
        response = await http.send(one.request, stream=True, auth=one.auth, follow_redirects=False)
        reader, body = one.open(response)
        if body is not None:
            return one.received(is_whole=reader.add(body))
        async for chunk in response.aiter_raw():
            if not reader.add(chunk):
                return one.received(is_whole=False)
        return one.received()
    except BaseException as error:
        ended = one.failed(error)
    finally:
        if response is not None:
            await response.aclose()
        current.reset(token)
    return _settled(ended)


class _Driver:
    def __init__(self, http: Any, auth: Auth, *, is_own: bool) -> None:
        self._http = http
        self._auth = auth
        self._is_own = is_own
        self.sleep: Callable[[float], Any] | None = None
        """Takes the place of a wait, for a clock that is not the machine's."""


class Driver(_Driver):
    """Carries out what the core asks for, in the caller's thread."""

    def run(self, steps: Steps[T]) -> T:
        """Runs a generator to its end."""
        answer: Any = None
        failure: BaseException | None = None
        while True:
            # Not inside of `except`, so that the original error, which refers to the request, is no context of ours.
            try:
                step = steps.send(answer) if failure is None else steps.throw(failure)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = failure = None
            try:
                answer = self._perform(step)
            except BaseException as error:
                failure = error

    def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return exchange(self._http, step, is_own=self._is_own)
        if isinstance(step, Sleep):
            return (self.sleep or time.sleep)(step.seconds)
        return self._token(step)

    def _token(self, step: GetToken) -> Any:
        if step.expired is None:
            return self._auth.credential()
        return self._auth.renew(step.expired, elapsed(), step.limit)


class AsyncDriver(_Driver):
    """Carries out what the core asks for, on asyncio."""

    async def run(self, steps: Steps[T]) -> T:
        """Runs a generator to its end."""
        answer: Any = None
        failure: BaseException | None = None
        while True:
            try:
                step = steps.send(answer) if failure is None else steps.throw(failure)
            except StopIteration as end:
                result: T = end.value
                return result
            answer = failure = None
            try:
                answer = await self._perform(step)
            except BaseException as error:
                failure = error

    async def _perform(self, step: Step) -> Any:
        if isinstance(step, Send):
            return await exchange_async(self._http, step, is_own=self._is_own)
        if isinstance(step, Sleep):
            return await (self.sleep or sleep)(step.seconds)
        return await self._token(step)

    async def _token(self, step: GetToken) -> Any:
        if step.expired is None:
            limit = asyncio.timeout(step.limit)
            try:
                async with limit:
                    return await self._auth.credential_async()
            except TimeoutError:
                # The function may raise one of its own.
                if limit.expired():
                    raise RenewalTimeout from None
                raise
            except asyncio.CancelledError as error:
                # Where the function awaits something that was cancelled, the request was not.
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                raise RuntimeError("what it awaits was cancelled") from error
        return await self._auth.renew_async(step.expired, elapsed(), step.limit)
