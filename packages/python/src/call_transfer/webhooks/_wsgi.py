"""The receiver for WSGI, and for views of Django and Flask."""

from __future__ import annotations

import http
import inspect
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from typing_extensions import Unpack

from ._answer import WebhookResponse
from ._codes import Refusal
from ._drivers import Threads
from ._events import WebhookEvent
from ._memory import MemoryEventStore
from ._receiver import MOST_BODY_BYTES, Receiver, ReceiverOptions, Secret, WebhookProblem, settings_of, too_large
from ._signature import RawBody, WebhookHeaders, held
from ._stores import EventStore


class WebhookReceiver:
    """Receives webhooks (§6). It verifies the signature of the raw body, handles each event once, and gives every copy
    the same
    answer: its status, content type, and body up to 16 kB. If handling raises or answers 5xx, the next copy is handled.

    A receiver is a WSGI application. A view calls `handle`. It is safe for threads, and starts some of its own, for the
    steps of its store and for leases. `AsyncWebhookReceiver` is the one for ASGI.

    Args:
        secret: The destination's signing secret. During a rotation, a list of the new and the previous one: either may
            match. A function is called for each webhook, in a thread, so that secrets can change without a restart. If
            it raises or takes longer than 2 seconds, its last secrets remain in use and `on_error`
            receives the error.
        on_event: Handles a verified event. If it returns None, the response is 204; a `WebhookResponse` is sent as it
            is. If it raises, or returns anything else, the response is 500 without details.
        store: Remembers which events were handled. `MemoryEventStore()` by default; several processes need one that
            they share.
        **options: See `ReceiverOptions`.

    Raises:
        TypeError: An option does not exist, or a function is async.
        ValueError: An option is invalid, e.g. an empty secret.

    """

    def __init__(
        self,
        *,
        secret: Secret | Callable[[], Secret],
        on_event: Callable[[WebhookEvent], WebhookResponse | None],
        store: EventStore | None = None,
        **options: Unpack[ReceiverOptions],
    ) -> None:
        secret = cast("Any", secret if callable(secret) else held(secret))
        used = store or MemoryEventStore(clock=options.get("clock", time.time))
        if any(inspect.iscoroutinefunction(one) for one in (on_event, secret, used.claim, options.get("on_error"))):
            raise TypeError("on_event, secret, store and on_error must not be async. Use AsyncWebhookReceiver.")
        self._threads = Threads()
        self._receiver = Receiver(secret, on_event, settings_of(used, options), self._threads)

    def handle(self, body: RawBody, headers: WebhookHeaders, *, method: str = "POST") -> WebhookResponse:
        """Verifies and handles a webhook. Never raises: what fails becomes a response, and `on_error` receives it.

        Args:
            body: The raw body, before any parsing.
            headers: The request's headers.
            method: The request's method. All but POST are answered 405.

        """
        return self._run(method, headers, lambda: body)

    def check_ready(self) -> list[WebhookProblem]:
        """Says what is wrong, for a readiness probe; an empty list if nothing is known to be. Takes and gives back an
        event of its own in the store, and calls the function for `secret` if it has returned none yet: without secrets,
        every webhook is answered 500. It also knows whether the last genuine webhooks were refused because of this
        machine's clock. Never raises.
        """
        return self._threads.run(self._receiver.check_ready())

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """Answers a request as a WSGI application."""
        headers = [(name[5:].replace("_", "-"), str(value)) for name, value in environ.items() if name[:5] == "HTTP_"]
        response = self._run(environ["REQUEST_METHOD"], headers, lambda: _read(environ))
        body = response.body or b""
        length = [] if response.status == http.HTTPStatus.NO_CONTENT else [("content-length", str(len(body)))]
        status = f"{response.status} {_phrase(response.status)}"
        try:
            start_response(status, [*response.headers.items(), *length])
        except Exception as error:
            self._threads.run(self._receiver.report("response", error))
            raise
        return [body]

    def _run(self, method: str, headers: WebhookHeaders, read: Callable[[], RawBody]) -> WebhookResponse:
        return self._threads.run(self._receiver.receive(method, headers, read))


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "Webhook"


def _read(environ: dict[str, Any]) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if length and not (length.isascii() and length.isdigit()):
        raise Refusal("The header Content-Length must be a number.", "bad_request", 400)
    # Without a length, only some servers say where the body ends.
    size = int(length) if length else MOST_BODY_BYTES + 1 if environ.get("wsgi.input_terminated") else 0
    if length and size > MOST_BODY_BYTES:
        raise too_large()
    body = b"".join(_parts(environ["wsgi.input"], size))
    if len(body) > MOST_BODY_BYTES:
        raise too_large()
    if length and len(body) < size:
        message = "The body was read before verification, or was cut. Verify first, or pass its bytes to handle()."
        raise Refusal(message, "bad_body", 500)
    return body


def _parts(stream: Any, size: int) -> Iterator[bytes]:
    while size > 0:
        part: bytes = stream.read(size)
        if not part:
            return
        size -= len(part)
        yield part
