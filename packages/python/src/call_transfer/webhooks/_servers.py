"""The two handlers: for WSGI with views of Django and Flask, and for ASGI with async views."""

from __future__ import annotations

import asyncio
import http
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from typing_extensions import Unpack

from ._errors import Rejection
from ._handler import MAX_BODY_BYTES, Core, OnEvent, ReadinessProblem, Secret, Tx, too_large
from ._options import WebhookHandlerOptions
from ._response import WebhookResponse
from ._runtime import Loop, Threads
from ._signature import RawBody, WebhookHeaders, held
from ._store import EventStore

if TYPE_CHECKING:
    from .postgres import PostgresInbox

T = TypeVar("T")
Message = MutableMapping[str, Any]


class WebhookHandler:
    """Receives webhooks (§6). Verifies the signature of the raw body, handles each event once, and gives every duplicate the same
    response: its status, content type, and body up to 16 kB. If `on_event` raises or answers 5xx, the next duplicate is handled.

    A handler is a WSGI application. A view calls `handle`. It is safe for threads. Steps of a store, leases and a function for
    `secret` run in threads of its own, `on_event` in that of the request. `AsyncWebhookHandler` is the one for ASGI.

    Args:
        secret: The destination's signing secret, checked with the first webhook. During a rotation, a list of the new and the
            previous one: either may match. A function is called for each webhook, so secrets can change without a restart. If it
            raises or takes longer than 2 seconds, its last secrets remain in use and `on_error` receives the error.
        on_event: Handles a verified event. If it returns None, the response is 204; a `WebhookResponse` is sent as it is. If it
            raises, or returns anything else, the response is 500 without details. With `inbox`, its second argument is the
            transaction.
        store: Shares events among processes. Without one, each process handles its events once.
        inbox: Takes the place of `store`: what `on_event` writes to PostgreSQL and its response are committed together.
        **options: See `WebhookHandlerOptions`.

    Raises:
        TypeError: An option does not exist or has no effect, or a function is async.
        ValueError: An option is invalid.

    """

    def __init__(
        self,
        *,
        secret: Secret | Callable[[], Secret],
        on_event: OnEvent[WebhookResponse | None, Tx],
        store: EventStore | None = None,
        inbox: PostgresInbox[Tx] | None = None,
        **options: Unpack[WebhookHandlerOptions],
    ) -> None:
        secret = cast("Any", secret if callable(secret) else held(secret))
        if any(inspect.iscoroutinefunction(one) for one in (on_event, secret, options.get("on_error"))):
            raise TypeError("on_event, secret and on_error must not be async. Use AsyncWebhookHandler.")
        self._threads = Threads()
        self._core = Core(self._threads, secret, on_event, store, inbox, options)

    def handle(self, body: RawBody, headers: WebhookHeaders, *, method: str = "POST") -> WebhookResponse:
        """Verifies and handles a webhook. Never raises: an error becomes a response, and `on_error` receives it.

        Args:
            body: The raw body, before any parsing.
            headers: The request's headers.
            method: The request's method. All but POST are answered 405.

        """
        return self._threads.run(self._core.receive(method, headers, lambda: body))

    def check_readiness(self) -> list[ReadinessProblem]:
        """Checks the store or inbox and the secret, for a readiness probe. Returns an empty list if nothing is wrong. Claims and
        releases an event of its own in the store, and reads the secret unless it was read before. Never raises.
        """
        return self._threads.run(self._core.check_readiness())

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answers a request as a WSGI application."""
        headers = [(name[5:].replace("_", "-"), str(value)) for name, value in environ.items() if name[:5] == "HTTP_"]
        response = self._threads.run(self._core.receive(environ["REQUEST_METHOD"], headers, lambda: _read(environ)))
        body = response.body or b""
        length = [] if response.status == http.HTTPStatus.NO_CONTENT else [("content-length", str(len(body)))]
        try:
            start_response(f"{response.status} {_phrase(response.status)}", [*response.headers.items(), *length])
        except Exception as error:
            self._threads.run(self._core.report("response", error))
            raise
        return [body]


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Webhook"


def _read(environ: dict[str, Any]) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if length and not (length.isascii() and length.isdigit()):
        raise Rejection("The header Content-Length must be a number.", "invalid_request", 400)
    # Without a length, only some servers say where the body ends.
    size = int(length) if length else MAX_BODY_BYTES + 1 if environ.get("wsgi.input_terminated") else 0
    if length and size > MAX_BODY_BYTES:
        raise too_large()
    body = b"".join(_parts(environ["wsgi.input"], size))
    if len(body) > MAX_BODY_BYTES:
        raise too_large()
    if length and len(body) < size:
        message = "The body was read before verification, or was cut. Verify first, or pass its bytes to handle()."
        raise Rejection(message, "body_already_read", 500)
    return body


def _parts(stream: Any, size: int) -> Iterator[bytes]:
    while size > 0:
        part: bytes = stream.read(size)
        if not part:
            return
        size -= len(part)
        yield part


class AsyncWebhookHandler:
    """Receives webhooks (§6) on asyncio: the same as `WebhookHandler`, which describes the arguments, options and errors. Functions
    may be async here, and stores and inboxes must be: a plain function blocks the event loop.

    A handler is an ASGI application, so it is the endpoint of a route of Starlette or FastAPI. A view awaits `handle`. It belongs to
    one event loop. An event is handled to its end, also if its request is cancelled.
    """

    def __init__(
        self,
        *,
        secret: Secret | Callable[[], Secret | Awaitable[Secret]],
        on_event: OnEvent[Awaitable[WebhookResponse | None] | WebhookResponse | None, Tx],
        store: EventStore | None = None,
        inbox: PostgresInbox[Tx] | None = None,
        **options: Unpack[WebhookHandlerOptions],
    ) -> None:
        secret = cast("Any", secret if callable(secret) else held(secret))
        if store is not None and not inspect.iscoroutinefunction(store.claim):
            raise TypeError("store must be async. Use an async store, or WebhookHandler.")
        self._loop = Loop()
        self._core = Core(self._loop, secret, on_event, store, inbox, options)

    async def handle(self, body: RawBody, headers: WebhookHeaders, *, method: str = "POST") -> WebhookResponse:
        """See `WebhookHandler.handle`."""
        return await self._run(self._core.receive(method, headers, lambda: body))

    async def check_readiness(self) -> list[ReadinessProblem]:
        """See `WebhookHandler.check_readiness`."""
        return await self._run(self._core.check_readiness())

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Answers a request as an ASGI application."""
        if scope["type"] != "http":
            raise ValueError(f"A webhook handler has no {scope['type']}.")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        response = await self._run(self._core.receive(scope["method"], headers, lambda: _receive(receive)))
        body = response.body or b""
        sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
        length = [] if response.status == 204 else [(b"content-length", str(len(body)).encode())]
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": [*sent, *length]})
            await send({"type": "http.response.body", "body": body})
        except Exception as error:
            await self._run(self._core.report("response", error))
            raise

    async def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.shield(self._loop.start(work))


async def _receive(receive: Callable[[], Awaitable[Message]]) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Rejection("The connection was closed before the end of the body.", "invalid_request", 400)
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise too_large()
        if not message.get("more_body", False):
            return bytes(body)
