"""The errors that the client raises, and their details."""

from __future__ import annotations

import copyreg
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

from typing_extensions import TypeVar

from ._duration import format_duration
from ._generated.codes import CODES_WITH_FIELD_ERRORS, ErrorCode
from ._json import is_list, is_object
from ._redact import excerpt

if TYPE_CHECKING:
    from ._generated.models import Call, FieldError

RequestOutcome: TypeAlias = Literal["not_sent", "rejected", "applied", "unknown"]
"""Effect of a request on the server: `not_sent` (it never left the client), `rejected` (the server answered, and it had no effect),
`applied` (it was carried out) or `unknown`."""

AttemptErrorCode: TypeAlias = Literal["connection_failed", "connection_lost", "timeout", "aborted", "body_too_large", "callback_failed"]
"""Why an attempt got no complete response: it could not be sent or the connection was lost before a response, it was lost in the
body, it took too long, its task was cancelled, its body exceeds 10 MiB, or the caller's own token function raised."""

RetrySkippedReason: TypeAlias = Literal[
    "already_applied",
    "not_idempotent",
    "untrusted_503",
    "list_inconclusive",
    "retry_after_too_long",
    "total_timeout",
    "retry_budget",
    "token_still_expired",
]
"""Why a request was not retried although retries were left."""

ReconciliationReason: TypeAlias = Literal[
    "candidates_found",
    "none_found",
    "list_changed",
    "server_time_unknown",
    "list_incomplete",
    "limit_reached",
    "not_supported",
]
"""What a reconciliation means."""

_REASONS: dict[RetrySkippedReason, str] = {
    "already_applied": "that would do it twice",
    "not_idempotent": "it is not idempotent",
    "untrusted_503": "it is not idempotent (see retry.trust_503_codes)",
    "list_inconclusive": "the list is inconclusive",
    "retry_after_too_long": "the server asked to wait {}, more than retry.max_retry_after",
    "total_timeout": "total_timeout would expire first",
    "retry_budget": "the client's retry budget is used up",
    "token_still_expired": "the access_token function keeps returning expired tokens, and is not called again yet",
}

MAX_BODY_TEXT = 2000
"""Characters kept of a body that is not the API's: enough to recognize a proxy's page."""


class CallTransferError(Exception):
    """Base class of the errors that this package raises."""

    outcome: RequestOutcome = "not_sent"
    """Effect of the request on the server. `not_sent` and `rejected` prove that it had none; nothing was sent where an option or an
    argument is rejected."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Without what cannot be pickled: whom reconcile() asks.
        details = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
        return copyreg.__newobj__, (type(self),), {**details, "_message": str(self)}  # type: ignore[attr-defined]

    def __setstate__(self, state: dict[str, Any] | None) -> None:
        details = dict(state or {})
        self.args = (details.pop("_message", ""),)
        self.__dict__.update(details)


class ConfigurationError(CallTransferError):
    """An option is missing or invalid. Nothing was sent. The message never holds a secret."""

    option: str
    """The option to change."""

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"{option} {problem}")
        self.option = option


class InvalidArgumentError(CallTransferError):
    """An argument is missing or invalid, such as an empty ID. The message says what to pass. Nothing was sent."""

    argument: str
    """The argument to change, e.g. `member_id` or `body`."""

    def __init__(self, argument: str, problem: str) -> None:
        super().__init__(f"{argument} {problem}")
        self.argument = argument


@dataclass(slots=True)
class Attempt:
    """One sending of a request. Holds no secrets."""

    started_at: float
    """When it was sent, in seconds since the epoch."""
    status: int | None = None
    """HTTP status of the response, if one arrived."""
    code: str | None = None
    """Error code of the response."""
    request_id: str | None = None
    """Request ID of the response, for support."""
    delay: float | None = None
    """Seconds waited after this attempt, before the next one."""
    duration: float | None = None
    """Seconds until its response was read or it failed."""
    error: AttemptErrorCode | None = None
    """Why no complete response arrived."""


@dataclass(slots=True)
class RequestErrorDetails:
    """What every `RequestError` carries besides its message. Tests of your own code can create an error with it."""

    operation_id: str
    """The operationId; for an operation that this version does not know, its method and path."""
    outcome: RequestOutcome
    """Effect of the request on the server, over all attempts."""
    attempts: Sequence[Attempt] = ()
    """Every attempt, in order."""
    retry_skipped_reason: RetrySkippedReason | None = None
    """Why the request was not retried although retries were left."""
    duration: float | None = None
    """Seconds that the whole request took, its waits included."""
    base_url: str | None = None
    """Base URL of the API."""
    account_id: str | None = None
    """Account that the request was for, if the client or the request named one (§5.2)."""
    context: Mapping[str, object] | None = None
    """Custom data: the request's option `context`."""


