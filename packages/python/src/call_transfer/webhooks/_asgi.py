"""The receiver for ASGI, and for async views."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeVar, cast

from typing_extensions import Unpack

from ._answer import WebhookResponse
from ._codes import Refusal
from ._drivers import Loop
from ._effects import Work
from ._events import WebhookEvent
from ._memory import AsyncMemoryEventStore
from ._receiver import MOST_BODY_BYTES, Receiver, ReceiverOptions, Secret, WebhookProblem, settings_of, too_large
from ._signature import RawBody, WebhookHeaders, held
from ._stores import AsyncEventStore

T = TypeVar("T")
_logger = logging.getLogger("call_transfer.webhooks")
Message = MutableMapping[str, Any]


class AsyncWebhookReceiver:
    """Receives webhooks (§6), on asyncio: the same as `WebhookReceiver`, which describes the arguments, options and
    errors.

    A receiver is an ASGI application, so it is the endpoint of a route of Starlette or FastAPI. A view awaits `handle`.
    It belongs to one event loop. An event that is being handled is handled to its end, also if its request is
    cancelled.

    Args:
        secret: As there. A function may be async; one that is not must return at once.
        on_event: As there. It may be async; a plain function holds up the event loop.
        store: As there; `AsyncMemoryEventStore()` by default.
        **options: See `ReceiverOptions`. `on_error` may be async, too.

    """

    def __init__(
        self,
        *,
        secret: Secret | Callable[[], Secret | Awaitable[Secret]],
        on_event: Callable[[WebhookEvent], Awaitable[WebhookResponse | None] | WebhookResponse | None],
        store: AsyncEventStore | None = None,
        **options: Unpack[ReceiverOptions],
    ) -> None:
        secret = cast("Any", secret if callable(secret) else held(secret))
        used = store or AsyncMemoryEventStore(clock=options.get("clock", time.time))
        if not inspect.iscoroutinefunction(used.claim):
            raise TypeError("store must be async. Use an async store, or WebhookReceiver.")
        self._loop = Loop()
        self._first: asyncio.AbstractEventLoop | None = None
        self._is_warned = False
        self._receiver = Receiver(secret, on_event, settings_of(used, options), self._loop)

    async def handle(self, body: RawBody, headers: WebhookHeaders, *, method: str = "POST") -> WebhookResponse:
        """Verifies and handles a webhook. Never raises: what fails becomes a response, and `on_error` receives it.

        Args:
            body: The raw body, before any parsing.
            headers: The request's headers.
            method: The request's method. All but POST are answered 405.

        """
        return await self._run(self._receiver.receive(method, headers, lambda: body))

    async def check_ready(self) -> list[WebhookProblem]:
        """See `WebhookReceiver.check_ready`."""
        return await self._run(self._receiver.check_ready())

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        """Answers a request as an ASGI application."""
        if scope["type"] != "http":
            raise ValueError(f"A webhook receiver has no {scope['type']}.")
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        response = await self._run(self._receiver.receive(scope["method"], headers, lambda: _read(receive)))
        body = response.body or b""
        sent = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in response.headers.items()]
        length = [] if response.status == 204 else [(b"content-length", str(len(body)).encode())]
        try:
            await send({"type": "http.response.start", "status": response.status, "headers": [*sent, *length]})
            await send({"type": "http.response.body", "body": body})
        except Exception as error:
            await self._run(self._receiver.report("response", error))
            raise

    async def _run(self, work: Work[T]) -> T:
        loop = asyncio.get_running_loop()
        if self._first is None or self._first.is_closed():
            self._first = loop
        elif self._first is not loop and not self._is_warned:
            self._is_warned = True
            _logger.error(
                "AsyncWebhookReceiver is used by several event loops, so that copies of an event wait in vain. "
                "Use WebhookReceiver in a WSGI view, and one receiver for each loop."
            )
        return await asyncio.shield(self._loop.start(work))


async def _read(receive: Callable[[], Awaitable[Message]]) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refusal("The connection was closed before the end of the body.", "bad_request", 400)
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            raise too_large()
        if not message.get("more_body", False):
            return bytes(body)
