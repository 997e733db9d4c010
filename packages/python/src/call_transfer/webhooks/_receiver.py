"""Receiving webhooks: what receivers have in common, and what they do with a request."""

from __future__ import annotations

import inspect
import logging
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypedDict, cast

from .._duration import OnceAMinute
from .._generated.signature import TOLERANCE_SECS
from .._options import presentable
from .._redact import Secret as Hidden
from .._redact import excerpt, mask_numbers
from ._answer import WebhookResponse
from ._codes import Refusal, WebhookError, WebhookErrorCode, WebhookVerificationError, code_of
from ._effects import Do, InTime, Runtime, Work
from ._events import WebhookEvent, key_of
from ._once import Once, OnceSettings
from ._signature import WebhookHeaders, bytes_of, held, parse_header, secrets_of, tolerance_of, values_of, verify_webhook
from ._stores import AsyncEventStore, EventStore
from ._watch import ClockWatch

MOST_BODY_BYTES = 1024 * 1024
_LONGEST_SECRET_READ = 2.0
"""Seconds. The platform gives a delivery up after 10."""

_logger = logging.getLogger("call_transfer.webhooks")

Secret = str | Sequence[str]


class ReceiverOptions(TypedDict, total=False):
    """Options that both receivers have. All times are in seconds."""

    scope: str
    """
    Separates receivers that share a store: 1 to 100 letters, digits, dots, dashes or underscores; `default` by default.
    Receivers with different secrets need different scopes.
    """
    duplicates: Literal["answer", "refuse"]
    """
    What a copy of an event gets. `answer`, the default: the first answer, for which it waits while the event is being
    handled. `refuse`: 409, which declines an offer.
    """
    on_store_error: Literal["handle", "refuse"]
    """
    What happens when the store fails before an event is handled. `handle`, the default: it is handled without the
    store, so no offer is lost, but another process may handle a copy too. `refuse`: the answer is 503, so nothing is
    handled while the store fails, and offers are declined.
    """
    tolerance: float
    """How much the signature's time may differ from now, in both directions: above 0; 300 by default (§6)."""
    lease_time: float
    """
    How long an event stays with a process that has crashed: 0.1 to 60; 2 by default. It is extended while `on_event`
    runs, for at most 60 s.
    """
    wait_time: float
    """
    How long a copy waits for the first answer: 0 to 60; 8 by default, since the platform gives a delivery up after 10
    s. Then the answer is 503 with `Retry-After`.
    """
    keep_time: float
    """
    How long an answer is kept for later copies; 86,400 (one day) by default. At least twice `tolerance`: that long the
    same bytes are accepted.
    """
    store_timeout: float
    """
    How long one step of the store may take: 0.001 to 60; 1 by default. Then it counts as failed. The time in which it
    waits for its turn does not count, which is at most `wait_time`.
    """
    on_error: Callable[[BaseException, WebhookErrorCode], object]
    """
    Receives the error of a webhook that was refused or could not be handled, and its code. The sender gets no details.
    By default the logger `call_transfer.webhooks` has each cause at most once a minute, in one line.
    """
    clock: Callable[[], float]
    """Source of time in seconds since 1970; `time.time` by default."""


class WebhookProblem(NamedTuple):
    """Something that keeps a receiver from its work."""

    code: WebhookErrorCode
    """A code of the store, `secrets_failed`, or `clock_skew`."""
    message: str
    """What is wrong and what to do, for the operator."""


Step = Literal["request", "secrets", "new_secrets", "signature", "event", "store", "warning", "response"]

_FAILURES: dict[Step, tuple[WebhookErrorCode, str, str]] = {
    "request": ("bad_request", "refused a request", ""),
    "secrets": ("secrets_failed", "the function for secret failed", "Fix it. Until then, offers get a 500."),
    "new_secrets": (
        "secrets_failed",
        "the function for secret failed",
        "Fix it. Until then, its last secrets remain in use.",
    ),
    "signature": ("bad_header", "refused a webhook", "If the platform sent it, its event was not handled."),
    "event": (
        "event_failed",
        "on_event failed",
        "The sender gets no details. Fix on_event: a copy of the event is handled again.",
    ),
    "store": (
        "store_failed",
        "the event store failed",
        "Check the store. Until it works, on_store_error decides what happens to events.",
    ),
    "warning": ("store_failed", "warning", ""),
    "response": (
        "response_failed",
        "the response could not be sent",
        "The event was handled. Check the server and its timeouts.",
    ),
}

