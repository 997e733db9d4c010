"""What a request reports: log lines, and the error that it ends with. Without I/O."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from ._call import Call, Headers, Result, Search
from ._errors import (
    AbortError,
    ApiError,
    ApiErrorDetails,
    Attempt,
    CallTransferError,
    OutcomeUnknownError,
    RequestError,
    RequestErrorDetails,
    with_retry_reason,
)
from ._generated.errors import ERRORS_BY_STATUS, ServerError
from ._interrupt import CARRIED, carry, forget_locals, let_through
from ._options import RetryEvent, check, read_variable
from ._outcome import combine
from ._redact import excerpt, redact

log = logging.getLogger("call_transfer")


class _LastHandler(logging.StreamHandler[Any]):
    """Prints what no handler of the program's prints, also one that is added later."""

    def emit(self, record: logging.LogRecord) -> None:
        one: logging.Logger | None = logging.getLogger("call_transfer")
        while one is not None:
            if any(handler is not self for handler in one.handlers):
                return
            one = one.parent if one.propagate else None
        super().emit(record)


def follow_log_level() -> None:
    """Follows the environment variable CALL_TRANSFER_LOG, where the program has set no level of its own."""
    level, logger = read_variable("CALL_TRANSFER_LOG"), logging.getLogger("call_transfer")
    if level is None:
        return
    levels = {"debug": 10, "info": 20, "warn": 30, "error": 40, "off": 100}
    check(level in levels, "CALL_TRANSFER_LOG", f"must be one of {', '.join(levels)}")
    if logger.level == logging.NOTSET:
        logger.setLevel(levels[level])
    if not logger.hasHandlers() and level != "off":
        logger.addHandler(_LastHandler())


def report_retry(call: Call, result: Result, delay: float) -> None:
    operation_id = call.operation.operation_id
    if result.attempt is not None:
        result.attempt.delay = delay
    # An outage has as many retries as requests. The rest of a minute's with the same cause is for the level of each attempt.
    seen = call.settings.logged_retries
    cause = f"{operation_id} {result.code or (result.failure.kind.__name__ if result.failure else result.status)}"
    left = 0 if seen is None else seen.may_report(cause)
    more = f" (and {left} more)" if left else ""
    level = logging.DEBUG if left is None else logging.WARNING
    log.log(level, "%s; retried in %d ms%s", summary_of(call, result), round(delay * 1000), more)
    on_retry = call.settings.on_retry
    if on_retry is None or result.attempt is None:
        return
    try:
        on_retry(RetryEvent(operation_id, replace(result.attempt), len(call.attempts) + 1, call.context))
    except Exception as error:
        let_through(error)
        log.error("on_retry raised: %s", call.clean(str(error)))


def summary_of(call: Call, result: Result) -> str:
    """The last attempt in a line of the log."""
    last = call.attempts[-1] if call.attempts else Attempt(0.0)
    code = f" {excerpt(last.code, 100)}" if last.code else ""
    ended = result.failure.message if result.failure else f"answered {result.status}{code}"
    request = f" (request {excerpt(last.request_id, 100)})" if last.request_id else ""
    duration = round((last.duration or 0) * 1000)
    return f"{call.operation.operation_id} attempt {len(call.attempts)} {ended} in {duration} ms{request}"


def log_deprecation(call: Call, headers: Headers) -> None:
    """Logs once per operation that the server will change or remove it."""
    operation_id, logged = call.operation.operation_id, call.settings.logged_deprecations
    if operation_id in logged or not log.isEnabledFor(logging.WARNING):
        return
    logged.add(operation_id)
    deprecation, sunset = headers.get("deprecation"), headers.get("sunset")
    notices = [f" is deprecated ({deprecation})"] if deprecation else []
    notices += [f" will stop working on {sunset}"] if sunset else []
    log.warning("%s", excerpt(call.clean(operation_id + " and".join(notices))))


def error_of(call: Call, result: Result) -> RequestError:
    """Returns the error of a request that ended with this result."""
    details = call.details()
    error: RequestError
    if result.failure is not None:
        message = f"{details.operation_id} {result.failure.message}"
        message = with_retry_reason(message, details.retry_skipped_reason, result.hint)
        error = result.failure.kind(message, details)
        error.__cause__ = result.failure.cause
    else:
        error = _api_error(call, result, details)
    error.__suppress_context__ = True
    return _unknown(call, error, result.text, details) if call.is_unknown else error


def _api_error(call: Call, result: Result, details: RequestErrorDetails) -> ApiError:
    status = result.status or 0
    request_id = result.headers.get("x-request-id")
    response = ApiErrorDetails(
        status,
        result.body,
        result.body_text,
        call.operation.method,
        call.clean(request_id) if request_id else None,
        {name.lower(): redact(value, call.tokens) for name, value in result.headers.items()},
        result.hint,
    )
    kind = ERRORS_BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(response, details)


def _unknown(call: Call, error: RequestError, partial: str | None, details: RequestErrorDetails) -> OutcomeUnknownError:
    what = (
        "was carried out, but its response was lost. Do not send it again: reconcile() looks for its result."
        if call.outcome == "applied"
        else "may have been carried out. Call reconcile() before sending it again."
    )
    ended = call.settings.moment()
    body = redact(partial, call.tokens) if partial else None
    message = f"{details.operation_id} {what} {error}"
    unknown = OutcomeUnknownError(message, details, call.window(ended), body)
    find = call.find
    if find is not None and call.bind is not None:
        call.bind(unknown, lambda max_items: find(Search(call, call.window(ended), call.body, max_items)))
    unknown.__cause__ = error
    context = f"; context: {excerpt(call.clean(str(dict(details.context))))}" if details.context else ""
    # Where a cancellation is swallowed, this line is all that remains.
    log.error("%s%s", message, context, extra={CARRIED: unknown})
    return unknown


def check_foreign(call: Call, error: CallTransferError) -> None:
    """Raises the outcome where it is unknown, and the error is that of another request, as a signal handler may raise it. That
    one's own outcome, such as `not_sent`, would be taken for that of this request.
    """
    settle(call)
    if call.is_unknown and not isinstance(error, OutcomeUnknownError):
        details = call.details()
        aborted = AbortError(f"{details.operation_id} was interrupted by the caller", details)
        aborted.__cause__ = error
        raise _unknown(call, aborted, None, details)


def settle(call: Call) -> None:
    """Adds an attempt that did not come to its end to the outcome."""
    if call.pending is not None:
        attempt, order = call.pending
        call.pending = None
        call.outcome = combine(call.outcome, "unknown" if order.sent else "not_sent")
        if not any(one is attempt for one in call.attempts):
            attempt.error = attempt.error or "aborted"
            call.attempts.append(attempt)


def interrupt(call: Call, stop: BaseException) -> None:
    """Attaches to what ended the request from outside, such as a cancellation, what it had done by then."""
    settle(call)
    details = call.details()
    error: RequestError = AbortError(f"{details.operation_id} was interrupted by the caller", details)
    forget_locals(stop)
    if call.is_unknown:
        unknown = _unknown(call, error, None, details)
        carry(stop, unknown, f"{unknown} See {CARRIED} of this exception.")
    else:
        carry(stop, error, None)
