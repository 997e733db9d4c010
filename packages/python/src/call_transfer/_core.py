"""The attempt loop without I/O: a generator that says what to send and how long to sleep, and takes what came of it.

Which attempt follows which, what an error says of the outcome, and what is retried stands here once for both clients.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from ._auth import Credential, RenewalTimeout
from ._errors import (
    AbortError,
    ApiError,
    Attempt,
    AttemptError,
    CallTransferError,
    ConnectionError,
    InvalidResponseError,
    Outcome,
    OutcomeUnknownError,
    OutcomeWindow,
    Reconciliation,
    RequestError,
    RequestFacts,
    ResponseFacts,
    RetrySkippedReason,
    TimeoutError,
    with_retry_reason,
)
from ._generated.errors import ERRORS_BY_STATUS, ServerError
from ._json import is_object, parse_json, parse_object
from ._operation import Operation
from ._options import RetryEvent, RetryPolicy, Settings
from ._outcome import combine, is_effect_free, is_json_type, media_type, outcome_of_response
from ._redact import excerpt, mask_numbers, redact
from ._retry import RETRY_COST, RetryBudget, delay_for, longest, retry_hint, should_retry
from ._window import DatedAnswer, Moment, window_of

log = logging.getLogger("call_transfer")

T = TypeVar("T")
TOKEN_FUNCTION = "the access_token function"  # noqa: S105
EXPIRED_CODE = "token_expired"
"""The one refusal that a new credential fixes."""


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
    body: bytes | None = field(repr=False)
    end: float
    """When the attempt must have ended, by `elapsed()`."""
    limit: float
    """Seconds until then."""
    sent: bool = False
    """Whether a byte of the request may have left. Set by whoever sends it."""


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
Lost: TypeAlias = Literal["failed", "timeout", "too_large"]


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
    retry: RetryPolicy
    account_id: str | None
    context: Mapping[str, object] | None
    deadline: float | None
    """End of the whole request, by `elapsed()`."""
    begun: Moment
    answer_before: DatedAnswer | None
    """The newest dated answer of the server from before the request."""
    budget: RetryBudget | None
    find: Callable[[Call, OutcomeWindow, bytes | None, int, float | None], Steps[Reconciliation]] | None = None
    bind: Callable[[OutcomeUnknownError, Callable[[int], Steps[Reconciliation]]], None] | None = None
    """Gives an error the way to `find`."""
    tokens: set[str] = field(default_factory=set[str])
    """Every token that was sent, to keep them out of messages and errors."""
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    outcome: Outcome = "not_sent"
    retry_skipped_reason: RetrySkippedReason | None = None
    renewed: bool = False
    retry_cost: int = 0

    def __repr__(self) -> str:
        return f"<request {self.operation.operation_id}>"

    def clean(self, text: str) -> str:
        """Cleans text for messages and errors: without tokens, and with phone numbers masked unless the client shows them."""
        text = redact(text, self.tokens)
        return text if self.settings.show_phone_numbers else mask_numbers(text)

    def facts(self) -> RequestFacts:
        """Returns what an error carries."""
        duration = round(max(0.0, self.settings.clock.elapsed() - self.begun.elapsed), 3)
        return RequestFacts(
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
        return self.operation.retry == "once" and self.outcome in ("unknown", "applied")


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

    outcome: Outcome
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
    problem: Mapping[str, object] | None = None
    body_text: str | None = None


@dataclass(slots=True, repr=False)
class Sent:
    """A success."""

    status: int
    headers: Headers
    data: Any
    """The parsed body; None if it is empty."""


class TransportError(Exception):
    """A copy of the error of the transport, in words alone: the original refers to the request with its headers."""


def send(call: Call) -> Steps[Sent]:
    """Sends the request until it succeeds or may not be retried."""
    retries = 0
    renewed: Credential | None = None
    auth = call.settings.auth
    while True:
        result = yield from _attempt(call, renewed)
        if result.attempt is not None:
            call.attempts.append(result.attempt)
        call.outcome = combine(call.outcome, result.outcome)
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", _summary(call, result))
        if result.failure is None and result.status is not None and 200 <= result.status < 300:
            if call.budget is not None:
                call.budget.refill(call.retry_cost)
            if result.credential is not None:
                auth.accept(result.credential)
            return Sent(result.status, result.headers, result.data)
        renewed = None
        if _is_expired(call, result):
            renewal = yield from _renew(call, result)
            if isinstance(renewal, Result):
                raise _error_of(call, renewal)
            if renewal is None:
                call.retry_skipped_reason = "expired_token"
                raise _error_of(call, result)
            # Not counted as a retry: only the credential was refused.
            renewed = renewal
            continue
        delay = delay_for(retries, result.hint or 0.0, call.settings.random)
        if not (yield from _can_retry(call, result, retries, delay)):
            raise _error_of(call, result)
        _report_retry(call, result, delay)
        try:
            yield Sleep(delay)
        except BaseException as stop:
            _interrupt(call, stop, sent=False)
            raise
        retries += 1


def _attempt(call: Call, renewed: Credential | None) -> Steps[Result]:
    """Sends the request once, with a credential in place of an expired one if it was renewed."""
    settings = call.settings
    clock = settings.clock
    limit = call.limit()
    end = clock.elapsed() + limit
    credential = renewed or settings.auth.fixed
    if credential is None:
        try:
            credential = yield GetToken(limit=limit)
        except RenewalTimeout:
            return _timed_out(limit, Result("not_sent"), TOKEN_FUNCTION)
        except CallTransferError:
            if not call.attempts:
                raise
            return _own_code_failed(call, ConfigurationLater())
        except Exception as error:
            return _own_code_failed(call, error)
        except BaseException as stop:
            _interrupt(call, stop, sent=False)
            raise
        assert credential is not None  # noqa: S101
    call.tokens.add(credential.token)
    # The time may be up after the wait for a token. Then nothing may be sent.
    if clock.elapsed() >= end:
        return _timed_out(limit, Result("not_sent", credential=credential))
    headers = {**call.headers, "authorization": f"Bearer {credential.token}"}
    order = Send(call.operation.method, call.url, headers, call.body, end, max(0.0, end - clock.elapsed()))
    attempt = Attempt(clock.now())
    begun = clock.elapsed()
    try:
        received: Received = yield order
    except BaseException as stop:
        attempt.error = "aborted"
        call.attempts.append(attempt)
        _interrupt(call, stop, sent=order.sent)
        raise
    attempt.duration = round(max(0.0, clock.elapsed() - begun), 3)
    result = _read(call, attempt, received, limit)
    result.credential = credential
    return result


class ConfigurationLater(Exception):
    """The token function returned something else than a token after an attempt."""

    def __str__(self) -> str:
        return "it returned something that is not a token"


def _own_code_failed(call: Call, error: Exception) -> Result:
    """Result where the token function raised. The cause is the error itself, so that callers recognize their own."""
    reason = excerpt(call.clean(str(error) or type(error).__name__))
    failure = Failure(RequestError, f"failed: {TOKEN_FUNCTION} raised: {reason}", error)
    return Result("not_sent", failure=failure, final=True)


def _timed_out(limit: float, result: Result, waiting_for: str = "") -> Result:
    hung = f": {waiting_for} has not returned" if waiting_for else ""
    result.failure = Failure(TimeoutError, f"got no complete response within {limit:g} s{hung}")
    result.interrupted = True
    return result


def _read(call: Call, attempt: Attempt, received: Received, limit: float) -> Result:
    """Turns what came of one sending into the result of the attempt."""
    settings, headers, status = call.settings, received.headers, received.status
    if status is None:
        result = Result("unknown" if received.sent else "not_sent", attempt)
        return _lost(call, result, received, limit)
    attempt.status = status
    request_id = headers.get("x-request-id")
    if request_id:
        attempt.request_id = call.clean(request_id)
    content_type = headers.get("content-type")
    settings.server_time.note(headers.get("date"), settings.moment())
    if "deprecation" in headers or "sunset" in headers:  # type: ignore[operator]
        _log_deprecation(call, headers)
    trust = call.retry.trust_503_codes
    outcome = outcome_of_response(status, None, content_type, trust_503_codes=trust)
    result = Result(outcome, attempt, status=status, headers=headers, text=received.text)
    if 200 <= status < 300:
        return _lost(call, result, received, limit) if received.lost else _success(call, result)
    text = None if received.text is None else call.clean(received.text)
    result.problem = parse_object(text)
    code = (result.problem or {}).get("code")
    result.code = attempt.code = code if isinstance(code, str) else None
    body_id = (result.problem or {}).get("requestId")
    if attempt.request_id is None and isinstance(body_id, str):
        attempt.request_id = body_id
    result.body_text = text or None if result.problem is None else None
    result.outcome = outcome_of_response(status, result.code, content_type, trust_503_codes=trust)
    meta = (result.problem or {}).get("meta")
    result.hint = retry_hint(meta, headers.get("retry-after"), headers.get("date"), settings.clock.now())
    return _lost(call, result, received, limit) if received.lost else result


def _lost(call: Call, result: Result, received: Received, limit: float) -> Result:
    """Result of an attempt whose response did not arrive, or not to its end."""
    attempt = result.attempt
    assert attempt is not None  # noqa: S101
    reasons: dict[Lost | None, AttemptError] = {"timeout": "timeout", "too_large": "body_too_large"}
    attempt.error = reasons.get(received.lost, "connection_lost" if received.status else "connection_failed")
    result.text = received.text
    if received.lost == "timeout":
        return _timed_out(limit, result)
    if received.lost == "too_large":
        message = f"answered {result.status} with a body larger than {received.error}"
        result.failure = Failure(InvalidResponseError, message)
        return result
    reason = excerpt(call.clean(str(received.error) or type(received.error).__name__))
    where = f"lost the connection in the body of its {received.status} response"
    what = where if received.status else "could not be sent or lost its connection"
    result.failure = Failure(ConnectionError, f"{what}: {reason}", _cause_of(call, received.error))
    result.interrupted = True
    return result


def _cause_of(call: Call, error: BaseException | None) -> TransportError | None:
    if error is None:
        return None
    words = [f"{type(one).__module__.split('.')[0]}.{type(one).__name__}: {one}" for one in _chain(error)]
    return TransportError(excerpt(call.clean("; ".join(words)), 2000))


def _chain(error: BaseException) -> list[BaseException]:
    chain = [error]
    while (inner := chain[-1].__cause__ or chain[-1].__context__) is not None and len(chain) < 5 and inner not in chain:
        chain.append(inner)
    return chain


def _success(call: Call, result: Result) -> Result:
    """Result of a success: its data, or why its body is unusable."""
    expected, text = call.operation.success, result.text
    if expected != "object" and not text:
        return result
    value = parse_json(text)
    is_null = value is None and (text or "").strip() == "null"
    if is_object(value) if expected else value is not None or is_null:
        missing = _missing_field(call.operation, result.status, value)
        if missing:
            return _invalid(result, f"a body without {missing}")
        result.data = value
        return result
    kind = media_type(result.headers.get("content-type"))
    start = (text or "").lstrip()
    # Truncated JSON comes from the API. Anything else may come from a login page or a wrong address.
    looks_broken = not start.startswith("<") if is_json_type(kind) else start.startswith("{")
    if value is None and not is_null and looks_broken:
        return _invalid(result, "invalid or truncated JSON")
    what = excerpt(call.clean(kind or "no content type"), 60) if text else "empty"
    if result.outcome == "applied":
        result.outcome = "unknown"
    wanted = "a JSON object" if expected else "JSON"
    return _invalid(result, f"a body that is not {wanted} ({what}): check base_url and proxies")


def _missing_field(operation: Operation, status: int | None, data: Any) -> str | None:
    """The field that a success is unusable without, if it is missing."""
    if not operation.result or not is_object(data):
        return None
    by_type = any(not key.isdigit() for key in operation.result)
    own = data.get("type")
    if by_type and not isinstance(own, str):
        return "type"
    needed = operation.result.get(str(own) if by_type else str(status))
    return needed if needed is not None and not data.get(needed) else None


def _invalid(result: Result, problem: str) -> Result:
    result.failure = Failure(InvalidResponseError, f"answered {result.status} with {problem}")
    return result


def _is_expired(call: Call, result: Result) -> bool:
    """Whether the token expired and can be renewed, which happens once per request."""
    auth = call.settings.auth
    if result.status != 401 or not auth.can_renew or result.credential is None:
        return False
    if result.code != EXPIRED_CODE or call.renewed:
        auth.forget(result.credential, call.settings.clock.elapsed())
        return False
    return result.failure is None


def _renew(call: Call, result: Result) -> Steps[Credential | Result | None]:
    call.renewed = True
    limit = call.limit()
    try:
        renewed: Credential | None = yield GetToken(result.credential, limit)
    except RenewalTimeout:
        return _timed_out(limit, Result("not_sent"), TOKEN_FUNCTION)
    except CallTransferError:
        return _own_code_failed(call, ConfigurationLater())
    except Exception as error:
        return _own_code_failed(call, error)
    except BaseException as stop:
        _interrupt(call, stop, sent=False)
        raise
    return renewed


def _can_retry(call: Call, result: Result, retries: int, delay: float) -> Steps[bool]:
    """Whether to retry. If a retry is due but skipped, the call says why."""
    facts = {
        "status": result.status,
        "code": result.code,
        "outcome": result.outcome,
        "interrupted": result.interrupted,
    }
    if result.final or retries >= call.retry.max or not should_retry("safe", **facts):  # type: ignore[arg-type]
        return False
    is_blind = not should_retry(call.operation.retry, **facts)  # type: ignore[arg-type]
    call.retry_skipped_reason = yield from _reason_to_skip(call, result, delay, is_blind=is_blind)
    return call.retry_skipped_reason is None


def _reason_to_skip(call: Call, result: Result, delay: float, *, is_blind: bool) -> Steps[RetrySkippedReason | None]:
    policy, hint = call.retry, result.hint or 0.0
    if is_blind and result.outcome == "applied":
        return "carried_out"
    if is_blind and policy.when_unknown == "raise":
        return "untrusted_503" if is_effect_free(result.status, result.code) else "not_idempotent"
    if hint > policy.max_wait:
        return "wait_too_long"
    if call.is_past_deadline(delay):
        return "total_timeout"
    if is_blind and policy.when_unknown == "check" and not (yield from _found_nothing(call)):
        return "not_ruled_out"
    # The check took time itself.
    if call.is_past_deadline(delay):
        return "total_timeout"
    # A 429 that says how long to wait asks for exactly this retry.
    call.retry_cost = 0 if result.status == 429 and hint > 0 else RETRY_COST
    if call.budget is not None and not call.budget.spend(call.retry_cost, call.settings.clock.elapsed()):
        return "retry_budget"
    return None


def _found_nothing(call: Call) -> Steps[bool]:
    if call.find is None:
        return False
    window = call.window(call.settings.moment())
    # Without the body: a list may spell a number otherwise, so no outbound call may be left out.
    end = call.settings.clock.elapsed() + call.limit()
    found = yield from call.find(call, window, None, 1000, end)
    return found.complete and not found.candidates


def _report_retry(call: Call, result: Result, delay: float) -> None:
    operation_id = call.operation.operation_id
    if result.attempt is not None:
        result.attempt.delay = delay
    log.warning("%s; retried in %d ms", _summary(call, result), round(delay * 1000))
    on_retry = call.settings.on_retry
    if on_retry is None or result.attempt is None:
        return
    try:
        on_retry(RetryEvent(operation_id, replace(result.attempt), len(call.attempts) + 1, call.context))
    except Exception as error:
        log.error("on_retry raised: %s", call.clean(str(error)))


def _summary(call: Call, result: Result) -> str:
    """The last attempt in a line of the log."""
    last = call.attempts[-1] if call.attempts else Attempt(0.0)
    code = f" {excerpt(last.code, 100)}" if last.code else ""
    ended = result.failure.message if result.failure else f"answered {result.status}{code}"
    request = f" (request {excerpt(last.request_id, 100)})" if last.request_id else ""
    duration = round((last.duration or 0) * 1000)
    return f"{call.operation.operation_id} attempt {len(call.attempts)} {ended} in {duration} ms{request}"


def _log_deprecation(call: Call, headers: Headers) -> None:
    """Logs once per operation that the server will change or remove it."""
    operation_id, logged = call.operation.operation_id, call.settings.logged_deprecations
    if operation_id in logged or not log.isEnabledFor(logging.WARNING):
        return
    logged.add(operation_id)
    deprecation, sunset = headers.get("deprecation"), headers.get("sunset")
    notices = [f" is deprecated ({deprecation})"] if deprecation else []
    notices += [f" will stop working on {sunset}"] if sunset else []
    log.warning("%s", excerpt(call.clean(operation_id + " and".join(notices))))


def _error_of(call: Call, result: Result) -> RequestError:
    """Returns the error of a request that ended with this result."""
    facts = call.facts()
    error: RequestError
    if result.failure is not None:
        message = f"{facts.operation_id} {result.failure.message}"
        message = with_retry_reason(message, facts.retry_skipped_reason, result.hint)
        error = result.failure.kind(message, facts)
        error.__cause__ = result.failure.cause
    else:
        error = _api_error(call, result, facts)
    error.__suppress_context__ = True
    return _unknown(call, error, result.text, facts) if call.is_unknown else error


def _api_error(call: Call, result: Result, facts: RequestFacts) -> ApiError:
    status = result.status or 0
    request_id = result.headers.get("x-request-id")
    response = ResponseFacts(
        status,
        result.problem,
        result.body_text,
        call.operation.method,
        call.clean(request_id) if request_id else None,
        {name.lower(): redact(value, call.tokens) for name, value in result.headers.items()},
        result.hint,
    )
    kind = ERRORS_BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(response, facts)


def _unknown(call: Call, error: RequestError, partial: str | None, facts: RequestFacts) -> OutcomeUnknownError:
    what = (
        "was carried out, but its response was lost. Do not send it again: reconcile() looks for its result."
        if call.outcome == "applied"
        else "may have been carried out. Call reconcile() before sending it again."
    )
    ended = call.settings.moment()
    body = redact(partial, call.tokens) if partial else None
    message = f"{facts.operation_id} {what} {error}"
    unknown = OutcomeUnknownError(message, facts, call.window(ended), body)
    find = call.find
    if find is not None and call.bind is not None:
        call.bind(unknown, lambda max_calls: find(call, call.window(ended), call.body, max_calls, None))
    unknown.__cause__ = error
    log.error("%s", message)
    return unknown


def _interrupt(call: Call, stop: BaseException, *, sent: bool) -> None:
    """Says as the cause of a cancellation what the request had done by then."""
    if not isinstance(stop, Exception) and not isinstance(stop, GeneratorExit):
        call.outcome = combine(call.outcome, "unknown" if sent else "not_sent")
        facts = call.facts()
        error: RequestError = AbortError(f"{facts.operation_id} was interrupted by the caller", facts)
        stop.__cause__ = _unknown(call, error, None, facts) if call.is_unknown else error


__all__ = ["Call", "GetToken", "Received", "Send", "Sent", "Sleep", "Step", "Steps", "longest", "send"]