class RequestError(CallTransferError):
    """A request failed after it was started."""

    operation_id: str
    """The operationId; for an operation that this version does not know, its method and path."""
    outcome: RequestOutcome
    """Effect of the request on the server, over all attempts."""
    attempts: Sequence[Attempt]
    """Every attempt, in order."""
    retry_skipped_reason: RetrySkippedReason | None
    """Why the request was not retried although retries were left. None where no retry was due or none was left."""
    duration: float | None
    """Seconds that the whole request took, its waits included."""
    base_url: str | None
    """Base URL of the API."""
    account_id: str | None
    """Account that the request was for, if the client or the request named one (§5.2)."""
    context: Mapping[str, object] | None
    """Custom data: the request's option `context`."""
    request_id: str | None
    """Request ID of the last response, for support."""

    def __init__(self, message: str, details: RequestErrorDetails) -> None:
        super().__init__(message)
        for name in RequestErrorDetails.__slots__:
            setattr(self, name, getattr(details, name))
        self.request_id = next((one.request_id for one in reversed(details.attempts) if one.request_id), None)


class ConnectionError(RequestError):
    """The connection could not be made, or was lost."""


class TimeoutError(RequestError):
    """An attempt exceeded `timeout`, or the whole request `total_timeout`."""


class AbortError(RequestError):
    """The task or the thread was interrupted. Never raised itself: it is the cause of the `CancelledError`."""


class InvalidResponseError(RequestError):
    """A successful response had an unusable body.

    JSON that is truncated or too large comes from the API: the `outcome` is `applied`. Anything else, such as a login page, may
    come from a proxy: the `outcome` is `unknown`.
    """


@dataclass(slots=True)
class ApiErrorDetails:
    """An error response, as `ApiError` takes it."""

    status: int
    body: Mapping[str, object] | None = None
    body_text: str | None = None
    method: str | None = None
    request_id: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    retry_after: float | None = None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _field_errors(errors: object) -> list[FieldError] | None:
    """The entries of a list that name a field and a code. Servers may send anything."""
    if not is_list(errors):
        return None
    # Loaded here, so that an import of the package costs little.
    from ._generated.models import FieldError
    from ._model import parse

    named = (one for one in errors if is_object(one) and _text(one.get("field")) and _text(one.get("code")))
    return [parse(FieldError, {**one, "message": _text(one.get("message"))}) for one in named]


