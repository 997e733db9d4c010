"""The retry policy: what is retried, after which wait, and how much of it an outage may cost. Pure functions, but for the budget."""

from __future__ import annotations

import math
import re
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

from ._errors import RequestOutcome
from ._interrupt import let_through, renew_in_child
from ._json import is_object

Idempotency = Literal["idempotent", "conflict_safe", "non_idempotent"]

MAX_SECONDS = 2_147_483.0
"""Longest wait. The other client has the same, in milliseconds."""

_QUOTA_CODE = "assistant_quota_exceeded"
"""A quota that resets at a fixed time, long after any retry."""

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
# `++` and `*+` give nothing back, so that a long header takes no long time.
_NUMBER = re.compile(r"\+?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|\+?Infinity")


def _is_retried(status: int | None, code: str | None) -> bool:
    if status == 429:
        return code != _QUOTA_CODE
    return status == 408 or (status is not None and status >= 500)


def should_retry(idempotency: Idempotency, *, status: int | None, code: str | None, outcome: RequestOutcome, interrupted: bool) -> bool:
    """Returns whether to retry after an attempt, by its effect and its status (§8)."""
    is_retryable = _is_retried(status, code)
    if outcome == "not_sent":
        return status is None or is_retryable
    if outcome == "rejected":
        return is_retryable
    if outcome == "applied":
        return idempotency == "idempotent" and (interrupted or is_retryable)
    return idempotency != "non_idempotent" and (interrupted or is_retryable)


def delay_for(retries: int, hint: float, random: Callable[[], float]) -> float:
    """Returns the seconds to wait before the retry after `retries` others.

    The backoff is 0.5 · 2ⁿ, at most 8, times a random factor from ½ to 1. A longer hint takes the place of its first half, so
    that requests that wait on the same hint are spread after it. The millisecond more is for timers that fire early.
    """
    half = min(8.0, 0.5 * 2.0 ** min(retries, 10)) / 2
    return min(MAX_SECONDS, max(half, hint + 0.001) + random() * half)


def time_of(text: str) -> float | None:
    """Returns a date as seconds since the epoch: any form of HTTP, or ISO 8601. HTTP dates are in GMT, even without saying so."""
    text = text.strip()
    try:
        parsed = datetime.fromisoformat(text) if _ISO_DATE.match(text) else parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        let_through(error)
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def _seconds(part: str, now: float) -> float | None:
    if re.search(r":\d\d", part):
        time = time_of(part)
        return None if time is None else max(0.0, time - now)
    return float(part) if _NUMBER.fullmatch(part) else None


def parse_retry_after(given: object, now: float) -> float | None:
    """Parses the value of a `Retry-After` header, or a number, into seconds. If there are several values, the longest counts.

    A value is a number in any spelling (`2`, ` 02 `, `1.5`), or a date in any HTTP form or in ISO 8601; a past date means 0.
    Returns None for anything else: then only the backoff applies.
    """
    if isinstance(given, bool) or not isinstance(given, (str, int, float)):
        return None
    if not isinstance(given, str):
        # JSON has integers that no float can hold.
        fits = given <= sys.float_info.max
        return (float(given) if fits else math.inf) if given >= 0 else None
    # The comma after a day name splits a date; the rest is still a date.
    return longest(*(_seconds(part.strip(), now) for part in given.split(",")))


def longest(*waits: float | None) -> float | None:
    """Returns the longest of some waits; None if there is none."""
    return max((wait for wait in waits if wait is not None and not math.isnan(wait)), default=None)


def retry_hint(meta: object, retry_after: str | None, date: str | None, now: float) -> float | None:
    """Returns the seconds that a response asks to wait: the longer of `meta.retryAfterSecs` and `Retry-After`."""
    from_body: object = meta.get("retryAfterSecs") if is_object(meta) else None
    answered = time_of(date) if date else None
    start = now if answered is None else answered
    return longest(parse_retry_after(from_body, start), parse_retry_after(retry_after, start))


RETRY_COST = 5
"""Cost of a retry that the server did not ask for."""

_CAPACITY = 500.0
_SUCCESS_GAIN = 1
_GAIN_PER_SECOND = 50 / 3600
_MAX_ACCOUNTS = 10_000


class RetryBudget:
    """Limits the retries of an account, so that in a long outage the load stays close to that of first attempts alone.

    A full budget is enough for 100 retries that fail. It fills again by the cost of each retry that succeeds, by a fifth of that
    with each other success, and by ten retries an hour.
    """

    def __init__(self) -> None:
        self._tokens = _CAPACITY
        self._filled_at = 0.0
        self._lock = threading.Lock()

    def spend(self, cost: int, now: float) -> bool:
        """Takes the cost of a retry. Returns False when too little is left."""
        with self._lock:
            self._add(max(0.0, now - self._filled_at) * _GAIN_PER_SECOND)
            self._filled_at = now
            if self._tokens < cost:
                return False
            self._tokens -= cost
            return True

    def refill(self, cost: int) -> None:
        """Gives back the cost of a retry that succeeded, or a little after a success without costs."""
        if self._tokens >= _CAPACITY:
            return
        with self._lock:
            self._add(cost or _SUCCESS_GAIN)

    def _add(self, tokens: float) -> None:
        self._tokens = min(_CAPACITY, self._tokens + tokens)


class RetryBudgets:
    """The budgets of a client and its copies, one for each account: an outage of one account takes no retries from another."""

    def __init__(self) -> None:
        self._by_account: OrderedDict[str | None, RetryBudget] = OrderedDict()
        self._lock = threading.Lock()
        renew_in_child(self)

    def after_fork(self) -> None:
        """Frees locks that other threads of the parent may hold."""
        self._lock = threading.Lock()
        for budget in self._by_account.values():
            budget._lock = threading.Lock()

    def of(self, account_id: str | None) -> RetryBudget:
        """Returns the budget of an account; None stands for requests that name none."""
        with self._lock:
            budget = self._by_account.setdefault(account_id, RetryBudget())
            self._by_account.move_to_end(account_id)
            if len(self._by_account) > _MAX_ACCOUNTS:
                self._by_account.popitem(last=False)
            return budget
