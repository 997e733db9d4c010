"""A request and its attempts: the records that the core and the drivers hand to each other, and how they begin. Without I/O."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from ._auth import Credential
from ._errors import (
    Attempt,
    ConfigurationError,
    InvalidArgumentError,
    OutcomeUnknownError,
    OutcomeWindow,
    Reconciliation,
    RequestError,
    RequestErrorDetails,
    RequestOutcome,
    RetrySkippedReason,
)
from ._interrupt import let_through
from ._operation import Operation, expand_path, iso_hint, serialize_query
from ._options import NOT_GIVEN, REQUEST_RETRY_RULES, REQUEST_RULES, RetryPolicy, Settings, check_options
from ._outcome import DatedAnswer, Moment, window_of
from ._redact import Hidden, Secret, mask_numbers, redact
from ._retry import RetryBudget

T = TypeVar("T")
Lost: TypeAlias = Literal["failed", "timeout", "too_large", "hook_raised"]


class Headers(Protocol):
    """What is read of response headers. Names are in lower case."""

    def get(self, name: str, /) -> str | None: ...
    def items(self) -> Any: ...


@dataclass(slots=True)
class Send:
    """Asks to send the request once. The answer is a `Received`."""

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    credential: Secret
    """Becomes a header where the request is written."""
    body: bytes | None = field(repr=False)
    limit: float
    """Seconds that the attempt may still take."""
    end: float = math.inf
    """When it must have ended, by `elapsed()`. Set by whoever sends it."""
    sent: bool = False
    """Whether a byte of the request may have left. Set by whoever sends it."""
    heard: bytes = field(default=b"", repr=False)
    """The first bytes that were read since. What had been read before is no answer to this request."""


@dataclass(slots=True)
class Sleep:
    """Asks to wait some seconds."""

    seconds: float


@dataclass(slots=True)
class GetToken:
    """Asks for a token of the caller's function, or for one newer than the expired one. The answer is a `Credential` or None."""

    expired: Credential | None = None
    limit: float = math.inf


Step: TypeAlias = Send | Sleep | GetToken
Steps: TypeAlias = Generator[Step, Any, T]


@dataclass(slots=True)
class Received:
    """What came of one sending: a response, or as much of one as arrived."""

    sent: bool
    status: int | None = None
    headers: Headers = field(default_factory=dict[str, str], repr=False)
    text: str | None = field(default=None, repr=False)
    """The body as far as it arrived; cut at its limit where it is that of an error."""
    lost: Lost | None = None
    """Why it is not complete."""
    error: BaseException | None = None


@dataclass(slots=True, repr=False)
class Call:
    """One logical request: its settings, and what is known of it over all its attempts."""

    operation: Operation
    settings: Settings
    url: str
    headers: dict[str, str]
    body: bytes | None
    timeout: float
    max_retries: int
    retry: RetryPolicy
    account_id: str | None
    context: Mapping[str, object] | None
    deadline: float | None
    """End of the whole request, by `elapsed()`."""
    begun: Moment
    answer_before: DatedAnswer | None
    """The newest dated answer of the server from before the request."""
    budget: RetryBudget | None
    find: Callable[[Search], Steps[Reconciliation]] | None = None
    bind: Callable[[OutcomeUnknownError, Callable[[int], Steps[Reconciliation]]], None] | None = None
    """Gives an error the way to `find`."""
    model: Any = None
    """Model of the caller's own for the data of a success."""
    tokens: set[Secret] = field(default_factory=set[Secret])
    """Every token that was sent, to keep them out of messages and errors."""
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    pending: tuple[Attempt, Send] | None = None
    """The attempt whose result is not part of the outcome yet."""
    outcome: RequestOutcome = "not_sent"
    retry_skipped_reason: RetrySkippedReason | None = None
    renewed: bool = False
    retry_cost: int = 0

    def __repr__(self) -> str:
        return f"<request {self.operation.operation_id}>"

    def clean(self, text: str) -> str:
        """Cleans text for messages and errors: without tokens, and with phone numbers masked unless the client shows them."""
        text = redact(text, self.tokens)
        return text if self.settings.show_phone_numbers else mask_numbers(text)

    def details(self) -> RequestErrorDetails:
        """Returns what an error carries."""
        duration = round(max(0.0, self.settings.clock.elapsed() - self.begun.elapsed), 3)
        return RequestErrorDetails(
            self.operation.operation_id,
            self.outcome,
            self.attempts,
            self.retry_skipped_reason,
            duration,
            self.settings.base_url,
            self.account_id,
            self.context,
        )

    def window(self, ended: Moment) -> OutcomeWindow:
        """Returns the window of a request that ended at a moment, by all that is known of the server's clock by now."""
        return window_of(self.begun, ended, self.answer_before, self.settings.server_time.newest)

    def limit(self) -> float:
        """Returns the seconds that the next attempt may take."""
        if self.deadline is None:
            return self.timeout
        return max(0.0, min(self.timeout, self.deadline - self.settings.clock.elapsed()))

    def is_past_deadline(self, delay: float) -> bool:
        """Returns whether the time would be up after a wait."""
        return self.deadline is not None and self.settings.clock.elapsed() + delay >= self.deadline

    @property
    def is_unknown(self) -> bool:
        """Whether an operation that is not idempotent may have been carried out without a usable response."""
        return self.operation.idempotency == "non_idempotent" and self.outcome in ("unknown", "applied")