# What is reported while nothing failed.
_WARNINGS: frozenset[WebhookErrorCode] = frozenset({"handled_twice", "store_forgets", "answer_not_stored"})


_NOT_DECODED = (
    "The body is empty. Servers such as wsgiref and Django's runserver do not decode chunked bodies: use another one, such as "
    "gunicorn or uvicorn."
)


@dataclass(frozen=True)
class _Settings(OnceSettings):
    scope: str
    tolerance: float
    on_error: Callable[[BaseException, WebhookErrorCode], object] | None


_DEFAULTS: dict[str, Any] = {
    "scope": "default",
    "duplicates": "answer",
    "on_store_error": "handle",
    "tolerance": float(TOLERANCE_SECS),
    "lease_time": 2.0,
    "wait_time": 8.0,
    "keep_time": 86_400.0,
    "store_timeout": 1.0,
    "on_error": None,
    "clock": time.time,
}


def settings_of(store: EventStore | AsyncEventStore, options: ReceiverOptions) -> _Settings:
    """Returns the checked settings.

    Raises:
        TypeError: There is no such option.
        ValueError: An option has a value that it may not have.

    """
    unknown = [name for name in options if name not in ReceiverOptions.__annotations__]
    if unknown:
        raise TypeError(f"{presentable(unknown[0])} is not an option. Check its spelling.")
    settings = _Settings(store=store, **{**_DEFAULTS, **cast("dict[str, Any]", options)})
    tolerance_of(settings.tolerance)
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", settings.scope):
        raise ValueError("scope must be 1 to 100 letters, digits, dots, dashes or underscores")
    if settings.duplicates not in ("answer", "refuse"):
        raise ValueError('duplicates must be "answer" or "refuse"')
    if settings.on_store_error not in ("handle", "refuse"):
        raise ValueError('on_store_error must be "handle" or "refuse"')
    for name, least in (("lease_time", 0.1), ("wait_time", 0.0), ("store_timeout", 0.001)):
        if not least <= getattr(settings, name) <= 60:
            raise ValueError(f"{name} must be from {least:g} to 60 seconds")
    if not settings.keep_time >= 2 * settings.tolerance:
        raise ValueError(
            f"keep_time must be at least {2 * settings.tolerance:g} seconds, which is twice tolerance: that long the "
            "same bytes are accepted, and a copy would be handled again"
        )
    return settings


