"""What `on_error` receives beside an error, so that programs need not read messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .._errors import CallTransferError

WebhookErrorCode = Literal[
    "bad_header",
    "no_match",
    "stale",
    "bad_event",
    "bad_body",
    "too_large",
    "bad_request",
    "clock_skew",
    "secrets_failed",
    "event_failed",
    "response_failed",
    "duplicate",
    "busy",
    "store_timeout",
    "store_busy",
    "store_failed",
    "store_forgets",
    "answer_unreadable",
    "answer_not_stored",
    "handled_twice",
]
"""Why a webhook was refused, or what an operator should know. The page on webhooks says what each means and what to do.
A later version may add codes, so write a default case."""


class WebhookError(CallTransferError):
    """Something that a receiver reports to `on_error`. The message says what is wrong, and never holds a secret."""

    code: WebhookErrorCode
    """The code, for programs."""

    def __init__(self, message: str, code: WebhookErrorCode) -> None:
        super().__init__(message)
        self.code = code


class WebhookVerificationError(WebhookError):
    """A webhook failed verification: `bad_header`, `bad_body`, `no_match`, `stale` or `bad_event`."""


class Refusal(WebhookError):
    """A webhook that gets an answer other than its handler's. The message is sent."""

    def __init__(self, message: str, code: WebhookErrorCode, status: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, code)
        self.status = status
        self.headers: Mapping[str, str] = headers or {}

    def again(self) -> Refusal:
        """The same for another webhook: an exception that is raised twice at once mixes up its tracebacks."""
        return Refusal(str(self), self.code, self.status, self.headers)


def unavailable(code: WebhookErrorCode) -> Refusal:
    return Refusal("The webhook cannot be handled now. Send it again.", code, 503, {"retry-after": "1"})


def code_of(error: BaseException, otherwise: WebhookErrorCode) -> WebhookErrorCode:
    """The code of an error, or the other one if it has none."""
    return error.code if isinstance(error, WebhookError) else otherwise
