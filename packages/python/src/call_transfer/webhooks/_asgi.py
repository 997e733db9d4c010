"""The handler for ASGI, and for async views."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from typing_extensions import Unpack

from ._errors import Rejection
from ._handler import MAX_BODY_BYTES, Core, OnEvent, ReadinessProblem, Secret, Tx, WebhookHandlerOptions, too_large
from ._response import WebhookResponse
from ._runtime import Loop
from ._signature import RawBody, WebhookHeaders, held
from ._store import EventStore

if TYPE_CHECKING:
    from .postgres import PostgresInbox

T = TypeVar("T")
Message = MutableMapping[str, Any]
_logger = logging.getLogger("call_transfer.webhooks")


class AsyncWebhookHandler:
    """Receives webhooks (§6) on asyncio: the same as `WebhookHandler`, which describes the arguments, options and errors.

    A handler is an ASGI application, so it is the endpoint of a route of Starlette or FastAPI. A view awaits `handle`. It
    belongs to one event loop. An event is handled to its end, also if its request is cancelled.

    Args:
        secret: As there. A function may be async; one that is not must return at once.
        on_event: As there. It may be async; a plain function blocks the event loop.
        store: As there, with an async client.
        inbox: As there, with an async client.
        **options: See `WebhookHandlerOptions`. `on_error` may be async, too.

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
        self._loop = Loop()
        self._first: asyncio.AbstractEventLoop | None = None
        self._is_warned = False
        self._core = Core(self._loop, secret=secret, on_event=on_event, store=store, inbox=inbox, options=options)

    async def handle(self, body: RawBody, headers: WebhookHeaders, *, method: str = "POST") -> WebhookResponse:
        """See `WebhookHandler.handle`.

        Args:
            body: The raw body, before any parsing.
            headers: The request's headers.
            method: The request's method. All but POST are answered 405.

        """
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
        response = await self._run(self._core.receive(scope["method"], headers, lambda: _read(receive)))
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
        loop = asyncio.get_running_loop()
        if self._first is None or self._first.is_closed():
            self._first = loop
        elif self._first is not loop and not self._is_warned:
            self._is_warned = True
            _logger.error(
                "AsyncWebhookHandler is used by several event loops, so duplicates of an event cannot wait for its response. "
                "Use WebhookHandler in a WSGI view, and one handler for each loop."
            )
        return await asyncio.shield(self._loop.start(work))


async def _read(receive: Callable[[], Awaitable[Message]]) -> bytes:
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