class ApiError(RequestError):
    """The API answered with an error (§2.6). Branch on `code`, or catch a subclass."""

    code: ErrorCode | None
    """Machine-readable error code (§7.2). None where the body is not the API's, e.g. a proxy's page."""
    status: int
    """HTTP status."""
    title: str | None
    """Short title of the error's category."""
    detail: str | None
    """Explanation of this error."""
    errors: list[FieldError] | None
    """Failing fields (§7.3). Entries without a field and a code are left out; `body` has all of them."""
    meta: Mapping[str, object] | None
    """Extra context, such as `retryAfterSecs` or `resetsAt`."""
    retry_after: float | None
    """Seconds to wait, as requested by `meta.retryAfterSecs` or a `Retry-After` header: the longer of both."""
    body: Mapping[str, object] | None
    """The whole error body, tokens redacted and phone numbers masked. None where it is not a JSON object, or nests deeper than
    64 levels."""
    body_text: str | None
    """First 2,000 characters where `body` is None, e.g. a proxy's page, tokens redacted."""
    headers: Mapping[str, str]
    """Response headers, their names in lower case."""

    def __init__(self, response: ApiErrorDetails, details: RequestErrorDetails) -> None:
        super().__init__(_format_message(response, details), details)
        body = response.body or {}
        meta = body.get("meta")
        self.code = _text(body.get("code"))
        self.status = response.status
        self.title = _text(body.get("title"))
        self.detail = _text(body.get("detail"))
        fields = _field_errors(body.get("errors"))
        self.errors = [] if fields is None and self.code in CODES_WITH_FIELD_ERRORS else fields
        self.meta = meta if is_object(meta) else None
        self.retry_after = response.retry_after
        self.request_id = response.request_id or _text(body.get("requestId")) or self.request_id
        self.body = response.body
        self.body_text = None if response.body_text is None else response.body_text[:MAX_BODY_TEXT]
        self.headers = response.headers


def _format_fields(errors: list[FieldError] | None) -> str:
    """Lists up to five failing fields. Logs often hold nothing but the message."""
    if not errors:
        return ""
    fields = [f"{excerpt(one.field, 100)} {excerpt(one.code, 100)}" for one in errors[:5]]
    return f" ({', '.join([*fields, '…'] if len(errors) > 5 else fields)})"


def _format_body(body_text: str | None) -> str:
    """Quotes a body that is not the API's: its text, or the title of a page."""
    start = (body_text or "")[:MAX_BODY_TEXT]
    title = re.search(r"<title[^>]*>([^<]+)", start, re.IGNORECASE)
    text = excerpt(title[1] if title else "" if re.match(r"\s*<", start) else start, 200)
    return f': "{text}"' if text else ""


def _format_problem(response: ApiErrorDetails, outcome: RequestOutcome) -> str:
    if response.status < 400 and response.status != 304 and outcome == "rejected":
        return ", a redirect, which is not followed: check base_url"
    body = response.body or {}
    code, detail = _text(body.get("code")), _text(body.get("detail"))
    if code is None:
        hint = " (check base_url)" if response.status == 404 else ""
        return f" without an API error body{hint}{_format_body(response.body_text)}"
    explained = "" if detail is None else f": {excerpt(detail)}"
    return f" {excerpt(code, 100)}{explained}{_format_fields(_field_errors(body.get('errors')))}"


def _format_message(response: ApiErrorDetails, details: RequestErrorDetails) -> str:
    status, request_id = response.status, response.request_id
    request = f" (request {excerpt(request_id, 100)})" if request_id else ""
    # A rejection leaves the outcome unknown only after an attempt that may have been carried out.
    is_effect = status == 409 or (response.method == "DELETE" and status in (404, 410))
    is_hinted = is_effect and details.outcome == "unknown"
    hint = "; an earlier attempt whose response was lost may have caused it" if is_hinted else ""
    problem = _format_problem(response, details.outcome)
    message = f"{details.operation_id} answered {status}{problem}{request}{hint}"
    return with_retry_reason(message, details.retry_skipped_reason, response.retry_after)


def with_retry_reason(message: str, reason: RetrySkippedReason | None, retry_after: float | None) -> str:
    """Adds to a message why the request was not retried."""
    if reason is None:
        return message
    wait = "" if retry_after is None else format_duration(retry_after)
    return f"{message}; not retried: {_REASONS[reason].format(wait)}"


