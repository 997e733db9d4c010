"""The attempt loop without I/O: a generator that says what to send and how long to sleep, and takes what came of it.

Which attempt follows which, and what is retried, stands here once for both clients.
"""

from __future__ import annotations

import logging

from ._answer import read_answer, timed_out
from ._auth import Credential, RenewalTimeout
from ._call import Call, Failure, GetToken, Received, Result, Search, Send, Sent, Sleep, Steps
from ._errors import Attempt, CallTransferError, RequestError, RetrySkippedReason
from ._interrupt import let_through
from ._outcome import combine, is_effect_free
from ._redact import excerpt
from ._report import error_of, log, report_retry, summary_of
from ._retry import RETRY_COST, delay_for, should_retry

TOKEN_FUNCTION = "the access_token function"  # noqa: S105
EXPIRED_CODE = "token_expired"
"""The one rejection that a new credential fixes."""


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
        call.pending = None
        if log.isEnabledFor(logging.DEBUG):
            log.debug("%s", summary_of(call, result))
        if result.failure is None and result.status is not None and 200 <= result.status < 300:
            if call.budget is not None:
                call.budget.refill(call.retry_cost)
            if result.credential is not None:
                auth.accept(result.credential)
            return Sent(result.status, result.headers, result.data)
        renewed = None
        if _is_expired(call, result):
            call.renewed = True
            renewal = yield from _token(call, call.limit(), result.credential)
            if isinstance(renewal, Result):
                raise error_of(call, renewal)
            if renewal is None:
                call.retry_skipped_reason = "token_still_expired"
                raise error_of(call, result)
            # Not counted as a retry: only the credential was rejected.
            renewed = renewal
            continue
        delay = delay_for(retries, result.hint or 0.0, call.settings.random)
        if not (yield from _can_retry(call, result, retries, delay)):
            raise error_of(call, result)
        report_retry(call, result, delay)
        yield Sleep(delay)
        retries += 1


def _attempt(call: Call, renewed: Credential | None) -> Steps[Result]:
    """Sends the request once, with a credential in place of an expired one if it was renewed."""
    settings = call.settings
    clock = settings.clock
    limit = call.limit()
    end = clock.elapsed() + limit
    credential = renewed or settings.auth.fixed
    if credential is None:
        given = yield from _token(call, limit)
        if isinstance(given, Result):
            return given
        credential = given
        assert credential is not None  # noqa: S101
    call.tokens.add(credential.token)
    # The time may be up after the wait for a token. Then nothing may be sent.
    left = limit if renewed or settings.auth.fixed else end - clock.elapsed()
    if left <= 0:
        return timed_out(limit, Result("not_sent", credential=credential))
    order = Send(call.operation.method, call.url, call.headers, credential.token, call.body, left)
    attempt = Attempt(clock.now())
    call.pending = (attempt, order)
    begun = clock.elapsed()
    received: Received = yield order
    attempt.duration = round(max(0.0, clock.elapsed() - begun), 3)
    result = read_answer(call, attempt, received, limit)
    result.credential = credential
    return result


def _own_code_failed(call: Call, error: Exception) -> Result:
    """Result where the token function raised. The cause is the error itself, so that callers recognize their own."""
    reason = excerpt(call.clean(str(error) or type(error).__name__))
    failure = Failure(RequestError, f"failed: {TOKEN_FUNCTION} raised: {reason}", error)
    return Result("not_sent", failure=failure, final=True)


def _is_expired(call: Call, result: Result) -> bool:
    """Whether the token expired and can be renewed, which happens once per request."""
    auth = call.settings.auth
    if result.status != 401 or not auth.can_renew or result.credential is None:
        return False
    if result.code != EXPIRED_CODE or call.renewed:
        auth.forget(result.credential, call.settings.clock.elapsed())
        return False
    return result.failure is None


def _token(call: Call, limit: float, expired: Credential | None = None) -> Steps[Credential | Result | None]:
    """Asks for a token. Returns the result of an attempt where the function gave none."""
    try:
        given: Credential | None = yield GetToken(expired, limit)
    except RenewalTimeout:
        return timed_out(limit, Result("not_sent"), TOKEN_FUNCTION)
    except CallTransferError:
        if not call.attempts:
            raise
        return _own_code_failed(call, TypeError("it returned something that is not a token"))
    except Exception as error:
        let_through(error)
        return _own_code_failed(call, error)
    return given


def _can_retry(call: Call, result: Result, retries: int, delay: float) -> Steps[bool]:
    """Whether to retry. If a retry is due but skipped, the call says why."""
    details = {
        "status": result.status,
        "code": result.code,
        "outcome": result.outcome,
        "interrupted": result.interrupted,
    }
    if result.final or retries >= call.max_retries or not should_retry("idempotent", **details):  # type: ignore[arg-type]
        return False
    is_blind = not should_retry(call.operation.idempotency, **details)  # type: ignore[arg-type]
    call.retry_skipped_reason = yield from _reason_to_skip(call, result, delay, is_blind=is_blind)
    return call.retry_skipped_reason is None


def _reason_to_skip(call: Call, result: Result, delay: float, *, is_blind: bool) -> Steps[RetrySkippedReason | None]:
    policy, hint = call.retry, result.hint or 0.0
    if is_blind and result.outcome == "applied":
        return "already_applied"
    if is_blind and policy.on_unknown_outcome == "raise":
        return "untrusted_503" if is_effect_free(result.status, result.code) else "not_idempotent"
    if hint > policy.max_retry_after:
        return "retry_after_too_long"
    if call.is_past_deadline(delay):
        return "total_timeout"
    if is_blind and policy.on_unknown_outcome == "check" and not (yield from _found_nothing(call)):
        return "list_inconclusive"
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
    found = yield from call.find(Search(call, window, end=end))
    return found.complete and not found.candidates