@dataclass(slots=True, repr=False)
class Search:
    """A look for results of a request whose outcome is unknown."""

    call: Call
    window: OutcomeWindow
    body: bytes | None = None
    """What results must fit, if it is given."""
    max_items: int = 1000
    end: float | None = None
    """End of the search, by `elapsed()`."""


@dataclass(slots=True)
class Failure:
    """Why there is no usable response."""

    kind: type[RequestError]
    message: str
    """Follows the operationId in the error's message."""
    cause: BaseException | None = None


@dataclass(slots=True, repr=False)
class Result:
    """What one attempt ended with."""

    outcome: RequestOutcome
    attempt: Attempt | None = None
    credential: Credential | None = None
    status: int | None = None
    headers: Headers = field(default_factory=dict[str, str])
    code: str | None = None
    interrupted: bool = False
    """Whether the connection was lost or timed out, as opposed to a complete response."""
    failure: Failure | None = None
    final: bool = False
    """Whether the caller's own code ended it, so that no retry may follow."""
    hint: float | None = None
    data: Any = None
    text: str | None = None
    body: Mapping[str, object] | None = None
    body_text: str | None = None


@dataclass(slots=True, repr=False)
class Sent:
    """A success."""

    status: int
    headers: Headers
    data: Any
    """The parsed body; None if it is empty."""


def _to_json(body: object) -> bytes:
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        let_through(error)
        raise InvalidArgumentError("body", f"must be JSON: {error}") from None


def _plain(value: Any) -> object:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    hint = f". {iso_hint(value)}" if isinstance(value, date) else ""
    raise TypeError(f"a {type(value).__name__} has no form in JSON{hint}")


def _given(fields: Mapping[str, object] | None) -> dict[str, object] | None:
    return None if fields is None else {name: value for name, value in fields.items() if value is not NOT_GIVEN}


def prepare(
    settings: Settings,
    operation: Operation,
    *,
    path: Mapping[str, object] | None = None,
    route: str | None = None,
    query: Mapping[str, object] | None = None,
    body: object = NOT_GIVEN,
    options: object = None,
    deadline: float | None = None,
) -> Call:
    """Combines the options of a request with the client's settings, and checks them."""
    given = {} if options is None else check_options(options, REQUEST_RULES)
    policy = settings.retry
    if "retry" in given:
        policy = replace(policy, **check_options(given["retry"], REQUEST_RETRY_RULES, "retry."))
    account_id: str | None = given.get("account_id", settings.account_id)
    if operation.account_scoped and account_id is None and settings.auth.kind == "access_token":
        raise ConfigurationError("account_id", f"is required for {operation.operation_id} with an access token")
    fields = _given(query)
    extra_query, extra_body = given.get("extra_query"), given.get("extra_body")
    if extra_query:
        fields = {**extra_query, **{name: value for name, value in (fields or {}).items() if value is not None}}
    target = expand_path(operation.route if route is None else route, path or {})
    search = serialize_query(fields) if fields else ""
    if search:
        target = f"{target}{'&' if '?' in target else '?'}{search}"
    headers = Hidden({**settings.headers, **{name.lower(): text for name, text in given.get("headers", {}).items()}})
    if account_id is not None:
        headers["x-account-id"] = account_id
    content = None
    if body is not NOT_GIVEN or extra_body:
        if isinstance(body, Mapping):
            body = _given(body)
        if extra_body:
            if not isinstance(body, dict):
                problem = f"requires a body that is an object, in {operation.operation_id}"
                raise ConfigurationError("extra_body", problem)
            body = {**extra_body, **body}
        content = _to_json(body)
        headers.setdefault("content-type", "application/json")
    begun = settings.moment()
    total = given.get("total_timeout", settings.total_timeout)
    ends = [end for end in (deadline, None if total is None else begun.elapsed + total) if end is not None]
    return Call(
        operation=operation,
        settings=settings,
        url=settings.base_url + target,
        headers=headers,
        body=content,
        timeout=given.get("timeout", settings.timeout),
        max_retries=given.get("max_retries", settings.max_retries),
        retry=policy,
        account_id=account_id,
        context=given.get("context"),
        deadline=min(ends, default=None),
        begun=begun,
        answer_before=settings.server_time.newest,
        budget=None if settings.budgets is None else settings.budgets.of(account_id),
    )