@dataclass(frozen=True, slots=True)
class OutcomeWindow:
    """Period in which an operation may have been carried out."""

    start: str
    """Start, as an ISO 8601 time."""
    end: str
    """End, as an ISO 8601 time."""
    by_server_clock: bool
    """Whether the times are the server's, because an answer to this client or a copy of it had a `Date`. Otherwise they are by the
    caller's clock, with five minutes more on each side."""


# Imported for types alone: the models cost time.
ItemT = TypeVar("ItemT", default="Call")


@dataclass(frozen=True, slots=True)
class Reconciliation(Generic[ItemT]):
    """Result of `OutcomeUnknownError.reconcile()`."""

    candidates: Sequence[ItemT]
    """Items that may be the result of the request: the calls that were placed meanwhile, without inbound calls, and without those
    to other numbers where the list shows numbers. Nothing says which one it is."""
    complete: bool
    """Whether the whole list was read, from a time on that is known by the server's clock."""
    reason: ReconciliationReason
    """What the result means."""
    explanation: str
    """The same as text for a person. Its wording may change."""
    window: OutcomeWindow
    """The period that was looked at. It may differ from that of the error: the answers that were read show the server's clock."""


class OutcomeUnknownError(RequestError):
    """An operation that is not idempotent may have been carried out, but its response was lost, e.g. that of a call placement.

    Call `reconcile()` before sending it again (§8.3). The `__cause__` says how the last attempt ended.
    """

    window: OutcomeWindow
    """Period in which the operation may have been carried out, by the server's clock as far as it was known."""
    partial_body: str | None
    """Part of the response body that arrived."""

    def __init__(
        self,
        message: str,
        details: RequestErrorDetails,
        window: OutcomeWindow,
        partial_body: str | None = None,
        reconcile: Callable[[int], Reconciliation] | None = None,
        reconcile_async: Callable[[int], Awaitable[Reconciliation]] | None = None,
    ) -> None:
        """Tests of your own code can create one, with the functions that `reconcile()` calls."""
        super().__init__(message, details)
        self.window = window
        self.partial_body = partial_body
        self._reconcile = reconcile
        self._reconcile_async = reconcile_async

    def _nothing(self) -> Reconciliation:
        explanation = f"{self.operation_id} cannot be reconciled. Confirm its result manually before sending it again."
        return Reconciliation((), False, "not_supported", explanation, self.window)

    def reconcile(self, *, max_items: int = 1000) -> Reconciliation:
        """Looks for results of the request on the server. For errors of a `CallTransfer`.

        For a call placement it reads the call list of the same account from the start of `window`. An empty list does not prove
        that no call was placed. For other operations there are no candidates, and the explanation says why.

        Args:
            max_items: How many listed calls to read at most, rounded up to whole pages of 100. If the list is longer, `complete`
                is False.

        Raises:
            InvalidArgumentError: `max_items` is out of range, or the error is one of an `AsyncCallTransfer`.

        """
        check_max_items(max_items)
        if self.__dict__.get("_reconcile_async") is not None:
            raise InvalidArgumentError("reconcile", "blocks. Use await error.reconcile_async() with an async client.")
        reconcile: Callable[[int], Reconciliation] | None = self.__dict__.get("_reconcile")
        return self._nothing() if reconcile is None else reconcile(max_items)

    async def reconcile_async(self, *, max_items: int = 1000) -> Reconciliation:
        """Does the same as `reconcile()`, for errors of an `AsyncCallTransfer`."""
        check_max_items(max_items)
        if self.__dict__.get("_reconcile") is not None:
            raise InvalidArgumentError("reconcile_async", "needs an async client. Use error.reconcile().")
        reconcile: Callable[[int], Awaitable[Reconciliation]] | None = self.__dict__.get("_reconcile_async")
        return self._nothing() if reconcile is None else await reconcile(max_items)


def check_max_items(value: object) -> None:
    """Raises an `InvalidArgumentError` for anything but an integer from 1."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise InvalidArgumentError("max_items", "must be an integer from 1")
