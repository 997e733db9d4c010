"""What both handlers have in common: their options, and what they do with a request."""

from __future__ import annotations

import inspect
import logging
import re
import uuid
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar, cast

from .._duration import OnceAMinute
from .._redact import Secret as Hidden
from .._redact import excerpt, mask_numbers
from ._deduplicator import Deduplicator, alone
from ._errors import Rejection, WebhookError, WebhookErrorCode, WebhookVerificationError, code_of
from ._options import WebhookHandlerOptions, settings_of
from ._response import WebhookResponse
from ._runtime import Runtime, TimeLimit
from ._signature import WebhookEvent, WebhookHeaders, bytes_of, held, key_of, parse_header, secrets_of, values_of, verify_webhook
from ._store import EventStore, StoreCoordinator

if TYPE_CHECKING:
    from .postgres import PostgresInbox

MAX_BODY_BYTES = 1024 * 1024
_MAX_SECRET_LOOKUP = 2.0
"""Seconds. The platform gives a delivery up after 10."""

_logger = logging.getLogger("call_transfer.webhooks")

R = TypeVar("R")
Tx = TypeVar("Tx")
Secret = str | Sequence[str]
OnEvent = Callable[[WebhookEvent], R] | Callable[[WebhookEvent, Tx], R]
"""With an inbox, the second argument is the transaction."""


class ReadinessProblem(NamedTuple):
    """Something that keeps a handler from its work."""

    code: WebhookErrorCode
    """A code of the store, or `secret_lookup_failed`."""
    message: str
    """What is wrong and what to do, for the operator."""


Step = Literal["request", "secrets", "new_secrets", "signature", "event", "store", "warning", "response"]

_FAILURES: dict[Step, tuple[WebhookErrorCode, str, str]] = {
    "request": ("invalid_request", "rejected a request", ""),
    "secrets": ("secret_lookup_failed", "no signing secret", "Fix the option secret. Until then, offers get a 500."),
    "new_secrets": ("secret_lookup_failed", "no new signing secret", "Fix the option secret. Its last secrets remain in use."),
    "signature": ("invalid_signature_header", "rejected a webhook", "If the platform sent it, its event was not handled."),
    "event": ("handler_failed", "on_event failed", "The sender gets no details. Fix on_event: a duplicate is handled again."),
    "store": (
        "store_failed",
        "the event store failed",
        "Check it. Meanwhile on_store_error decides about events; an inbox handles none.",
    ),
    "warning": ("store_failed", "warning", ""),
    "response": ("response_not_sent", "the response could not be sent", "The event was handled. Check the server's timeouts."),
}
# What is reported while nothing failed.
_WARNINGS: frozenset[WebhookErrorCode] = frozenset({"handled_twice", "store_evicted_early"})

_NOT_DECODED = (
    "The body is empty. Servers such as wsgiref and Django's runserver do not decode chunked bodies: use another one, such as "
    "gunicorn or uvicorn."
)