class Receiver:
    """The work of one receiver. It does no I/O: `runtime` does."""

    def __init__(self, secret: object, on_event: Callable[[WebhookEvent], object], settings: _Settings, runtime: Runtime) -> None:
        self._on_event = on_event
        self._settings = settings
        self._read_secret = cast("Callable[[], Any]", secret) if callable(secret) else None
        self._last_secrets = None if callable(secret) else secrets_of(held(secret))
        self._secrets_in_time = InTime(runtime, 10)
        self._once = Once(settings, runtime, self._report_store)
        self._watch = ClockWatch(runtime.now)
        self._logged = OnceAMinute(runtime.now)

    def receive(self, method: str, headers: WebhookHeaders, read: Callable[[], Any]) -> Work[WebhookResponse]:
        """Verifies and handles a webhook, whose body `read` returns. Exceptions become responses."""
        step: Step = "request"
        try:
            if method != "POST":
                raise Refusal("Webhooks are sent by POST.", "bad_request", 405, {"allow": "POST"})
            body = bytes_of((yield Do(read)))
            if len(body) > MOST_BODY_BYTES:
                raise too_large()
            if not body and values_of(headers, "Transfer-Encoding"):
                raise Refusal(_NOT_DECODED, "bad_body", 411)
            # Forgeries without a signature must not call a function for the secrets.
            step = "signature"
            parse_header(headers)
            step = "secrets"
            secrets = yield from self._secrets()
            step = "signature"
            event = yield from self._verify(body, headers, secrets)
            step = "store"

            def handle() -> Work[WebhookResponse]:
                nonlocal step
                step = "event"
                return _to_response((yield Do(lambda: self._on_event(event))))

            key = key_of(self._settings.scope, event, body)
            return (yield from self._once.handle(key, handle)).response
        except Exception as error:
            yield from self.report("store" if isinstance(error, Refusal) and error.status == 503 else step, error)
            if isinstance(error, Refusal) and error.code != "bad_body":
                return WebhookResponse(error.status, f"{error}\n", error.headers)
            if isinstance(error, WebhookVerificationError) and error.code != "bad_body":
                return WebhookResponse(400, "The webhook could not be verified.\n")
            # What a receiver's developer must change is for the log, not for the sender.
            return WebhookResponse(error.status if isinstance(error, Refusal) else 500, "The webhook could not be handled.\n")

    def check_ready(self) -> Work[list[WebhookProblem]]:
        """Takes and gives back an event of its own in the store, and asks for the secrets if there are none yet."""
        problems: list[WebhookProblem] = []
        try:
            yield from self._once.check(self._settings.scope)
        except Exception as error:
            problems.append(WebhookProblem(code_of(error, "store_failed"), str(error)))
        try:
            if self._last_secrets is None:
                yield from self._secrets()
        except Exception as error:
            code, what, advice = _FAILURES["secrets"]
            problems.append(WebhookProblem(code_of(error, code), f"{what}: {_words_of(error)} {advice}"))
        if self._watch.problem is not None:
            problems.append(WebhookProblem("clock_skew", self._watch.problem))
        return problems

    def report(self, step: Step, error: BaseException, code: WebhookErrorCode | None = None) -> Work[None]:
        known = code or code_of(error, _FAILURES[step][0])
        on_error = self._settings.on_error
        try:
            yield Do(lambda: on_error(error, known) if on_error else self._log(step, error))
        except Exception:
            # The sender gets its response all the same.
            _logger.exception("on_error failed")

    def _report_store(self, error: BaseException, code: WebhookErrorCode) -> Work[None]:
        return self.report("warning" if code in _WARNINGS else "store", error, code)

    def _log(self, step: Step, error: BaseException) -> None:
        _, what, advice = _FAILURES[step]
        line = _words_of(error)
        # The age of a signature differs each time.
        left = self._logged.may_report(f"{step} {re.sub('[0-9]+', '0', line)}")
        if left is not None:
            more = f" (and {left} more since the last such line)" if left else ""
            trace = error if step == "event" else None
            _logger.error("%s: %s", what, f"{line} {advice}".strip() + more, exc_info=trace)

    def _secrets(self) -> Work[tuple[Hidden, ...]]:
        read_secret = self._read_secret
        if read_secret is not None:

            def read() -> Work[tuple[Hidden, ...]]:
                return secrets_of(held((yield Do(lambda: _hidden(read_secret())))))

            try:
                late = WebhookError(f"It did not answer within {_LONGEST_SECRET_READ:g} s.", "secrets_failed")
                self._last_secrets = yield from self._secrets_in_time.run(read, _LONGEST_SECRET_READ, late)
            except Exception as error:
                # The last secrets remain valid for a while after a rotation.
                if self._last_secrets is None:
                    raise
                yield from self.report("new_secrets", error)
        return self._last_secrets or ()

    def _verify(self, body: bytes, headers: WebhookHeaders, secrets: Sequence[Hidden]) -> Work[WebhookEvent]:
        tolerance, clock = self._settings.tolerance, self._settings.clock
        try:
            # As an effect, since the core must not hold its lock for so long.
            given = cast("Any", Hidden(secrets))
            event: WebhookEvent = yield Do(lambda: verify_webhook(body, headers, secret=given, tolerance=tolerance, clock=clock))
        except WebhookVerificationError as error:
            if error.code == "stale":
                timestamp = parse_header(headers).timestamp
                problem = self._watch.refuse(timestamp, clock() - int(timestamp))
                if problem is not None:
                    yield from self.report("warning", WebhookError(problem, "clock_skew"))
            raise
        self._watch.accept()
        return event


def _hidden(read: Any) -> Any:
    """What a function returned for a secret. An awaitable is awaited first."""
    return _later(read) if inspect.isawaitable(read) else held(read)


async def _later(read: Any) -> Hidden:
    return held(await read)


def too_large() -> Refusal:
    return Refusal(f"The body is larger than {MOST_BODY_BYTES} bytes.", "too_large", 413)


def _words_of(error: BaseException) -> str:
    """What an error says, as a sentence. The message of a KeyError is the key alone, so the type says what it is."""
    reason = "" if error.__cause__ is None else f" ({error.__cause__})"
    parts = [f"{error}{reason}"] if isinstance(error, WebhookError) else [type(error).__name__, f"{error}{reason}"]
    line = excerpt(mask_numbers(": ".join(part for part in parts if part)), 500)
    return line if line.endswith((".", "!", "?", "…")) else f"{line}."


def _to_response(returned: object) -> WebhookResponse:
    if returned is None:
        return WebhookResponse()
    if isinstance(returned, WebhookResponse):
        return returned
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError("on_event is async. Use AsyncWebhookReceiver.")
    raise TypeError(f"on_event must return nothing or a WebhookResponse, not {type(returned).__name__}")
