"""Errors of webhooks, and the codes that `on_error` receives with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from .._errors import CallTransferError

WebhookErrorCode = Literal[
    "invalid_signature_header",
    "signature_mismatch",
    "timestamp_out_of_tolerance",
    "invalid_event",
    "body_already_read",
    "body_too_large",
    "invalid_request",
    "secret_lookup_failed",
    "handler_failed",
    "response_not_sent",
    "duplicate_timeout",
    "store_timeout",
    "store_failed",
    "store_evicted_early",
    "stored_response_unreadable",
    "handled_twice",
]
"""Reasons for a rejection, and warnings for an operator. The page on webhooks describes each. A later version may add
codes: write a default case."""


class WebhookError(CallTransferError):
    """An error that a handler reports to `on_error`. Its message never contains a secret."""

    code: WebhookErrorCode
    """The code, for programs."""

    def __init__(self, message: str, code: WebhookErrorCode) -> None:
        super().__init__(message)
        self.code = code


class WebhookVerificationError(WebhookError):
    """A webhook failed verification: `invalid_signature_header`, `body_already_read`, `signature_mismatch`,
    `timestamp_out_of_tolerance` or `invalid_event`.
    """


class Rejection(WebhookError):
    """A webhook whose response is not that of `on_event`. The message is sent."""

    def __init__(self, message: str, code: WebhookErrorCode, status: int, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message, code)
        self.status = status
        self.headers: Mapping[str, str] = headers or {}

    def copy(self) -> Rejection:
        """The same for another webhook: an exception raised twice at once mixes up its tracebacks."""
        return Rejection(str(self), self.code, self.status, self.headers)


def unavailable(code: WebhookErrorCode) -> Rejection:
    return Rejection("The webhook cannot be handled now. Send it again.", code, 503, {"retry-after": "1"})


def code_of(error: BaseException, otherwise: WebhookErrorCode) -> WebhookErrorCode:
    return error.code if isinstance(error, WebhookError) else otherwise