class Core:
    """The work of one handler. It does no I/O: `runtime` does."""

    def __init__(
        self,
        runtime: Runtime,
        secret: object,
        on_event: Callable[..., object],
        store: EventStore | None,
        inbox: PostgresInbox[Any] | None,
        options: WebhookHandlerOptions,
    ) -> None:
        self._settings = settings = settings_of(options, store, inbox)
        self._runtime = runtime
        self._on_event = on_event
        self._read_secret = cast("Callable[[], Any]", secret) if callable(secret) else None
        self._secret = held(secret)
        self._last_secrets: tuple[Hidden, ...] | None = None
        self._secret_lookups = TimeLimit(runtime, 10)
        self._logged = OnceAMinute(runtime.now)
        self._coordinator: Any = None
        if store is not None:
            self._coordinator = StoreCoordinator(runtime, store, settings, self._report_store)
        elif inbox is not None:
            self._coordinator = inbox._coordinator(runtime, settings, self._report_store)
        coordinate = self._coordinator.coordinate if self._coordinator else alone(runtime)
        keep = 0.0 if self._coordinator else 2 * settings.tolerance
        self._deduplicator = Deduplicator(runtime, coordinate, settings, keep, self._report_store)

    async def receive(self, method: str, headers: WebhookHeaders, read: Callable[[], Any]) -> WebhookResponse:
        """Verifies and handles a webhook, whose body `read` returns. Exceptions become responses."""
        step: Step = "request"
        try:
            if method != "POST":
                raise Rejection("Webhooks are sent by POST.", "invalid_request", 405, {"allow": "POST"})
            body = bytes_of(await self._runtime.call(read))
            if len(body) > MAX_BODY_BYTES:
                raise too_large()
            if not body and values_of(headers, "Transfer-Encoding"):
                raise Rejection(_NOT_DECODED, "body_already_read", 411)
            # Forgeries without a signature must not call a function for the secrets.
            step = "signature"
            parse_header(headers)
            step = "secrets"
            secrets = cast("Any", Hidden(await self._secrets()))
            step = "signature"
            tolerance, clock = self._settings.tolerance, self._settings.clock
            # Called by the runtime, whose lock must not be held for so long.
            event: WebhookEvent = await self._runtime.call(
                lambda: verify_webhook(body, headers, secret=secrets, tolerance=tolerance, clock=clock)
            )
            step = "store"

            async def handle(*transaction: object) -> WebhookResponse:
                nonlocal step
                step = "event"
                returned = self._on_event(event, *transaction)
                return _to_response(await returned if inspect.isawaitable(returned) else returned)

            return await self._deduplicator.handle(key_of(event, body), handle)
        except Exception as error:
            await self.report("store" if isinstance(error, Rejection) and error.status == 503 else step, error)
            if isinstance(error, Rejection) and error.code != "body_already_read":
                return WebhookResponse(error.status, f"{error}\n", error.headers)
            if isinstance(error, WebhookVerificationError) and error.code != "body_already_read":
                return WebhookResponse(400, "The webhook could not be verified.\n")
            # What a developer must change is for the log, not for the sender.
            return WebhookResponse(error.status if isinstance(error, Rejection) else 500, "The webhook could not be handled.\n")

    async def check_readiness(self) -> list[ReadinessProblem]:
        problems: list[ReadinessProblem] = []
        try:
            if self._coordinator:
                await self._coordinator.check(str(uuid.uuid4()))
        except Exception as error:
            problems.append(ReadinessProblem(code_of(error, "store_failed"), str(error)))
        try:
            if self._last_secrets is None:
                await self._secrets()
        except Exception as error:
            code, what, advice = _FAILURES["secrets"]
            problems.append(ReadinessProblem(code_of(error, code), f"{what}: {_words_of(error)} {advice}"))
        return problems

    async def report(self, step: Step, error: BaseException) -> None:
        code, on_error = code_of(error, _FAILURES[step][0]), self._settings.on_error
        try:
            await self._runtime.call(lambda: on_error(error, code) if on_error else self._log(step, error))
        except Exception:
            # The sender gets its response all the same.
            _logger.exception("on_error failed")

    async def _report_store(self, error: BaseException) -> None:
        code = code_of(error, "store_failed")
        await self.report("event" if code == "handler_failed" else "warning" if code in _WARNINGS else "store", error)

    def _log(self, step: Step, error: BaseException) -> None:
        _, what, advice = _FAILURES[step]
        line = _words_of(error)
        # The age of a signature differs each time.
        left = self._logged.may_report(f"{step} {re.sub('[0-9]+', '0', line)}")
        if left is not None:
            more = f" (and {left} more)" if left else ""
            trace = error if step == "event" else None
            _logger.error("%s: %s", what, f"{line} {advice}".strip() + more, exc_info=trace)

    async def _secrets(self) -> tuple[Hidden, ...]:
        if self._read_secret is None:
            self._last_secrets = self._last_secrets or secrets_of(self._secret)
            return self._last_secrets
        read_secret = self._read_secret

        async def read() -> tuple[Hidden, ...]:
            return secrets_of(held(await self._runtime.call(lambda: _hidden(read_secret()))))

        try:
            late = WebhookError(f"secret() did not return within {_MAX_SECRET_LOOKUP:g} s.", "secret_lookup_failed")
            self._last_secrets = await self._secret_lookups.run(read, _MAX_SECRET_LOOKUP, late)
        except Exception as error:
            # The last secrets remain valid for a while after a rotation.
            if self._last_secrets is None:
                raise
            await self.report("new_secrets", error)
        return self._last_secrets


def _hidden(read: Any) -> Any:
    """What a function returned for a secret. An awaitable is awaited first."""

    async def later() -> Hidden:
        return held(await read)

    return later() if inspect.isawaitable(read) else held(read)


def too_large() -> Rejection:
    return Rejection(f"The body is larger than {MAX_BODY_BYTES} bytes.", "body_too_large", 413)


def _words_of(error: BaseException) -> str:
    """The message of an error, as a sentence. That of a KeyError is the key alone, so the type says what it is."""
    reason = "" if error.__cause__ is None else f" ({error.__cause__})"
    parts = [f"{error}{reason}"] if isinstance(error, WebhookError) else [type(error).__name__, f"{error}{reason}"]
    line = excerpt(mask_numbers(": ".join(part for part in parts if part)), 500)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def _to_response(returned: object) -> WebhookResponse:
    if returned is None:
        return WebhookResponse()
    if isinstance(returned, WebhookResponse):
        return returned
    raise TypeError(f"on_event must return nothing or a WebhookResponse, not {type(returned).__name__}")
